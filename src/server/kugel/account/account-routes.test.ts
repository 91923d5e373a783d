import { describe, expect, it } from 'vitest';
import { issuesOf } from '#protocol/core/issue.ts';
import { Refused } from '../../rest.ts';
import { LOCAL_CATALOGUE } from '../../speech/voices/voice-catalogue.ts';
import { setUpAccountServer } from './account-server.test-helper.ts';
import { ACCOUNT_DICTIONARIES, DictionaryStore } from './dictionaries.ts';
import { accountVoices, VoiceStore } from './voice-store.ts';

/** The rules that voices, dictionaries and the entries of a dictionary share. */

const server = setUpAccountServer();
const SEED = ACCOUNT_DICTIONARIES.contentOf(ACCOUNT_DICTIONARIES.open(null));

interface Collection {
  what: string;
  path: string;
  /** The fewest fields, and the row that they make. */
  least: object;
  row: object;
  /** Changes of every field, and what becomes of them when all are set to null. */
  changes: object;
  cleared: object;
  deleted: { status: number; body: unknown };
  missing: string;
  refused: [why: string, body: unknown][];
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/);
const SAMPLE = /^http:\/\/127\.0\.0\.1:\d+\/kugel\/v1\/voices\/\d+\/sample\.wav\?v=\d$/;
const DELETED = { status: 200, body: { deleted: true } };
const SPOKEN = {
  description: 'A warm, conversational voice',
  generative_voice_description: 'warm',
  category: 'conversational',
  quality: 'high',
  supported_languages: ['de', 'en'],
  sample_text: 'Guten Tag.',
};

const tooLong = (field: string, limit: number, others: object = {}): [string, object] => [
  `${field}: expected at most ${limit} characters, got ${limit + 1}`,
  { ...others, [field]: 'a'.repeat(limit + 1) },
];
const badName = (field: string, others: object = {}): [string, object][] => [
  [`${field}: expected a string, got nothing`, others],
  [`${field}: expected at least 1 characters, got " "`, { ...others, [field]: ' ' }],
  tooLong(field, 200, others),
];
const A = { name: 'a' };
const ENTRY = { word: 'w', replacement: 'r' };

const COLLECTIONS: Collection[] = [
  {
    what: 'dictionaries',
    path: '/dictionaries',
    least: { name: 'Nora' },
    row: { project_id: 1, name: 'Nora', description: null, language: null, is_active: true },
    changes: { name: 'Glossary', description: 'hi', language: 'de-DE', is_active: false },
    cleared: { name: 'Glossary', description: null, language: null, is_active: false },
    deleted: DELETED,
    missing: 'Dictionary not found',
    refused: [
      ...badName('name'),
      tooLong('description', 2000, A),
      ['name: expected a name that no other dictionary has, got "Pirate"', { name: 'Pirate' }],
      [
        'language: expected a language tag such as "en" or "de-DE", got "in German"',
        { ...A, language: 'in German' },
      ],
      ['is_active, b: expected no such field, got one', { ...A, is_active: true, b: 1 }],
      ['expected a JSON object, got an array', []],
      ['expected a JSON object, got text that is no JSON', '{'],
    ],
  },
  {
    what: 'entries',
    path: '/dictionaries/1/entries',
    least: ENTRY,
    row: { dictionary_id: 1, ...ENTRY, ipa: null, case_sensitive: false },
    changes: { word: 'Kugel', replacement: 'Koogel', ipa: 'ˈkuːɡl̩', case_sensitive: true },
    cleared: { word: 'Kugel', replacement: 'Koogel', ipa: null, case_sensitive: true },
    deleted: DELETED,
    missing: 'Entry not found',
    refused: [
      ...badName('word', { replacement: 'r' }),
      ['replacement: expected a string, got nothing', { word: 'w' }],
      ['replacement: expected at least 1 characters, got ""', { ...ENTRY, replacement: '' }],
      tooLong('replacement', 1000, ENTRY),
      tooLong('ipa', 200, ENTRY),
      ['case_sensitive: expected true or false, got null', { ...ENTRY, case_sensitive: null }],
      ['word: expected a word that no other entry has, got that of entry 2', { ...ENTRY, word: 'nginx' }],
      ['note: expected no such field, got one', { ...ENTRY, note: 1 }],
    ],
  },
  {
    what: 'voices',
    path: '/voices',
    least: { name: 'Nora' },
    row: {
      voice_id: expect.any(Number),
      handle: 'nora',
      public_id: 'nora',
      name: 'Nora',
      description: '',
      generative_voice_description: '',
      supported_languages: ['en'],
      category: 'generated',
      age: null,
      sex: null,
      quality: 'mid',
      is_public: false,
      verified: false,
      pending_verification: false,
      sample_url: expect.stringMatching(SAMPLE),
      avatar_url: null,
      sample_text: '',
    },
    changes: { ...SPOKEN, name: 'My Custom Voice', sex: 'female', age: 'middle_age' },
    cleared: { ...SPOKEN, name: 'My Custom Voice', sex: null, age: null },
    deleted: { status: 204, body: null },
    missing: 'Voice not found',
    refused: [
      ...badName('name'),
      tooLong('sample_text', 2000, A),
      ['sex: expected one of "male", "female", "neutral", got "robot"', { ...A, sex: 'robot' }],
      ['age: expected one of "young", "middle_age", "middle_aged", "old", got "teen"', { ...A, age: 'teen' }],
      ['quality: expected one of "low", "mid", "high", got "best"', { ...A, quality: 'best' }],
      ['supported_languages: expected an array, got "en"', { ...A, supported_languages: 'en' }],
    ],
  },
];

