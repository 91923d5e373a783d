import { shown } from '#protocol/core/issue.ts';
import { z } from '#protocol/core/zod.ts';
import { PROJECT_ID } from '#protocol/kugel/wire/generation.ts';
import { type BodyLimits, json, type Rest, type RestContext, readBody } from '../../rest.ts';
import { errorOf, refused } from '../access.ts';
import { invalid } from '../refusals.ts';
import type { KugelStore } from '../store.ts';
import {
  type Dictionary,
  type DictionaryEntry,
  type DictionaryStore,
  MAX_DICTIONARIES,
  MAX_ENTRIES,
} from './dictionaries.ts';
import { readQuery, wholeNumber } from './query.ts';

const name = z.string().check(z.trim(), z.minLength(1), z.maxLength(200));
const description = z.nullable(z.string().check(z.maxLength(2000)));
const language = z.nullable(
  z
    .string()
    .check(
      z.maxLength(16),
      z.regex(/^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i, 'a language tag such as "en" or "de-DE"'),
    ),
);
const word = z.string().check(z.trim(), z.minLength(1), z.maxLength(200));
const replacement = z.string().check(z.minLength(1), z.maxLength(1000));
const ipa = z.nullable(z.string().check(z.maxLength(200)));

const dictionaryBody = z.strictObject({
  name,
  description: z._default(description, null),
  language: z._default(language, null),
});
/** Null clears a field that may be null, and leaves the others as they are. */
const dictionaryChanges = z.partial(
  z.strictObject({ name: z.nullable(name), description, language, is_active: z.nullable(z.boolean()) }),
);
const entryBody = z.strictObject({
  word,
  replacement,
  ipa: z._default(ipa, null),
  case_sensitive: z._default(z.boolean(), false),
});
const entryChanges = z.partial(
  z.strictObject({
    word: z.nullable(word),
    replacement: z.nullable(replacement),
    ipa,
    case_sensitive: z.nullable(z.boolean()),
  }),
);
const entriesBody = z.strictObject({
  // The count is checked first, so that a huge list is not validated.
  entries: z.pipe(z.array(z.unknown()).check(z.maxLength(MAX_ENTRIES)), z.array(entryBody)),
});

/** All entries, in one call. */
const LIST: BodyLimits = { bytes: 1024 * 1024, values: 60_000 };

const projectQuery = z.object({ project_id: z.optional(wholeNumber(z.int())) });
const entriesQuery = z.extend(projectQuery, {
  search: z._default(z.string().check(z.maxLength(200)), ''),
  limit: z._default(wholeNumber(z.int().check(z.gte(1), z.lte(500))), 100),
  offset: z._default(wholeNumber(z.int().check(z.gte(0))), 0),
});

