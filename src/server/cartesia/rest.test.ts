import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wavData } from '#lib/wav.ts';
import { EXAMPLE_VOICES } from '#protocol/cartesia/endpoints.ts';
import { ENCODINGS } from '#protocol/cartesia/wire/settings.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.test-helper.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { VoiceIds } from '../speech/voices/voice-ids.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startCartesia } from './server.test-helper.ts';
import { audioOf, FORMAT, VOICE } from './session-world.test-helper.ts';
import { VOICE_IDS } from './voices.ts';

const SAMPLE_RATES = [8000, 16_000, 22_050, 24_000, 44_100, 48_000];

const TEXT = 'Hello from REST.';
const SPEECH = { model_id: 'sonic-3.6', voice: VOICE, transcript: TEXT, output_format: FORMAT };
const NEWEST = '2026-08-14';

const engine = createTestEngine();
let clock: FakeClock;
let server: Awaited<ReturnType<typeof startCartesia>>;

beforeAll(async () => {
  clock = createFakeClock();
  server = await startCartesia(engine, clock);
});
afterAll(() => server.stop());

interface Options {
  key?: string;
  version?: string;
  method?: string;
}

/** A body makes it a POST. */
const call = (
  path: string,
  body?: unknown,
  { key = 'local', version = NEWEST, method = body === undefined ? 'GET' : 'POST' }: Options = {},
) =>
  fetch(`${server.http}/cartesia${path}`, {
    method,
    headers: { 'X-API-Key': key, 'Cartesia-Version': version },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const read = async (path: string, body?: unknown, options: Options = {}) =>
  (await call(path, body, options)).json();

describe('version and key', () => {
  const plain = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${server.http}/cartesia${path}`, { headers });

  it.each<[string, string, Record<string, string>, number]>([
    ['cartesia-key-1 headers', '/voices', { 'X-API-Key': 'local', 'Cartesia-Version': NEWEST }, 200],
    [
      'cartesia-key-1 a bearer',
      '/voices',
      { Authorization: 'Bearer local', 'Cartesia-Version': NEWEST },
      200,
    ],
    ['cartesia-key-3 the query', `/voices?cartesia_version=${NEWEST}&api_key=local`, {}, 200],
    [
      'cartesia-connect-4 the version of the query wins',
      `/voices?cartesia_version=${NEWEST}`,
      { 'X-API-Key': 'local', 'Cartesia-Version': 'none' },
      200,
    ],
    [
      'cartesia-key-5 both headers, equal',
      '/voices',
      { 'X-API-Key': 'local', Authorization: 'Bearer local', 'Cartesia-Version': NEWEST },
      200,
    ],
    [
      'cartesia-key-5 both headers, different',
      '/voices',
      { 'X-API-Key': 'local', Authorization: 'Bearer local-busy', 'Cartesia-Version': NEWEST },
      401,
    ],
    ['cartesia-close-2 a wrong key', '/voices', { 'X-API-Key': 'wrong', 'Cartesia-Version': NEWEST }, 401],
    ['no key', '/voices', { 'Cartesia-Version': NEWEST }, 401],
    ['cartesia-connect-5 no version', '/voices', { 'X-API-Key': 'local' }, 400],
    [
      'cartesia-connect-6 an unknown version',
      '/voices',
      { 'X-API-Key': 'local', 'Cartesia-Version': '2020-01-01' },
      404,
    ],
    ['cartesia-http-7 none of both', '/', {}, 200],
  ])('%s', async (_, path, headers, status) => {
    expect((await plain(path, headers)).status).toBe(status);
  });

  it('cartesia-http-7 says the version', async () => {
    expect(await read('/')).toEqual({ ok: true, version: NEWEST });
  });

  it('cartesia-connect-6 an unknown version has a text for an answer', async () => {
    const answer = await call('/voices', undefined, { version: '2020-01-01' });
    expect(await answer.text()).toBe('No API schema exists for the requested Cartesia-Version');
  });

  it.each([
    ['2025-11-04', 'text/plain; charset=UTF-8'],
    ['2026-03-01', 'application/json'],
  ])('cartesia-error-3 errors of %s are %s', async (version, type) => {
    const answers = [
      await call('/voices', undefined, { version, key: 'wrong' }),
      await call('/nothing', undefined, { version }),
      await call('/tts/bytes', undefined, { version, method: 'DELETE' }),
      await call('/tts/bytes', [], { version }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 405, 400]);
    for (const answer of answers) {
      expect(answer.headers.get('content-type')).toBe(type);
      const body = await answer.text();
      if (type.startsWith('text')) expect(body).toMatch(/^[A-Z][\w ]+: \S/);
      else {
        expect(JSON.parse(body)).toEqual({
          error_code: expect.stringMatching(/^\w+$/),
          title: expect.any(String),
          message: expect.any(String),
          request_id: answer.headers.get('x-request-id'),
        });
      }
    }
  });
});

describe('tokens', () => {
  it('cartesia-http-6 a token works for calls until it expires, and makes no other one', async () => {
    const { token } = await read('/access-token', { grants: { tts: true }, expires_in: 60 });
    const options = { key: token };
    expect(token).toMatch(/^eyJ/);
    expect((await call('/tts/bytes', SPEECH, options)).status).toBe(200);
    expect((await call('/access-token', { grants: { tts: true } }, options)).status).toBe(401);
    await clock.advance(59_999);
    expect((await call('/voices', undefined, options)).status).toBe(200);
    await clock.advance(1);
    expect((await call('/voices', undefined, options)).status).toBe(401);
  });

  it.each([
    ['a token for other services opens nothing', { grants: { stt: true } }, 200],
    ['a life of more than an hour is refused', { grants: { tts: true }, expires_in: 3601 }, 400],
  ])('cartesia-http-6 %s', async (_, body, status) => {
    const answer = await call('/access-token', body);
    expect(answer.status).toBe(status);
    const { token = 'none' } = await answer.json();
    expect((await call('/voices', undefined, { key: token })).status).toBe(401);
  });
});

describe('bytes', () => {
  const bytes = async (output_format: object): Promise<Buffer> =>
    Buffer.from(await (await call('/tts/bytes', { ...SPEECH, output_format })).arrayBuffer());

  it.each(ENCODINGS.flatMap((encoding) => SAMPLE_RATES.map((rate) => [encoding, rate] as const)))(
    'cartesia-http-1 %s at %i, raw and as WAV',
    async (encoding, sample_rate) => {
      const bytesPerSample = { pcm_s16le: 2, pcm_f32le: 4, pcm_mulaw: 1, pcm_alaw: 1 }[encoding];
      const raw = await bytes({ container: 'raw', encoding, sample_rate });
      expect(raw.length).toBe(((TEXT.length * sample_rate) / 100) * bytesPerSample);
      const wav = await bytes({ container: 'wav', encoding, sample_rate });
      expect(wavData(wav)).toEqual({ data: wav.subarray(44) });
      expect(wav.subarray(44).equals(raw)).toBe(true);
      expect([wav.readUInt32LE(24), wav.readUInt16LE(32)]).toEqual([sample_rate, bytesPerSample]);
    },
  );

  it.each(SAMPLE_RATES.flatMap((rate) => [32_000, 192_000].map((bits) => [rate, bits] as const)))(
    'cartesia-http-10 MP3 at %i with %i bits a second',
    async (sample_rate, bit_rate) => {
      const mp3 = await bytes({ container: 'mp3', encoding: 'mp3', sample_rate, bit_rate });
      expect(mp3).toEqual(await bytes({ container: 'mp3', sample_rate, bit_rate }));
      expect(mp3.readUInt16BE() & 0xffe0).toBe(0xffe0);
    },
  );

  it('speaks with the settings of the body', async () => {
    const delivery = { generation_config: { speed: 0.9 }, normalization: 'off', language: 'de-DE' };
    await (await call('/tts/bytes', { ...SPEECH, ...delivery })).arrayBuffer();
    expect(engine.requests.at(-1)).toMatchObject({
      speed: 0.9,
      normalize: false,
      language: 'de',
      voice: { handle: 'grace' },
    });
  });

  it.each<[string, object, number, string]>([
    ['no voice', { ...SPEECH, voice: undefined }, 400, 'invalid_request'],
    ['an unknown voice', { ...SPEECH, voice: 'nobody' }, 404, 'voice_not_found'],
    ['an unknown model', { ...SPEECH, model_id: 'sonic-9' }, 400, 'model_not_found'],
    ['no words', { ...SPEECH, transcript: '…' }, 400, 'invalid_transcript'],
    ['a bit rate of none', { ...SPEECH, output_format: { ...FORMAT, bit_rate: 1 } }, 400, 'invalid_request'],
  ])('refuses %s', async (_, body, status, error_code) => {
    const answer = await call('/tts/bytes', body);
    expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining({ error_code })]);
  });

  it.each([
    [new Error('broken'), 500, 'internal_error'],
    [new EngineBusyError('busy'), 503, 'service_unavailable'],
  ])('an engine that fails: %s', async (error, status, error_code) => {
    engine.failNext(error);
    const answer = await call('/tts/bytes', SPEECH);
    expect([answer.status, await answer.json()]).toEqual([status, expect.objectContaining({ error_code })]);
  });
});

describe('events', () => {
  const eventsOf = async (body: object, options?: Options) => {
    const answer = await call('/tts/sse', body, options);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    return (await answer.text())
      .trim()
      .split('\n\n')
      .map((line) => JSON.parse(line.replace(/^data: /, '')));
  };

  it('cartesia-http-2 chunks, words and done, with the context of the body', async () => {
    const transcript = `${TEXT} `.repeat(20);
    const frames = await eventsOf({ ...SPEECH, transcript, context_id: 'mine', add_timestamps: true });
    expect(audioOf(frames.filter(({ type }) => type === 'chunk')).length).toBe(transcript.length * 480);
    const words = frames.flatMap(({ word_timestamps }) => word_timestamps?.words ?? []);
    expect(words.join(' ')).toBe(transcript.trim());
    expect(frames.at(-1)).toEqual({ type: 'done', context_id: 'mine', status_code: 206, done: true });
    expect(new Set(frames.map(({ context_id }) => context_id))).toEqual(new Set(['mine']));
    expect(frames[0]).not.toHaveProperty('flush_id');
  });

  it('cartesia-http-2 a failure of the engine is an event', async () => {
    engine.failNext();
    expect(await eventsOf(SPEECH)).toEqual([
      expect.objectContaining({ type: 'error', status_code: 500, done: true, error_code: 'internal_error' }),
    ]);
  });

  it('cartesia-http-2 raw audio alone', async () => {
    const answer = await call('/tts/sse', { ...SPEECH, output_format: { ...FORMAT, container: 'wav' } });
    expect(answer.status).toBe(400);
  });
});

describe('documented keys', () => {
  it.each([
    ['local', 200],
    ['local-unpriced', 200],
    ['local-limited', 200],
    ['local-no-credits', 402],
    ['local-rate-limited', 429],
    ['local-busy', 503],
  ])('%s: speech answers %i, and lists work', async (key, status) => {
    const answer = await call('/tts/bytes', SPEECH, { key });
    expect([answer.status, (await call('/voices', undefined, { key })).status]).toEqual([status, 200]);
    await answer.body?.cancel();
  });

  it('cartesia-limit-3 two calls at a time with local-limited', async () => {
    engine.hold();
    const key = 'local-limited';
    const running = [call('/tts/sse', SPEECH, { key }), call('/tts/sse', SPEECH, { key })];
    for (const answer of await Promise.all(running)) expect(answer.status).toBe(200);
    expect((await call('/tts/sse', SPEECH, { key })).status).toBe(429);
    engine.release();
    for (const answer of await Promise.all(running)) await answer.text();
    // A refused call gives its place back.
    const wav = { ...SPEECH, output_format: { ...SPEECH.output_format, container: 'wav' } };
    for (let refused = 0; refused < 2; refused += 1)
      expect((await call('/tts/sse', wav, { key })).status).toBe(400);
    expect((await call('/tts/sse', SPEECH, { key })).status).toBe(200);
  });
});

describe('voices', () => {
  const { all } = new VoiceIds(LOCAL_CATALOGUE, VOICE_IDS);

  it('cartesia-http-3 pages forwards and backwards', async () => {
    const pages: string[][] = [];
    let next = '';
    do {
      const page = await read(`/voices?limit=7${next && `&starting_after=${next}`}`);
      pages.push(page.data.map(({ id }: { id: string }) => id));
      expect(page.has_more).toBe(page.next_page !== null);
      next = page.next_page;
    } while (next);
    expect(new Set(pages.flat()).size).toBe(all.length);
    expect(pages.flat().every((id) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id))).toBe(true);
    expect(pages.slice(0, -1).every(({ length }) => length === 7)).toBe(true);
    const back = await read(`/voices?limit=7&ending_before=${pages[2]?.[0]}`);
    expect([back.data.map(({ id }: { id: string }) => id), back.has_more]).toEqual([pages[1], true]);
    const first = await read(`/voices?limit=7&ending_before=${back.next_page}`);
    expect([first.data.map(({ id }: { id: string }) => id), first.next_page]).toEqual([pages[0], null]);
  });

  it.each<[string, (voice: (typeof all)[number]) => boolean]>([
    // The local voice that speaks under her id.
    ['q=grace', ({ name }) => name === 'Katie'],
    ['q=katie', ({ name }) => name === 'Katie'],
    [`q=${VOICE}`, ({ name }) => name === 'Katie'],
    ['gender=feminine', ({ sex }) => sex === 'female'],
    ['language=de', ({ languages }) => languages[0] === 'de'],
    ['language=de_DE&gender=masculine', ({ languages, sex }) => languages[0] === 'de' && sex === 'male'],
    ['is_owner=true', () => false],
  ])('cartesia-http-3 filters by %s', async (query, isMember) => {
    const { data } = await read(`/voices?limit=100&${query}`);
    expect(data.map(({ name }: { name: string }) => name)).toEqual(
      all.filter(isMember).map(({ name }) => name),
    );
  });

  it.each(['limit=0', 'limit=101', 'starting_after=nobody'])('cartesia-http-3 refuses %s', async (query) => {
    expect((await call(`/voices?${query}`)).status).toBe(400);
  });

  it('cartesia-http-4 one voice, by version', async () => {
    const common = { id: VOICE, name: 'Katie', is_owner: false, language: 'en', gender: 'feminine' };
    const latest = { access: 'public', visibility: 'all', tagline: '', accents: [] };
    const locales = [{ locale: 'en-US', is_native: true }];
    expect(await read(`/voices/${VOICE}`)).toMatchObject({ ...common, ...latest, locales });
    const old = await read(`/voices/${VOICE}`, undefined, { version: '2026-03-01' });
    expect(old).toMatchObject({ ...common, is_public: true });
    expect(old).not.toHaveProperty('access');
    const bare = await read('/voices', undefined, { version: '2024-06-10' });
    expect(bare).toHaveLength(all.length);
  });

  it.each([
    ['2025-04-16', 400],
    ['2026-03-01', 404],
  ])('cartesia-http-5 an unknown voice at %s answers %i', async (version, status) => {
    expect((await call('/voices/nobody', undefined, { version })).status).toBe(status);
  });

  it('a preview, where it is asked for, needs no key', async () => {
    const { preview_file_url: address } = await read(`/voices/${VOICE}?expand[]=preview_file_url`);
    expect(address).toBe(`${server.http}/cartesia/voices/${VOICE}/preview.wav`);
    expect((await fetch(address)).headers.get('content-type')).toBe('audio/wav');
    expect(await read(`/voices/${VOICE}`)).not.toHaveProperty('preview_file_url');
  });

  it('ids of example voices that are not public are made from their handles', () => {
    const { Hans, Walter } = EXAMPLE_VOICES;
    const made = ['hans', 'walter'].map((handle) =>
      VOICE_IDS.form(createHash('sha256').update(handle).digest()),
    );
    expect(made).toEqual([Hans, Walter]);
  });

  it.each([
    ['British Lady', 'feminine', '79a125e8-cd45-4c13-8a67-188112f4dd22'],
    ['Caroline', 'feminine', 'f9836c6e-a0bd-460e-9d3c-f7299fa60f94'],
    ['Greg', 'masculine', 'a0e99841-438c-4a64-b679-ae501e7d6091'],
    ['Sarah', 'feminine', '694f9389-aac1-45b6-b726-9d9369183238'],
    ['Eden', 'gender_neutral', '83ae58a1-7e97-4b94-b03f-e4cc0a10d8af'],
  ])(
    'cartesia-voice-1 the public voice %s is %s, found by its name, and speaks',
    async (name, gender, id) => {
      const { data } = await read(`/voices?q=${encodeURIComponent(name)}`);
      expect(data).toContainEqual(expect.objectContaining({ id, name, gender, language: 'en' }));
      const answer = await call('/tts/bytes', { ...SPEECH, voice: { mode: 'id', id } });
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    },
  );

  it('cartesia-http-5 local voices have no accents', async () => {
    expect(await read('/accents')).toEqual({ accents: [] });
  });
});

it.each(['/tts/bytes', '/tts/sse'])(
  '%s takes a transcript of 20,000 characters, and no longer one',
  async (path) => {
    const transcript = `${'word '.repeat(3999)}words`;
    const taken = await call(path, { ...SPEECH, transcript });
    await taken.body?.cancel();
    expect(taken.status).toBe(200);
    const refused = await call(path, { ...SPEECH, transcript: `${transcript}.` });
    expect([refused.status, (await refused.json()).message]).toEqual([
      400,
      'transcript: expected at most 20000 characters, got 20001',
    ]);
    const named = await call(path, { ...SPEECH, context_id: 'x'.repeat(257) });
    expect([named.status, (await named.json()).message]).toEqual([
      400,
      'context_id: expected at most 256 characters, got 257',
    ]);
  },
);