describe.each(COLLECTIONS)(
  '5 $what',
  ({ what, path, least, changes, cleared, deleted, missing, refused, ...more }) => {
    const times = what === 'voices' ? {} : { created_at: TIME, updated_at: TIME };
    const row = { id: expect.any(Number), ...times, ...more.row };
    const gone = { status: 404, body: { error: missing, error_code: 'NOT_FOUND', code: 404 } };
    const listed = async (): Promise<{ id: number }[]> => (await server.read(`${path}?limit=100`))[what];
    const created = async (): Promise<{ id: number }> => (await server.call('POST', path, least)).body;

    it('are created with the fewest fields: 201 and the whole row, which is listed last', async () => {
      const { status, body } = await server.call('POST', path, least);
      expect([status, body]).toEqual([201, row]);
      expect(body).toMatchObject((await listed()).at(-1) ?? {});
    });

    it('update the given fields alone; null clears where null is a value', async () => {
      const one = `${path}/${(await created()).id}`;
      expect(await server.call('PATCH', one, changes)).toEqual({ status: 200, body: { ...row, ...changes } });
      const nulls = Object.fromEntries(Object.keys(changes).map((field) => [field, null]));
      expect((await server.call('PATCH', one, nulls)).body).toEqual({ ...row, ...cleared });
      expect((await server.call('PATCH', one, {})).body).toEqual({ ...row, ...cleared });
    });

    it('are deleted, and their ids are not used again', async () => {
      const { id } = await created();
      const before = await listed();
      expect(await server.call('DELETE', `${path}/${id}`)).toEqual(deleted);
      expect(await listed()).toEqual(before.slice(0, -1));
      expect(await server.call('DELETE', `${path}/${id}`)).toEqual(gone);
      expect(await server.call('PATCH', `${path}/${id}`, {})).toEqual(gone);
      expect((await created()).id).toBeGreaterThan(id);
    });

    it('are not created by a wrong body', async () => {
      const before = await listed();
      for (const [why, body] of refused) {
        const refusal = { error: `Invalid request: ${why}`, error_code: 'VALIDATION_ERROR', code: 400 };
        expect(await server.call('POST', path, body)).toEqual({ status: 400, body: refusal });
      }
      expect(await listed()).toEqual(before);
    });
  },
);

