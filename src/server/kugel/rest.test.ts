import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../running-server.ts';
import { createEspeakEngine } from '../speech/espeak/espeak-engine.ts';
import { VOICES } from '../speech/voices/voices.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';

let server: RunningServer;
let engine: TestEngine;

beforeAll(async () => {
  engine = createTestEngine();
  server = await startTestServer({ engine });
});
afterAll(() => server.stop());

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${server.http}/kugel${path}`, { ...init, headers: { 'X-API-Key': 'local', ...init.headers } });
const read = async (path: string) => (await ask(path)).json();

describe('5 voices', () => {
  it('come in pages of 20, and all of them over several', async () => {
    const first = await read('/v1/voices');
    expect(first).toMatchObject({ total: VOICES.length, limit: 20, offset: 0 });
    expect(first.voices).toHaveLength(20);
    const ids: number[] = [];
    for (let offset = 0; offset < VOICES.length; offset += 7) {
      const page = await read(`/v1/voices?limit=7&offset=${offset}`);
      ids.push(...page.voices.map((voice: { id: number }) => voice.id));
    }
    expect(ids).toEqual(VOICES.map((voice) => voice.id));
    expect((await read(`/v1/voices?offset=${VOICES.length}`)).voices).toEqual([]);
  });

  it('are filtered by language, category and ownership, and the total counts what fits', async () => {
    const german = await read('/v1/voices?language=de&limit=100');
    expect(german.total).toBe(VOICES.filter((voice) => voice.languages.includes('de')).length);
    expect(german.voices).toHaveLength(german.total);
    for (const voice of german.voices) expect(voice.supported_languages).toContain('de');
    expect(await read('/v1/voices?category=premade')).toMatchObject({ total: VOICES.length });
    expect(await read('/v1/voices?category=cloned')).toMatchObject({ voices: [], total: 0 });
    expect(await read('/v1/voices?include_public=false')).toMatchObject({ voices: [], total: 0 });
    expect(await read('/v1/voices?sdk=js')).toMatchObject({ total: VOICES.length });
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=ten',
    'limit=',
    'offset=-1',
    'offset=1.5',
    'language=de-DE',
    'category=mine',
    'include_public=maybe',
  ])('?%s is refused with 400, naming the field and what was expected', async (query) => {
    const response = await ask(`/v1/voices?${query}`);
    expect(response.status).toBe(400);
    const body = await response.json();
    expect(body).toMatchObject({ error_code: 'VALIDATION_ERROR', code: 400 });
    expect(body.error).toMatch(new RegExp(`^${query.split('=')[0]}: expected .+, got `));
  });

  const marta = {
    id: 1071,
    voice_id: 1071,
    handle: 'marta',
    public_id: 'marta',
    name: 'Marta',
    description: expect.any(String),
    category: 'premade',
    sex: 'female',
    age: 'middle_aged',
    quality: 'mid',
    supported_languages: ['en', 'de', 'fr'],
    sample_url: expect.stringMatching(/^http:\/\/.+\/kugel\/v1\/voices\/1071\/sample\.wav$/),
    avatar_url: null,
  };
  it('have every field of a list', async () => {
    expect((await read('/v1/voices')).voices[0]).toEqual(marta);
  });

  it.each(['1071', 'marta'])('one is found by number or handle, in detail: %s', async (idOrHandle) => {
    expect(await read(`/v1/voices/${idOrHandle}`)).toEqual({
      ...marta,
      is_public: true,
      verified: true,
      pending_verification: false,
      sample_text: expect.any(String),
      generative_voice_description: '',
    });
  });

  it.each(['nobody', '0', '%', '%2f'])('404 in the envelope for %s', async (idOrHandle) => {
    const response = await ask(`/v1/voices/${idOrHandle}`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: 'Voice not found', error_code: 'NOT_FOUND', code: 404 });
  });
});

describe('1.2 keys over HTTP', () => {
  it.each(['/v1/voices', '/v1/voices/1071', '/v1/dictionaries'])('%s wants one', async (path) => {
    const without = await fetch(`${server.http}/kugel${path}`);
    expect(without.status).toBe(401);
    expect(await without.json()).toEqual({ error: 'Unauthorized', error_code: 'UNAUTHORIZED', code: 401 });
    const wrong = await fetch(`${server.http}/kugel${path}?api_key=wrong`);
    expect(wrong.status).toBe(401);
    expect(await wrong.json()).toMatchObject({ error: 'Invalid API key' });
    expect((await fetch(`${server.http}/kugel${path}?api_key=local`)).status).toBe(200);
    expect((await ask(path, { headers: { 'X-API-Key': 'local-no-credits' } })).status).toBe(200);
  });
  it.each(['/v1/models', '/health', '/ready'])('%s wants none', async (path) => {
    expect((await fetch(`${server.http}/kugel${path}`)).status).toBe(200);
  });
});

describe('5 service calls', () => {
  it.each([
    ['/health', { status: 'healthy' }],
    ['/ready', { status: 'ready', model_path: 'espeak-ng', multi_model: false }],
    [
      '/v1/models',
      {
        models: [
          {
            id: 'kugel-3',
            model_id: 'kugel-3',
            name: 'Kugel 3',
            description: expect.any(String),
            parameters: null,
            max_input_length: 10_000,
            sample_rate: 24_000,
          },
        ],
      },
    ],
  ])('%s', async (path, expected) => {
    expect(await read(path)).toEqual(expected);
  });
});

describe('methods and origins', () => {
  it.each([
    ['POST', '/v1/models'],
    ['GET', '/v1/tts/generate'],
    ['POST', '/v1/voices/1071/references'],
    ['POST', '/v1/normalize'],
    ['GET', '/11labs/v1/voices'],
  ])('1.8 %s %s is not offered: 501', async (method, path) => {
    const response = await ask(path, { method });
    expect(response.status).toBe(501);
    expect(await response.json()).toMatchObject({ error_code: 'VALIDATION_ERROR', code: 501 });
  });

  it.each(['GET', 'POST'])('1.8 %s of an unknown path: 404', async (method) => {
    const response = await ask('/v1/nothing', { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error_code: 'NOT_FOUND', code: 404 });
  });

  it('1.3.7 every answer has a request id of its own', async () => {
    const ids = await Promise.all(
      ['/v1/voices', '/v1/nothing', '/health'].map(async (path) =>
        (await ask(path)).headers.get('x-request-id'),
      ),
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[0-9a-f-]{36}$/)));
  });

  it('a foreign page changes nothing', async () => {
    const response = await ask('/v1/tts/generate', {
      method: 'POST',
      headers: { Origin: 'https://evil.example.com' },
      body: '{}',
    });
    expect(response.status).toBe(403);
  });

  it('a page of this machine may read, another may not', async () => {
    const preflight = await ask('/v1/voices', {
      method: 'OPTIONS',
      headers: { Origin: 'http://localhost:5173' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('X-API-Key');
    const foreign = await ask('/v1/voices', { headers: { Origin: 'https://evil.example.com' } });
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    expect(foreign.headers.get('vary')?.split(', ')).toContain('Origin');
  });
});

describe('samples', () => {
  it('many who ask at once get one synthesis', async () => {
    const before = engine.requests.length;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${server.http}/kugel/v1/voices/1072/sample.wav`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(engine.requests.length - before).toBe(1);
  });

  it('a failed synthesis is not kept', async () => {
    engine.failNext();
    expect((await fetch(`${server.http}/kugel/v1/voices/268/sample.wav`)).status).toBe(500);
    expect((await fetch(`${server.http}/kugel/v1/voices/268/sample.wav`)).status).toBe(200);
  });

  it('a range can be requested', async () => {
    const url = `${server.http}/kugel/v1/voices/1071/sample.wav`;
    const part = await fetch(url, { headers: { Range: 'bytes=0-3' } });
    expect(part.status).toBe(206);
    expect(await part.text()).toBe('RIFF');
    expect((await fetch(url, { headers: { Range: 'bytes=99999999-' } })).status).toBe(416);
  });

  it('decision 10: the address in a voice plays, spoken by the real engine', async () => {
    const speaking = await startTestServer({ engine: await createEspeakEngine({ threads: 1 }) });
    const voice = await (await fetch(`${speaking.http}/kugel/v1/voices/1071?api_key=local`)).json();
    const response = await fetch(new URL(voice.sample_url, speaking.http));
    expect(response.headers.get('content-type')).toBe('audio/wav');
    const bytes = Buffer.from(await response.arrayBuffer());
    await speaking.stop();
    expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(bytes.readUInt32LE(24)).toBe(24_000);
    expect(bytes.readUInt32LE(40)).toBe(bytes.length - 44);
    const samples = new Int16Array(
      bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length),
    );
    expect(samples.length / 24_000).toBeGreaterThan(2);
    const rms = Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
    expect(rms).toBeGreaterThan(500);
  }, 30_000);
});