/** Dictionaries and their entries in the vendor's shapes (`facts 5`). */
export function dictionaryRoutes(rest: Rest, store: KugelStore): void {
  const read = <S extends z.ZodMiniType>(c: RestContext, schema: S, limits?: BodyLimits) =>
    readBody(c, schema, (why) => refused(invalid(why)), limits);
  const dictionaryOf = (c: RestContext, all: DictionaryStore): Dictionary => {
    const dictionary = all.find(idIn(c, 'dict_id'));
    if (!dictionary) throw refused(errorOf(404, 'Dictionary not found'));
    return dictionary;
  };
  const entryOf = (c: RestContext, { entries }: Dictionary): DictionaryEntry => {
    const id = idIn(c, 'entry_id');
    const entry = entries.find((each) => each.id === id);
    if (!entry) throw refused(errorOf(404, 'Entry not found'));
    return entry;
  };
  const refuseTakenName = (all: DictionaryStore, taken: string, self?: Dictionary) => {
    const other = all.named(taken);
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
  const refuseOverflow = (all: DictionaryStore, added: number) => {
    if (added > Math.max(0, all.entriesLeft)) {
      throw refused(invalid(`expected at most ${MAX_ENTRIES} entries in all dictionaries`));
    }
  };

  const list = '/v1/dictionaries';
  rest.use(`${list}/*`, async (c, next) => {
    const { project_id: project = PROJECT_ID } = readQuery(c, projectQuery);
    if (project !== PROJECT_ID) throw refused(errorOf(404, 'Project not found'));
    await next();
  });
  rest.get(list, (c) => json(c, { dictionaries: store.dictionaries.all.map(dictionaryObject) }));
  rest.post(list, async (c) => {
    const fields = await read(c, dictionaryBody);
    const created = await store.changeDictionaries((all) => {
      refuseTakenName(all, fields.name);
      if (all.isFull) {
        throw refused(invalid(`expected at most ${MAX_DICTIONARIES} dictionaries`));
      }
      return all.create({ ...fields, is_active: true });
    });
    return json(c, dictionaryObject(created), 201);
  });

  const one = `${list}/:dict_id`;
  rest.get(one, (c) => json(c, dictionaryObject(dictionaryOf(c, store.dictionaries))));
  rest.patch(one, async (c) => {
    const changes = await read(c, dictionaryChanges);
    const updated = await store.changeDictionaries((all) => {
      const dictionary = dictionaryOf(c, all);
      const { description = dictionary.description, language = dictionary.language } = changes;
      const name = changes.name ?? dictionary.name;
      const is_active = changes.is_active ?? dictionary.is_active;
      refuseTakenName(all, name, dictionary);
      return all.update(dictionary, { name, description, language, is_active });
    });
    return json(c, dictionaryObject(updated));
  });
  rest.delete(one, async (c) => {
    await store.changeDictionaries((all) => all.delete(dictionaryOf(c, all)));
    return json(c, { deleted: true });
  });

  const entries = `${one}/entries`;
  rest.get(entries, (c) => {
    const { search, limit, offset } = readQuery(c, entriesQuery);
    const wanted = search.toLowerCase();
    const dictionary = dictionaryOf(c, store.dictionaries);
    const found = dictionary.entries.filter((entry) => entry.word.toLowerCase().includes(wanted));
    const page = found.slice(offset, offset + limit).map((entry) => entryObject(dictionary, entry));
    return json(c, { entries: page, total: found.length, limit, offset });
  });
  rest.post(entries, async (c) => {
    const fields = await read(c, entryBody);
    const added = await store.changeDictionaries((all) => {
      const dictionary = dictionaryOf(c, all);
      refuseTakenWord(dictionary, fields.word);
      refuseOverflow(all, 1);
      return entryObject(dictionary, all.addEntry(dictionary, fields));
    });
    return json(c, added, 201);
  });
  rest.put(entries, async (c) => {
    const { entries: all } = await read(c, entriesBody, LIST);
    dictionaryOf(c, store.dictionaries);
    const words = new Set<string>();
    all.forEach((entry, index) => {
      if (words.has(entry.word)) {
        throw refused(
          invalid(`entries.${index}.word: expected each word once, got ${shown(entry.word)} again`),
        );
      }
      words.add(entry.word);
    });
    const deleted = await store.changeDictionaries((dictionaries) => {
      const dictionary = dictionaryOf(c, dictionaries);
      refuseOverflow(dictionaries, all.length - dictionary.entries.length);
      return dictionaries.replaceEntries(dictionary, all);
    });
    return json(c, { upserted: all.length, deleted, total: all.length });
  });

  const oneEntry = `${entries}/:entry_id`;
  rest.patch(oneEntry, async (c) => {
    const changes = await read(c, entryChanges);
    const updated = await store.changeDictionaries((all) => {
      const dictionary = dictionaryOf(c, all);
      const entry = entryOf(c, dictionary);
      const word = changes.word ?? entry.word;
      const replacement = changes.replacement ?? entry.replacement;
      const { ipa = entry.ipa } = changes;
      const case_sensitive = changes.case_sensitive ?? entry.case_sensitive;
      refuseTakenWord(dictionary, word, entry);
      const fields = { word, replacement, ipa, case_sensitive };
      return entryObject(dictionary, all.updateEntry(dictionary, entry, fields));
    });
    return json(c, updated);
  });
  rest.delete(oneEntry, async (c) => {
    await store.changeDictionaries((all) => {
      const dictionary = dictionaryOf(c, all);
      all.deleteEntry(dictionary, entryOf(c, dictionary));
    });
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
