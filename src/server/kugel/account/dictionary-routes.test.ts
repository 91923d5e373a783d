import { describe, expect, it } from 'vitest';
import { setUpAccountServer } from './account-server.test-helper.ts';

/** The rules of dictionaries alone; `account-routes.test.ts` has those that voices share. */

const server = setUpAccountServer();
const call = (method: string, path: string, body?: unknown) =>
  server.call(method, `/dictionaries${path}`, body);
const refusal = (error: unknown) => ({
  status: 400,
  body: { error, error_code: 'VALIDATION_ERROR', code: 400 },
});

const created = async (fields: object = { name: 'Brand names' }): Promise<number> =>
  (await call('POST', '', fields)).body.id;
const added = async (id: number, word: string): Promise<number> =>
  (await call('POST', `/${id}/entries`, { word, replacement: 'x' })).body.id;

it('5 are listed as rows without entries, in order of creation, and read one by one', async () => {
  const id = await created();
  const { status, body } = await call('GET', '?project_id=1');
  expect([status, Object.keys(body)]).toEqual([200, ['dictionaries']]);
  expect(body.dictionaries.map((row: { id: number }) => row.id)).toEqual([1, 2, 3, id]);
  const fields = [
    'id',
    'name',
    'description',
    'language',
    'is_active',
    'created_at',
    'updated_at',
    'project_id',
  ];
  for (const row of body.dictionaries) {
    expect(Object.keys(row).sort()).toEqual([...fields].sort());
    expect(await call('GET', `/${row.id}`)).toEqual({ status: 200, body: row });
  }
});

it.each([
  ['GET', ''],
  ['GET', '/1'],
  ['DELETE', '/1/entries/1'],
])('a foreign project is not found: %s %s', async (method, path) => {
  const body = { error: 'Project not found', error_code: 'NOT_FOUND', code: 404 };
  expect(await call(method, `${path}?project_id=2`)).toEqual({ status: 404, body });
});

it('5 entries are searched by a part of the word without case, and come in pages', async () => {
  const id = await created();
  for (const word of ['Kubernetes', 'kubectl', 'Postgres', 'true', '12']) await added(id, word);
  const words = async (query: string) => {
    const { entries, ...page } = (await call('GET', `/${id}/entries?${query}`)).body;
    return [entries.map((each: { word: string }) => each.word), page];
  };
  const all = { total: 5, limit: 100, offset: 0 };
  expect(await words('search=KUB')).toEqual([['Kubernetes', 'kubectl'], { ...all, total: 2 }]);
  expect(await words('limit=2&offset=1')).toEqual([['kubectl', 'Postgres'], { ...all, limit: 2, offset: 1 }]);
  expect(await words('search=true')).toEqual([['true'], { ...all, total: 1 }]);
  expect(await words('search=12')).toEqual([['12'], { ...all, total: 1 }]);
  expect(await words('offset=9')).toEqual([[], { ...all, offset: 9 }]);
});

it('5 entries are replaced all: words that are there keep their ids, the rest goes', async () => {
  const id = await created();
  const kept = await added(id, 'Postgres');
  for (const word of ['a', 'b', 'c']) await added(id, word);
  const k8s = { word: 'K8s', replacement: 'kubernetes' };
  const postgres = { word: 'Postgres', replacement: 'post-gres' };
  const replace = async (...entries: object[]) => call('PUT', `/${id}/entries`, { entries });
  const counts = { upserted: 2, deleted: 3, total: 2 };
  expect(await replace(k8s, postgres)).toEqual({ status: 200, body: counts });
  expect((await call('GET', `/${id}/entries`)).body.entries).toMatchObject([{ ...postgres, id: kept }, k8s]);
  expect((await replace(k8s, postgres)).body).toEqual({ ...counts, deleted: 0 });
  expect((await replace()).body).toEqual({ upserted: 0, deleted: 2, total: 0 });
});

