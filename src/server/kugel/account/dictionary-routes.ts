import { shown } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import { json, type Rest, type RestContext, readBody } from '../../rest.ts';
import { errorOf, refused } from '../access.ts';
import { invalid } from '../refusals.ts';
import {
  type Dictionary,
  type DictionaryEntry,
  type DictionaryStore,
  MAX_DICTIONARIES,
  MAX_ENTRIES,
} from './dictionaries.ts';
import { readQuery, wholeNumber } from './query.ts';

/** All keys of the local server share one project. */
const PROJECT_ID = 1;

const name = z.string().trim().min(1).max(200);
const description = z.string().max(2000).nullable();
const language = z
  .string()
  .max(16)
  .regex(/^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i, 'a language tag such as "en" or "de-DE"')
  .nullable();
const word = z.string().trim().min(1).max(200);
const replacement = z.string().min(1).max(1000);
const ipa = z.string().max(200).nullable();

const dictionaryBody = z.strictObject({
  name,
  description: description.default(null),
  language: language.default(null),
});
/** Null clears a field that may be null, and leaves the others as they are. */
const dictionaryChanges = z
  .strictObject({ name: name.nullable(), description, language, is_active: z.boolean().nullable() })
  .partial();
const entryBody = z.strictObject({
  word,
  replacement,
  ipa: ipa.default(null),
  case_sensitive: z.boolean().default(false),
});
const entryChanges = z
  .strictObject({
    word: word.nullable(),
    replacement: replacement.nullable(),
    ipa,
    case_sensitive: z.boolean().nullable(),
  })
  .partial();
const entriesBody = z.strictObject({
  // The count is checked first, so that a huge list is not validated.
  entries: z.array(z.unknown()).max(MAX_ENTRIES).pipe(z.array(entryBody)),
});

const projectQuery = z.object({ project_id: wholeNumber(z.int()).optional() });
const entriesQuery = projectQuery.extend({
  search: z.string().max(200).default(''),
  limit: wholeNumber(z.int().min(1).max(500)).default(100),
  offset: wholeNumber(z.int().min(0)).default(0),
});