it.each([
  ['/dictionaries', 197, 'expected at most 200 dictionaries'],
  ['/voices', 100, 'expected at most 100 created voices'],
])('%s has room for %i more', async (path, room, why) => {
  const create = (name: string) => server.call('POST', path, { name });
  const answers = await Promise.all(Array.from({ length: room }, (_, n) => create(`n${n}`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  const error = `Invalid request: ${why}`;
  expect(await create('more')).toMatchObject({
    status: 400,
    body: { error, error_code: 'VALIDATION_ERROR' },
  });
  await server.call('DELETE', `${path}/${answers[0]?.body.id}`);
  expect((await create('more')).status).toBe(201);
});

it.each([
  ['/voices', 100],
  ['/dictionaries/1/entries', 500],
])('%s come in pages of up to %i; another query is refused, naming the field', async (path, most) => {
  expect(await server.read(`${path}?limit=${most}&offset=1`)).toMatchObject({ limit: most, offset: 1 });
  for (const [query, error] of [
    ['limit=0', 'limit: expected at least 1, got "0"'],
    [`limit=${most + 1}`, `limit: expected at most ${most}, got "${most + 1}"`],
    ['limit=ten', 'limit: expected a number, got "ten"'],
    ['limit=', 'limit: expected a number, got ""'],
    ['offset=-1', 'offset: expected at least 0, got "-1"'],
    ['offset=1.5', 'offset: expected a number, got "1.5"'],
  ]) {
    const body = { error, error_code: 'VALIDATION_ERROR', code: 400 };
    expect(await server.call('GET', `${path}?${query}`)).toEqual({ status: 400, body });
  }
});

it.each([
  ['kugel_voices', { last_id: -5, voices: [] }, 'last_id: expected at least 100000, got -5'],
  [
    'kugel_voices',
    { last_id: 2 ** 53 - 1, voices: [] },
    'last_id: expected at most 999999999, got 9007199254740991',
  ],
  [
    'kugel_dictionaries',
    { last_id: 0.5, last_entry_id: 0, dictionaries: [] },
    'last_id: expected a whole number, got 0.5',
  ],
  ['kugel_dictionaries', { last_id: 2 }, 'last_id: expected at least every id, and no id twice, got 2'],
  [
    'kugel_dictionaries',
    { last_entry_id: 3 },
    'last_entry_id: expected at least every id, and no id twice, got 3',
  ],
  ['kugel_dictionaries', { last_id: 1e9 }, 'last_id: expected at most 999999999, got 1000000000'],
])('content of %s with %j is refused', (name, changes, problem) => {
  const kinds = { kugel_voices: accountVoices(LOCAL_CATALOGUE), kugel_dictionaries: ACCOUNT_DICTIONARIES };
  const { schema } = kinds[name as keyof typeof kinds];
  const content = { ...(name === 'kugel_dictionaries' && SEED), ...changes };
  const { error } = schema.safeParse(content);
  const [issue] = error ? issuesOf(error, content) : [];
  expect(`${issue?.path}: expected ${issue?.expected}, got ${issue?.found}`).toBe(problem);
});

it('no id is used twice, also where there are no more', async () => {
  const voices = new VoiceStore({ last_id: 999_999_998, voices: [] }, LOCAL_CATALOGUE);
  expect(voices.create({ name: 'Last' }).id).toBe(999_999_999);
  expect(() => voices.create({ name: 'more' })).toThrow(Refused);
  const all = new DictionaryStore({
    ...SEED,
    last_id: 999_999_998,
    last_entry_id: 999_999_998,
  });
  const fields = { name: 'Last', description: null, language: null, is_active: true };
  expect(all.create(fields).id).toBe(999_999_999);
  expect(() => all.create({ ...fields, name: 'more' })).toThrow(Refused);
  const entry = { word: 'last', replacement: 'r', ipa: null, case_sensitive: false };
  expect(all.addEntry('1', entry).id).toBe(999_999_999);
  expect(() => all.addEntry('1', { ...entry, word: 'more' })).toThrow(Refused);
});