const ENTRY = { word: 'w', replacement: 'r' };
it.each<[string, string, unknown, string]>([
  ['PUT', '/1/entries', {}, 'entries: expected an array, got nothing'],
  [
    'PUT',
    '/1/entries',
    { entries: [ENTRY, { word: 'v' }] },
    'entries.1.replacement: expected a string, got nothing',
  ],
  [
    'PUT',
    '/1/entries',
    { entries: [ENTRY, ENTRY] },
    'entries.1.word: expected each word once, got "w" again',
  ],
  [
    'PUT',
    '/1/entries',
    { entries: Array(10_001).fill(1) },
    'entries: expected at most 10000 entries, got an array of 10001',
  ],
  ['PATCH', '/1', { name: 'Pirate' }, 'name: expected a name that no other dictionary has, got "Pirate"'],
  ['PATCH', '/1', { project_id: 2 }, 'project_id: expected no such field, got one'],
  ['PATCH', '/1', { is_active: 'no' }, 'is_active: expected true or false, got "no"'],
  [
    'PATCH',
    '/1/entries/1',
    { word: 'nginx' },
    'word: expected a word that no other entry has, got that of entry 2',
  ],
  ['GET', '/one', undefined, 'dict_id: expected a whole number, got "one"'],
])('%s %s %j is refused and changes nothing', async (method, path, body, why) => {
  const state = async () => [await call('GET', ''), await call('GET', '/1/entries')];
  const before = await state();
  expect(await call(method, path, body)).toEqual(refusal(`Invalid request: ${why}`));
  expect(await state()).toEqual(before);
});

it.each([
  ['?project_id=one', 'project_id: expected a number, got "one"'],
  [`/1/entries?search=${'a'.repeat(201)}`, 'search: expected at most 200 characters, got 201'],
])('GET %s is refused', async (path, why) => {
  expect(await call('GET', path)).toEqual(refusal(why));
});

it('a refusal names few of many faults', async () => {
  const { body } = await call('PUT', '/1/entries', { entries: Array(10_000).fill(1) });
  expect(body.error.length).toBeLessThan(1000);
});

it('entries are at most 10,000 in all dictionaries', async () => {
  const id = await created();
  const replace = (count: number) =>
    call('PUT', `/${id}/entries`, {
      entries: Array.from({ length: count }, (_, n) => ({ word: `w${n}`, replacement: 'r' })),
    });
  const full = refusal('Invalid request: expected at most 10000 entries in all dictionaries');
  // Those of a new account are 13.
  expect(await replace(9988)).toEqual(full);
  expect((await replace(9987)).body.total).toBe(9987);
  expect((await replace(9987)).status).toBe(200);
  expect(await call('POST', `/${id}/entries`, { word: 'one more', replacement: 'r' })).toEqual(full);
});

it.each([
  ['GET', '/99/entries', 'Dictionary not found'],
  ['DELETE', '/99/entries/1', 'Dictionary not found'],
  ['DELETE', '/1/entries/99', 'Entry not found'],
  ['DELETE', '/2/entries/1', 'Entry not found'],
])('%s %s: 404 %s', async (method, path, error) => {
  const body = { error, error_code: 'NOT_FOUND', code: 404 };
  expect(await call(method, path)).toEqual({ status: 404, body });
});

describe('dictionaries in speech', () => {
  const replaced = async (fields: object) =>
    (await server.spoken({ project_id: 1, ...fields }))?.pronunciations.map(({ word }) => word);

  it('active ones apply by language, tags by their language, and the change is heard at once', async () => {
    for (const seed of [1, 2, 3]) await call('DELETE', `/${seed}`);
    const austrian = await created({ name: 'a', language: 'de-AT' });
    const any = await created({ name: 'b' });
    await added(austrian, 'Jänner');
    const entry = await added(any, 'Kugel');
    expect(await replaced({ language: 'de' })).toEqual(['Jänner', 'Kugel']);
    expect(await replaced({ language: 'en' })).toEqual(['Kugel']);
    await call('PATCH', `/${any}`, { is_active: false });
    expect(await replaced({ language: 'en' })).toEqual([]);
    expect(await replaced({ language: 'en', dictionary_ids: [any, austrian] })).toEqual(['Jänner', 'Kugel']);
    expect(await replaced({ language: 'de', dictionary_ids: [] })).toEqual([]);
    await call('PATCH', `/${any}/entries/${entry}`, { word: 'Ball' });
    expect(await replaced({ dictionary_ids: [any] })).toEqual(['Ball']);
  });
});
