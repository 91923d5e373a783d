import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../running-server.ts';
import { openMemoryState } from '../../state/memory-state.ts';
import { createTestEngine, type TestEngine } from '../../test-engine.test-helper.ts';
import { startTestServer } from '../../test-server.test-helper.ts';
import { MAX_DICTIONARIES, MAX_ENTRIES } from './dictionaries.ts';

let server: RunningServer;
let engine: TestEngine;

beforeEach(async () => {
  engine = createTestEngine();
  server = await startTestServer({ engine });
});
afterEach(() => server.stop());

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${server.http}/kugel/v1/dictionaries${path}`, {
    method,
    headers: { Authorization: 'Bearer local', 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/;
const times = { created_at: expect.stringMatching(TIME), updated_at: expect.stringMatching(TIME) };
const dictionary = {
  id: expect.any(Number),
  project_id: expect.any(Number),
  name: 'Brand names',
  description: null,
  language: null,
  is_active: true,
  ...times,
};
const entry = {
  id: expect.any(Number),
  dictionary_id: expect.any(Number),
  word: 'Postgres',
  replacement: 'post-gres',
  ipa: null,
  case_sensitive: false,
  ...times,
};
const refusal = (error: unknown) => ({ error, error_code: 'VALIDATION_ERROR', code: 400 });
const missing = (error: string) => ({ status: 404, body: { error, error_code: 'NOT_FOUND', code: 404 } });

const created = async (fields: object = { name: 'Brand names' }): Promise<number> =>
  (await call('POST', '', fields)).body.id;
const added = async (id: number, word: string): Promise<number> =>
  (await call('POST', `/${id}/entries`, { word, replacement: 'x' })).body.id;

describe('5 dictionaries', () => {
  it('are created with a name alone: 201 and the whole row', async () => {
    const { status, body } = await call('POST', '', { name: 'Brand names' });
    expect(status).toBe(201);
    expect(body).toEqual(dictionary);
    expect(body.created_at).toBe(body.updated_at);
    expect(await call('GET', `/${body.id}`)).toEqual({ status: 200, body });
    expect((await call('GET', '')).body.dictionaries).toContainEqual(body);
  });

  it('are listed as rows, in order of creation, nothing else', async () => {
    const fields = { name: 'Glossary', description: 'hi', language: 'de-DE' };
    const { body } = await call('POST', '', fields);
    const list = await call('GET', '?project_id=42');
    expect(list.status).toBe(200);
    expect(Object.keys(list.body)).toEqual(['dictionaries']);
    expect(list.body.dictionaries.at(-1)).toEqual({ ...dictionary, ...fields });
    const row = { ...dictionary, name: expect.any(String), description: expect.any(String) };
    for (const each of list.body.dictionaries.slice(0, -1)) {
      expect(each).toEqual({ ...row, language: expect.any(String), is_active: expect.any(Boolean) });
    }
    const ids = list.body.dictionaries.map(({ id }: { id: number }) => id);
    expect(ids).toEqual([1, 2, 3, body.id]);
  });

  it('update the given fields alone; null clears where null is a value', async () => {
    const id = await created({ name: 'Glossary', description: 'hi', language: 'en' });
    const path = `/${id}`;
    const glossary = { ...dictionary, name: 'Glossary', description: 'hi', language: 'en' };
    const off = { ...glossary, is_active: false };
    expect(await call('PATCH', path, { is_active: false })).toEqual({ status: 200, body: off });
    expect((await call('PATCH', path, { name: null, is_active: null })).body).toEqual(off);
    const cleared = { ...off, description: null, language: null };
    expect((await call('PATCH', path, { description: null, language: null })).body).toEqual(cleared);
    expect((await call('PATCH', path, { name: 'Glossary' })).status).toBe(200);
    expect((await call('PATCH', path, {})).body).toEqual(cleared);
  });

  it('are deleted with their entries, and their ids are not used again', async () => {
    const id = await created();
    const entryId = await added(id, 'a');
    expect(await call('DELETE', `/${id}`)).toEqual({ status: 200, body: { deleted: true } });
    expect(await call('GET', `/${id}`)).toEqual(missing('Dictionary not found'));
    expect(await call('DELETE', `/${id}`)).toEqual(missing('Dictionary not found'));
    const next = await created();
    expect(next).toBeGreaterThan(id);
    expect(await added(next, 'a')).toBeGreaterThan(entryId);
  });

  it.each([
    ['no name', {}, 'name: expected a string, got nothing'],
    ['a blank name', { name: ' ' }, 'name: expected at least 1 characters, got " "'],
    ['a long name', { name: 'a'.repeat(201) }, 'name: expected at most 200 characters, got 201'],
    ['a taken name', { name: 'Pirate' }, 'name: expected a name that no other dictionary has, got "Pirate"'],
    [
      'a long description',
      { name: 'a', description: 'a'.repeat(2001) },
      'description: expected at most 2000 characters, got 2001',
    ],
    [
      'a language in words',
      { name: 'a', language: 'in German' },
      'language: expected a language tag such as "en" or "de-DE", got "in German"',
    ],
    ['unknown fields', { name: 'a', is_active: true, b: 1 }, 'is_active, b: expected no such field, got one'],
    ['no object', [], 'expected a JSON object, got an array'],
    ['no JSON', '{', 'expected a JSON object, got text that is no JSON'],
  ])('a body with %s is refused', async (_, body, why) => {
    expect(await call('POST', '', body)).toEqual({ status: 400, body: refusal(`Invalid request: ${why}`) });
    expect((await call('GET', '')).body.dictionaries).toHaveLength(3);
  });

  it.each([
    ['PATCH', '/1', { name: 'Pirate' }, /^Invalid request: name: expected a name that no other/],
    ['PATCH', '/1', { project_id: 2 }, /^Invalid request: project_id: expected no such field, got one$/],
    ['PATCH', '/1', { is_active: 'no' }, /^Invalid request: is_active: expected true or false, got "no"$/],
    ['GET', '/one', undefined, /^Invalid request: dict_id: expected a whole number, got "one"$/],
    ['GET', '?project_id=one', undefined, /^project_id: expected a number, got "one"$/],
    ['GET', '/1/entries?limit=0', undefined, /^limit: expected at least 1, got "0"$/],
    ['GET', '/1/entries?limit=501', undefined, /^limit: expected at most 500, got "501"$/],
    ['GET', '/1/entries?offset=-1', undefined, /^offset: expected at least 0, got "-1"$/],
    ['GET', `/1/entries?search=${'a'.repeat(201)}`, undefined, /^search: expected at most 200 characters/],
  ])('%s %s %j is refused', async (method, path, body, why) => {
    const expected = { status: 400, body: refusal(expect.stringMatching(why)) };
    expect(await call(method, path, body)).toEqual(expected);
  });

  it(`are at most ${MAX_DICTIONARIES}`, async () => {
    for (let n = 3; n < MAX_DICTIONARIES; n += 1) await created({ name: `d${n}` });
    const why = `Invalid request: expected at most ${MAX_DICTIONARIES} dictionaries`;
    expect(await call('POST', '', { name: 'more' })).toEqual({ status: 400, body: refusal(why) });
    await call('DELETE', '/3');
    expect((await call('POST', '', { name: 'more' })).status).toBe(201);
  });

  it('invalidating their cache is not offered: 501', async () => {
    expect((await call('POST', '/1/invalidate')).status).toBe(501);
  });
});

describe('5 entries', () => {
  it('are added: 201 and the whole row', async () => {
    const id = await created();
    const { status, body } = await call('POST', `/${id}/entries`, {
      word: 'Postgres',
      replacement: 'post-gres',
    });
    expect(status).toBe(201);
    expect(body).toEqual({ ...entry, dictionary_id: id });
    const full = { word: 'Kugel', replacement: 'Koogel', ipa: 'ˈkuːɡl̩', case_sensitive: true };
    const second = (await call('POST', `/${id}/entries?project_id=42`, full)).body;
    expect(second).toEqual({ ...entry, ...full });
    expect(await call('GET', `/${id}/entries`)).toEqual({
      status: 200,
      body: { entries: [body, second], total: 2, limit: 100, offset: 0 },
    });
  });

  it('are searched by a part of the word without case, and come in pages', async () => {
    const id = await created();
    for (const word of ['Kubernetes', 'kubectl', 'Postgres', 'true', '12']) await added(id, word);
    const words = async (query: string) => {
      const { entries, ...page } = (await call('GET', `/${id}/entries?${query}`)).body;
      return [entries.map((each: { word: string }) => each.word), page];
    };
    expect(await words('search=KUB')).toEqual([
      ['Kubernetes', 'kubectl'],
      { total: 2, limit: 100, offset: 0 },
    ]);
    expect(await words('limit=2&offset=1')).toEqual([
      ['kubectl', 'Postgres'],
      { total: 5, limit: 2, offset: 1 },
    ]);
    expect((await words('search=true'))[0]).toEqual(['true']);
    expect((await words('search=12'))[0]).toEqual(['12']);
    expect(await words('offset=9')).toEqual([[], { total: 5, limit: 100, offset: 9 }]);
  });

  it('update the given fields alone; null clears the IPA', async () => {
    const id = await created();
    const path = `/${id}/entries/${await added(id, 'Kugel')}`;
    const before = { ...entry, word: 'Kugel', replacement: 'x' };
    const changed = { ...before, replacement: 'Koogel', ipa: 'ˈkuːɡl̩', case_sensitive: true };
    const changes = { replacement: 'Koogel', ipa: 'ˈkuːɡl̩', case_sensitive: true };
    expect(await call('PATCH', path, changes)).toEqual({ status: 200, body: changed });
    const nulls = { word: null, replacement: null, case_sensitive: null };
    expect((await call('PATCH', path, nulls)).body).toEqual(changed);
    expect((await call('PATCH', path, { ipa: null })).body).toEqual({ ...changed, ipa: null });
    expect((await call('PATCH', path, { word: 'Kugeln' })).body.word).toBe('Kugeln');
  });

  it('are deleted', async () => {
    const id = await created();
    const path = `/${id}/entries/${await added(id, 'a')}`;
    expect(await call('DELETE', path)).toEqual({ status: 200, body: { deleted: true } });
    expect(await call('DELETE', path)).toEqual(missing('Entry not found'));
    expect((await call('GET', `/${id}/entries`)).body.total).toBe(0);
  });

  it('are replaced all: words that are there keep their ids, the rest goes', async () => {
    const id = await created();
    const kept = await added(id, 'Postgres');
    for (const word of ['a', 'b', 'c']) await added(id, word);
    const entries = [
      { word: 'K8s', replacement: 'kubernetes' },
      { word: 'Postgres', replacement: 'post-gres' },
    ];
    const counts = { upserted: 2, deleted: 3, total: 2 };
    expect(await call('PUT', `/${id}/entries`, { entries })).toEqual({ status: 200, body: counts });
    const list = await call('GET', `/${id}/entries`);
    expect(list.body.entries).toEqual([
      { ...entry, id: kept },
      { ...entry, word: 'K8s', replacement: 'kubernetes' },
    ]);
    expect((await call('PUT', `/${id}/entries`, { entries })).body).toEqual({ ...counts, deleted: 0 });
    const none = { upserted: 0, deleted: 2, total: 0 };
    expect((await call('PUT', `/${id}/entries`, { entries: [] })).body).toEqual(none);
  });

  const nothing = { word: 'w', replacement: 'r' };
  it.each([
    ['POST', { word: 'w' }, 'replacement: expected a string, got nothing'],
    ['POST', { ...nothing, word: '\t' }, 'word: expected at least 1 characters, got "\\t"'],
    ['POST', { ...nothing, word: 'a'.repeat(201) }, 'word: expected at most 200 characters, got 201'],
    ['POST', { ...nothing, replacement: '' }, 'replacement: expected at least 1 characters, got ""'],
    [
      'POST',
      { ...nothing, replacement: 'a'.repeat(1001) },
      'replacement: expected at most 1000 characters, got 1001',
    ],
    ['POST', { ...nothing, ipa: 'a'.repeat(201) }, 'ipa: expected at most 200 characters, got 201'],
    ['POST', { ...nothing, case_sensitive: null }, 'case_sensitive: expected true or false, got null'],
    ['POST', { ...nothing, note: 1 }, 'note: expected no such field, got one'],
    [
      'POST',
      { ...nothing, word: 'nginx' },
      'word: expected a word that no other entry has, got that of entry 2',
    ],
    ['PUT', {}, 'entries: expected an array, got nothing'],
    ['PUT', { entries: [nothing, { word: 'v' }] }, 'entries.1.replacement: expected a string, got nothing'],
    ['PUT', { entries: [nothing, nothing] }, 'entries.1.word: expected each word once, got "w" again'],
    [
      'PUT',
      { entries: Array(MAX_ENTRIES + 1).fill(1) },
      `entries: expected at most ${MAX_ENTRIES} entries, got an array of ${MAX_ENTRIES + 1}`,
    ],
  ])('%s %j is refused and changes nothing', async (method, body, why) => {
    const before = await call('GET', '/1/entries');
    const expected = { status: 400, body: refusal(`Invalid request: ${why}`) };
    expect(await call(method, '/1/entries', body)).toEqual(expected);
    expect(await call('GET', '/1/entries')).toEqual(before);
  });

  it('a refusal names few of many faults', async () => {
    const { body } = await call('PUT', '/1/entries', { entries: Array(MAX_ENTRIES).fill(1) });
    expect(body.error.length).toBeLessThan(1000);
  });

  it(`are at most ${MAX_ENTRIES} in all dictionaries`, async () => {
    const id = await created();
    const entries = Array.from({ length: MAX_ENTRIES }, (_, n) => ({ word: `w${n}`, replacement: 'r' }));
    const full = { status: 400, body: refusal(expect.stringContaining(`at most ${MAX_ENTRIES} entries`)) };
    expect(await call('PUT', `/${id}/entries`, { entries })).toEqual(full);
    for (const seed of [1, 2, 3]) await call('DELETE', `/${seed}`);
    expect((await call('PUT', `/${id}/entries`, { entries })).body.total).toBe(MAX_ENTRIES);
    expect((await call('PUT', `/${id}/entries`, { entries })).status).toBe(200);
    expect(await call('POST', `/${id}/entries`, { word: 'one more', replacement: 'r' })).toEqual(full);
  });

  it.each([
    ['GET', '/99/entries', 'Dictionary not found'],
    ['DELETE', '/99/entries/1', 'Dictionary not found'],
    ['DELETE', '/1/entries/99', 'Entry not found'],
    ['DELETE', '/2/entries/1', 'Entry not found'],
  ])('%s %s: 404 %s', async (method, path, why) => {
    expect(await call(method, path)).toEqual(missing(why));
  });
});

describe('1.4 dictionaries in speech', () => {
  /** Words that the engine is to replace in a request to `POST /v1/tts/generate`. */
  const replaced = async (fields: object): Promise<string[]> => {
    await (
      await fetch(`${server.http}/kugel/v1/tts/generate`, {
        method: 'POST',
        headers: { Authorization: 'Bearer local' },
        body: JSON.stringify({ text: 'Hi', voice_id: 1071, ...fields }),
      })
    ).arrayBuffer();
    return (engine.requests.at(-1)?.pronunciations ?? []).map(({ word }) => word);
  };

  it('active ones apply by language, tags by their language, and the change is heard at once', async () => {
    for (const seed of [1, 2, 3]) await call('DELETE', `/${seed}`);
    const austrian = await created({ name: 'a', language: 'de-AT' });
    const any = await created({ name: 'b' });
    await added(austrian, 'Jänner');
    await added(any, 'Kugel');
    expect(await replaced({ language: 'de' })).toEqual(['Jänner', 'Kugel']);
    expect(await replaced({ language: 'en' })).toEqual(['Kugel']);
    await call('PATCH', `/${any}`, { is_active: false });
    expect(await replaced({ language: 'en' })).toEqual([]);
    expect(await replaced({ language: 'en', dictionary_ids: [any, austrian] })).toEqual(['Jänner', 'Kugel']);
    expect(await replaced({ language: 'de', dictionary_ids: [] })).toEqual([]);
    const { entries } = (await call('GET', `/${any}/entries`)).body;
    await call('PATCH', `/${any}/entries/${entries[0].id}`, { word: 'Ball' });
    expect(await replaced({ dictionary_ids: [any] })).toEqual(['Ball']);
  });

  it('a deleted one is unknown', async () => {
    const id = await created();
    await call('DELETE', `/${id}`);
    const response = await fetch(`${server.http}/kugel/v1/tts/generate`, {
      method: 'POST',
      headers: { Authorization: 'Bearer local' },
      body: JSON.stringify({ text: 'Hi', voice_id: 1071, dictionary_ids: [id] }),
    });
    expect(response.status).toBe(400);
    expect((await response.json()).error).toMatch(/^Invalid request: dictionary_ids: expected ids of/);
  });
});

describe('VOICEWIRE_DATA', () => {
  it('keeps dictionaries over a restart', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'voicewire-dictionaries-'));
    const start = () =>
      startTestServer({ engine, state: openMemoryState(join(directory, 'data.json'), expect.fail) });
    await server.stop();
    server = await start();
    const id = await created({ name: 'Glossary', language: 'de' });
    await added(id, 'Kugel');
    await call('DELETE', '/1');
    const before = [await call('GET', ''), await call('GET', `/${id}/entries`)];
    await server.stop();
    server = await start();
    expect([await call('GET', ''), await call('GET', `/${id}/entries`)]).toEqual(before);
    expect(await created({ name: 'next' })).toBeGreaterThan(id);
    await server.stop();
    await rm(directory, { recursive: true });
    server = await startTestServer({ engine });
  });
});
