import { z } from '#protocol/core/zod.ts';
import { PROJECT_ID } from '#protocol/kugel/wire/settings.ts';
import { type BodyLimits, callerOf, json, type Rest, readBody } from '../../rest.ts';
import { notFound } from '../access.ts';
import type { KugelStore } from '../store.ts';
import { type Dictionary, type DictionaryEntry, MAX_ENTRIES } from './dictionaries.ts';
import { pageOf, paging, readQuery, wholeNumber } from './rows.ts';

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
const entriesQuery = z.object({
  search: z._default(z.string().check(z.maxLength(200)), ''),
  ...paging(500, 100),
});

/** Dictionaries and their entries in the vendor's shapes. */
export function dictionaryRoutes(rest: Rest, { dictionaries }: KugelStore): void {
  const list = '/v1/dictionaries';
  rest.use(`${list}/*`, async (c, next) => {
    const { project_id: project = PROJECT_ID } = readQuery(c, projectQuery);
    if (project !== PROJECT_ID) throw notFound('Project');
    await next();
  });
  rest.get(list, (c) => json(c, { dictionaries: dictionaries.current.all.map(dictionaryObject) }));
  rest.post(list, async (c) => {
    const fields = await readBody(c, dictionaryBody);
    const created = await dictionaries.change((all) =>
      all.create({ ...fields, is_active: true }, callerOf(c)),
    );
    return json(c, dictionaryObject(created), 201);
  });

  const one = `${list}/:dict_id` as const;
  rest.get(one, (c) => json(c, dictionaryObject(dictionaries.current.find(c.req.param('dict_id')))));
  rest.patch(one, async (c) => {
    const changes = await readBody(c, dictionaryChanges);
    return json(
      c,
      dictionaryObject(await dictionaries.change((all) => all.update(c.req.param('dict_id'), changes))),
    );
  });
  rest.delete(one, async (c) => {
    await dictionaries.change((all) => all.delete(c.req.param('dict_id')));
    return json(c, DELETED);
  });

  const entries = `${one}/entries` as const;
  rest.get(entries, (c) => {
    const { search, ...page } = readQuery(c, entriesQuery);
    const wanted = search.toLowerCase();
    const { entries } = dictionaries.current.find(c.req.param('dict_id'));
    const found = entries.filter(({ word }) => word.toLowerCase().includes(wanted));
    const { rows, ...counts } = pageOf(found, page);
    return json(c, { entries: rows.map((entry) => entryObject(c.req.param('dict_id'), entry)), ...counts });
  });
  rest.post(entries, async (c) => {
    const fields = await readBody(c, entryBody);
    const added = await dictionaries.change((all) =>
      all.addEntry(c.req.param('dict_id'), fields, callerOf(c)),
    );
    return json(c, entryObject(c.req.param('dict_id'), added), 201);
  });
  rest.put(entries, async (c) => {
    const { entries: all } = await readBody(c, entriesBody, LIST);
    const deleted = await dictionaries.change((each) =>
      each.replaceEntries(c.req.param('dict_id'), all, callerOf(c)),
    );
    return json(c, { upserted: all.length, deleted, total: all.length });
  });

  const oneEntry = `${entries}/:entry_id` as const;
  rest.patch(oneEntry, async (c) => {
    const changes = await readBody(c, entryChanges);
    const updated = await dictionaries.change((all) =>
      all.updateEntry(c.req.param('dict_id'), c.req.param('entry_id'), changes),
    );
    return json(c, entryObject(c.req.param('dict_id'), updated));
  });
  rest.delete(oneEntry, async (c) => {
    await dictionaries.change((all) => all.deleteEntry(c.req.param('dict_id'), c.req.param('entry_id')));
    return json(c, DELETED);
  });
}

const DELETED = { deleted: true };

const dictionaryObject = ({ entries: _, holder: __, ...row }: Dictionary) => ({
  ...row,
  project_id: PROJECT_ID,
});

const entryObject = (dictionary: string, { holder: _, ...entry }: DictionaryEntry) => ({
  ...entry,
  dictionary_id: Number(dictionary),
});
