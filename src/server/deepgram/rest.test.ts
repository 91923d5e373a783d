import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deepgram } from '#protocol/deepgram/endpoints.ts';
import { MODELS } from '#protocol/deepgram/wire/settings.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';

const TEXT = 'Hello from REST.';
const AURA = '/v1/speak?model=aura-2-thalia-en';
const FLUX = '/v2/speak?model=flux-alexis-en';
const RAW = '&encoding=linear16&container=none&sample_rate=16000';
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

const engine = createTestEngine();
let server: RunningServer;
let clock: FakeClock;

beforeAll(async () => {
  clock = createFakeClock();
  server = await startTestServer({ engine, clock });
});
afterAll(() => server.stop());

const LOCAL = { Authorization: 'Token local' };

/** A body makes it a POST, and an object JSON. */
function call(path: string, body?: unknown, headers: Record<string, string> = LOCAL): Promise<Response> {
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  return fetch(`${server.http}/deepgram${path}`, {
    headers: { ...(body !== undefined && !isText && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { method: 'POST', body: isText ? (body as string) : JSON.stringify(body) }),
  });
}
const read = async (path: string, body?: unknown, headers?: Record<string, string>) =>
  (await call(path, body, headers)).json();
const bytesOf = async (answer: Promise<Response>) => Buffer.from(await (await answer).arrayBuffer());

describe('speech', () => {
  it('deepgram-http-2 is audio with headers of the model', async () => {
    const answer = await call(AURA + RAW, { text: TEXT });
    expect(answer.status).toBe(200);
    // 10 ms a character.
    expect((await answer.arrayBuffer()).byteLength).toBe(TEXT.length * 320);
    const header = (name: string) => answer.headers.get(name);
    expect([header('content-type'), header('dg-model-name'), header('dg-char-count')]).toEqual([
      'audio/l16;rate=16000',
      'aura-2-thalia-en',
      `${TEXT.length}`,
    ]);
    expect([header('dg-model-uuid'), header('dg-request-id')]).toEqual([
      expect.stringMatching(UUID),
      expect.stringMatching(UUID),
    ]);
    expect(header('dg-error')).toBeNull();
  });

  it('deepgram-http-1 takes a plain text, and a body without a model', async () => {
    const answer = await call('/v1/speak', TEXT, { ...LOCAL, 'Content-Type': 'text/plain; charset=utf-8' });
    expect(answer.headers.get('dg-model-name')).toBe('aura-asteria-en');
    expect(engine.requests.at(-1)).toMatchObject({ text: TEXT, voice: { sex: 'female' }, language: 'en' });
    await answer.body?.cancel();
  });

  it.each([
    ['', 'audio/mpeg', 22_050],
    ['&encoding=mp3&bit_rate=32000', 'audio/mpeg', 22_050],
    ['&encoding=linear16', 'audio/wav', 24_000],
    ['&encoding=linear16&container=none', 'audio/l16;rate=24000', 24_000],
    ['&encoding=mulaw&container=none', 'audio/mulaw;rate=8000', 8000],
    ['&encoding=alaw&container=none&sample_rate=16000', 'audio/alaw;rate=16000', 16_000],
    ['&encoding=mulaw', 'audio/wav', 8000],
  ])('%s is %s', async (query, type, sampleRate) => {
    const answer = await call(AURA + query, { text: TEXT });
    expect(answer.headers.get('content-type')).toBe(type);
    expect(engine.requests.at(-1)?.sampleRate).toBe(sampleRate);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
  });

  it('deepgram-http-7 a file of WAV states a length beyond its own', async () => {
    const file = await bytesOf(call(`${AURA}&encoding=alaw`, { text: TEXT }));
    expect(file.subarray(0, 4).toString()).toBe('RIFF');
    expect([file.readUInt32LE(4), file.readUInt16LE(20), file.readUInt32LE(24)]).toEqual([
      0x7fff_ffff, 6, 8000,
    ]);
    expect(file.length - 44).toBe(TEXT.length * 80);
  });

  it('deepgram-http-9 Flux has a rate more, strips markup, and counts what is spoken', async () => {
    const answer = await call(`${FLUX}&encoding=linear16&container=none&sample_rate=44100&speed=0.5`, {
      text: '<emphasis>Hello</emphasis> there',
    });
    expect(answer.headers.get('dg-char-count')).toBe('11');
    expect(engine.requests.at(-1)).toMatchObject({ text: 'Hello there', sampleRate: 44_100, speed: 0.5 });
    await answer.body?.cancel();
  });

  it('deepgram-open-7 v1 ignores parameters that it does not know', async () => {
    expect((await call(`${AURA}&whatever=1`, { text: TEXT })).status).toBe(200);
  });
});

describe('errors', () => {
  const body = { text: TEXT };
  const key = (name: string) => ({ Authorization: `Token ${name}` });
  it.each<[number, string, string, unknown, Record<string, string>?]>([
    [401, 'INVALID_AUTH', AURA, body, {}],
    [401, 'INVALID_AUTH', AURA, body, key('wrong')],
    [401, 'INVALID_AUTH', AURA, body, { Authorization: 'Bearer local' }],
    [402, 'Payment Required', AURA, body, key('local-no-credits')],
    [429, 'Too Many Requests', AURA, body, key('local-rate-limited')],
    [503, 'Service Unavailable', AURA, body, key('local-busy')],
    [400, 'Bad Request', '/v1/speak?model=aura-2-nobody-en', body],
    [400, 'Bad Request', '/v1/speak?model=flux-alexis-en', body],
    [400, 'Bad Request', '/v2/speak?model=aura-2-thalia-en', body],
    [400, 'INVALID_QUERY_PARAMETER', '/v2/speak', body],
    [400, 'INVALID_QUERY_PARAMETER', `${FLUX}&whatever=1`, body],
    [400, 'INVALID_QUERY_PARAMETER', `${FLUX}&encoding=linear16&sample_rate=24000.0`, body],
    [400, 'INVALID_QUERY_PARAMETER', `${AURA}&speed=2`, body],
    [400, 'SPEED_OUT_OF_RANGE', `${FLUX}&speed=2`, body],
    [400, 'SPEED_INCREMENT_INVALID', `${FLUX}&speed=1.01`, body],
    [400, 'EXPRESSIVITY_OUT_OF_RANGE', `${FLUX}&expressivity=3`, body],
    [400, 'EXPRESSIVITY_INCREMENT_INVALID', `${FLUX}&expressivity=0.5`, body],
    [400, 'INVALID_QUERY_PARAMETER', `${AURA}&encoding=wav`, body],
    [400, 'INVALID_QUERY_PARAMETER', `${AURA}&encoding=opus`, body],
    [400, 'INVALID_QUERY_PARAMETER', `${AURA}&encoding=linear16&sample_rate=44100`, body],
    [400, 'INVALID_QUERY_PARAMETER', `${AURA}&encoding=mulaw&sample_rate=24000`, body],
    [400, 'INVALID_QUERY_PARAMETER', `${AURA}&container=wav`, body],
    [400, 'INVALID_QUERY_PARAMETER', `${AURA}&callback=http://127.0.0.1/`, body],
    [400, 'Bad Request', AURA, { text: ' ' }],
    [400, 'PAYLOAD_ERROR', AURA, { words: 'Hi' }],
    [400, 'PAYLOAD_ERROR', AURA, 'no JSON', { ...LOCAL, 'Content-Type': 'application/json' }],
    [400, 'PAYLOAD_ERROR', AURA, Uint8Array.of(0xff, 0xfe), { ...LOCAL, 'Content-Type': 'text/plain' }],
    [413, 'PAYLOAD_TOO_LARGE', AURA, { text: 'a'.repeat(2001) }],
    [413, 'PAYLOAD_TOO_LARGE', AURA, { text: 'a'.repeat(2_000_001) }],
    [
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      AURA,
      'text=Hi',
      { ...LOCAL, 'Content-Type': 'application/x-www-form-urlencoded' },
    ],
    [404, 'Not Found', '/v1/nothing', undefined],
    [405, 'Method Not Allowed', '/v1/speak', undefined],
  ])('%i %s for %s', async (status, code, path, sent, headers) => {
    const answer = await call(path, sent, headers);
    const error = await answer.json();
    expect([answer.status, error]).toEqual([
      status,
      { err_code: code, err_msg: expect.any(String), request_id: expect.stringMatching(UUID) },
    ]);
    expect(answer.headers.get('dg-error')).toBe(error.err_msg);
    expect(answer.headers.get('dg-request-id')).toBe(error.request_id);
  });

  it('an engine that fails before any audio is an error 500', async () => {
    engine.failNext();
    expect((await call(AURA, body)).status).toBe(500);
  });

  it('deepgram-limit-7 local-limited takes 15 calls at a time', async () => {
    engine.hold();
    const calls = Array.from({ length: 16 }, () => call(AURA + RAW, body, key('local-limited')));
    const first = await Promise.race(calls);
    expect(first.status).toBe(429);
    engine.release();
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(15);
  });
});

describe('models', () => {
  it('lists a model for each local voice and each published one of Aura without a key, and all of them speak', async () => {
    const { stt, tts } = await read('/v1/models', undefined, {});
    expect(stt).toEqual([]);
    const published = MODELS.filter(({ family }) => family === 'aura').map(({ id }) => id);
    const listed = tts.map((model: { canonical_name: string }) => model.canonical_name);
    expect(listed).toEqual(expect.arrayContaining(published));
    expect(listed.filter((id: string) => !published.includes(id) && id.startsWith('aura-'))).toHaveLength(
      LOCAL_CATALOGUE.all.length - Object.keys(deepgram.exampleVoices).length,
    );
    expect(tts).toContainEqual(
      expect.objectContaining({
        name: 'angus',
        canonical_name: 'aura-angus-en',
        architecture: 'aura',
        metadata: expect.objectContaining({ tags: expect.arrayContaining(['male']) }),
      }),
    );
    expect(tts[0]).toMatchObject({
      name: 'Marta',
      canonical_name: 'aura-2-thalia-en',
      languages: ['en'],
      uuid: expect.stringMatching(UUID),
      metadata: { sample: `${server.http}/deepgram/v1/models/aura-2-thalia-en/sample.wav` },
    });
    const ids: string[] = tts.map((model: { canonical_name: string }) => model.canonical_name);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('aura-2-zofia-pl');
    for (const id of ids) {
      const version = id.startsWith('flux') ? 'v2' : 'v1';
      const answer = await call(`/${version}/speak?model=${id}&encoding=mulaw&container=none`, {
        text: 'Hi',
      });
      expect([id, answer.status]).toEqual([id, 200]);
      await answer.body?.cancel();
      expect(engine.requests.at(-1)?.language).toBe(id.slice(id.lastIndexOf('-') + 1));
    }
  });

  it('a sample needs no key', async () => {
    const answer = await call('/v1/models/aura-2-thalia-en/sample.wav', undefined, {});
    expect(answer.headers.get('content-type')).toBe('audio/wav');
  });
});

describe('tokens', () => {
  it('deepgram-http-13 a grant opens calls until it expires, and makes no other one', async () => {
    const { access_token, expires_in } = await read('/v1/auth/grant', { ttl_seconds: 60 });
    expect(access_token).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(expires_in).toBe(60);
    const bearer = { Authorization: `bearer ${access_token}` };
    expect((await call('/v1/auth/token', undefined, bearer)).status).toBe(200);
    expect((await call('/v1/auth/grant', {}, bearer)).status).toBe(403);
    await clock.advance(59_999);
    expect((await call('/v1/auth/token', undefined, bearer)).status).toBe(200);
    await clock.advance(1);
    expect((await call('/v1/auth/token', undefined, bearer)).status).toBe(401);
  });

  it('deepgram-http-12 lasts 30 s unless said otherwise, at most an hour', async () => {
    expect(await read('/v1/auth/grant', {})).toMatchObject({ expires_in: 30 });
    const empty = await fetch(`${server.http}/deepgram/v1/auth/grant`, { method: 'POST', headers: LOCAL });
    expect(await empty.json()).toMatchObject({ expires_in: 30 });
    expect((await call('/v1/auth/grant', { ttl_seconds: 3601 })).status).toBe(400);
  });

  it('deepgram-http-14 tells whether a key is good', async () => {
    expect((await call('/v1/auth/token')).status).toBe(200);
    expect((await call('/v1/auth/token', undefined, { Authorization: 'token nobody' })).status).toBe(401);
  });
});

it('local-unpriced has no count of characters', async () => {
  const answer = await call(AURA, { text: TEXT }, { Authorization: 'Token local-unpriced' });
  expect(answer.headers.has('dg-char-count')).toBe(false);
  await answer.body?.cancel();
});