/** Dictionaries and their entries in the vendor's shapes (`facts 5`). */
export function dictionaryRoutes(rest: Rest, store: DictionaryStore): void {
  const read = <S extends z.ZodType>(c: RestContext, schema: S) =>
    readBody(c, schema, (why) => refused(invalid(why)));
  const dictionaryOf = (c: RestContext): Dictionary => {
    const dictionary = store.find(idIn(c, 'dict_id'));
    if (!dictionary) throw refused(errorOf(404, 'Dictionary not found'));
    return dictionary;
  };
  const entryOf = (c: RestContext, { entries }: Dictionary): DictionaryEntry => {
    const id = idIn(c, 'entry_id');
    const entry = entries.find((each) => each.id === id);
    if (!entry) throw refused(errorOf(404, 'Entry not found'));
    return entry;
  };
  const refuseTakenName = (taken: string, self?: Dictionary) => {
    const other = store.named(taken);
    if (other && other.id !== self?.id) {
      throw refused(invalid(`name: expected a name that no other dictionary has, got ${shown(taken)}`));
    }
  };
  const refuseTakenWord = ({ entries }: Dictionary, taken: string, self?: DictionaryEntry) => {
    const other = entries.find((entry) => entry.word === taken);
    if (other && other.id !== self?.id) {
      throw refused(invalid(`word: expected a word that no other entry has, got that of entry ${other.id}`));
    }
  };
  const refuseOverflow = (added: number) => {
    if (added > Math.max(0, store.entriesLeft)) {
      throw refused(invalid(`expected at most ${MAX_ENTRIES} entries in all dictionaries`));
    }
  };

  const list = '/v1/dictionaries';
  rest.use(`${list}/*`, async (c, next) => {
    readQuery(c, projectQuery);
    await next();
  });
  rest.get(list, (c) => json(c, { dictionaries: store.all.map(dictionaryObject) }));
  rest.post(list, async (c) => {
    const fields = await read(c, dictionaryBody);
    refuseTakenName(fields.name);
    if (store.all.length >= MAX_DICTIONARIES) {
      throw refused(invalid(`expected at most ${MAX_DICTIONARIES} dictionaries`));
    }
    return json(c, dictionaryObject(store.create({ ...fields, is_active: true })), 201);
  });

  const one = `${list}/:dict_id`;
  rest.get(one, (c) => json(c, dictionaryObject(dictionaryOf(c))));
  rest.patch(one, async (c) => {
    const changes = await read(c, dictionaryChanges);
    const dictionary = dictionaryOf(c);
    const { description = dictionary.description, language = dictionary.language } = changes;
    const name = changes.name ?? dictionary.name;
    const is_active = changes.is_active ?? dictionary.is_active;
    refuseTakenName(name, dictionary);
    return json(c, dictionaryObject(store.update(dictionary, { name, description, language, is_active })));
  });
  rest.delete(one, (c) => {
    store.delete(dictionaryOf(c));
    return json(c, { deleted: true });
  });

  const entries = `${one}/entries`;
  rest.get(entries, (c) => {
    const { search, limit, offset } = readQuery(c, entriesQuery);
    const wanted = search.toLowerCase();
    const dictionary = dictionaryOf(c);
    const found = dictionary.entries.filter((entry) => entry.word.toLowerCase().includes(wanted));
    const page = found.slice(offset, offset + limit).map((entry) => entryObject(dictionary, entry));
    return json(c, { entries: page, total: found.length, limit, offset });
  });
  rest.post(entries, async (c) => {
    const fields = await read(c, entryBody);
    const dictionary = dictionaryOf(c);
    refuseTakenWord(dictionary, fields.word);
    refuseOverflow(1);
    return json(c, entryObject(dictionary, store.addEntry(dictionary, fields)), 201);
  });
  rest.put(entries, async (c) => {
    const { entries: all } = await read(c, entriesBody);
    const dictionary = dictionaryOf(c);
    const words = new Set<string>();
    all.forEach((entry, index) => {
      if (words.has(entry.word)) {
        throw refused(
          invalid(`entries.${index}.word: expected each word once, got ${shown(entry.word)} again`),
        );
      }
      words.add(entry.word);
    });
    refuseOverflow(all.length - dictionary.entries.length);
    const deleted = store.replaceEntries(dictionary, all);
    return json(c, { upserted: all.length, deleted, total: all.length });
  });

  const oneEntry = `${entries}/:entry_id`;
  rest.patch(oneEntry, async (c) => {
    const changes = await read(c, entryChanges);
    const dictionary = dictionaryOf(c);
    const entry = entryOf(c, dictionary);
    const word = changes.word ?? entry.word;
    const replacement = changes.replacement ?? entry.replacement;
    const { ipa = entry.ipa } = changes;
    const case_sensitive = changes.case_sensitive ?? entry.case_sensitive;
    refuseTakenWord(dictionary, word, entry);
    const fields = { word, replacement, ipa, case_sensitive };
    return json(c, entryObject(dictionary, store.updateEntry(dictionary, entry, fields)));
  });
  rest.delete(oneEntry, (c) => {
    const dictionary = dictionaryOf(c);
    store.deleteEntry(dictionary, entryOf(c, dictionary));
    return json(c, { deleted: true });
  });
}

function idIn(c: RestContext, name: string): number {
  const text = c.req.param(name) ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw refused(invalid(`${name}: expected a whole number, got ${shown(text)}`));
}

const dictionaryObject = ({ entries: _, ...row }: Dictionary) => ({ ...row, project_id: PROJECT_ID });

const entryObject = ({ id }: Dictionary, entry: DictionaryEntry) => ({ ...entry, dictionary_id: id });
