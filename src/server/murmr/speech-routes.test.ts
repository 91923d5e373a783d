import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { MAX_GENERATIONS_PER_MINUTE, MAX_REQUESTS_PER_KEY, SLOTS_OCCUPIED } from './access.ts';
import { RealtimeClient } from './realtime-client.test-helper.ts';
import { AUTHENTICATION_MS } from './realtime-session.ts';
import { eventsIn, type RestWorld, startRestWorld } from './rest-client.test-helper.ts';
import { firstVoices } from './saved-voices.ts';
import { KEEP_ALIVE_MS } from './speech-events.ts';
import { promptOf } from './voice-prompt.ts';

const FIRST_VOICES = firstVoices(LOCAL_CATALOGUE);

let world: RestWorld;
let call: RestWorld['call'];

beforeAll(async () => {
  world = await startRestWorld();
  call = world.call;
});
afterAll(() => world.server.stop());
beforeEach(() => {
  world.engine.requests.length = 0;
});

const TEXT = 'Welcome back to episode 2 of our podcast.';
const DESIGN = { text: TEXT, voice_description: 'A warm female voice', language: 'English' };
const [SAVED] = FIRST_VOICES;
const SPEECH = { text: TEXT, voice: SAVED?.id };
/** The test engine speaks a character in 10 ms. */
const DURATION_MS = TEXT.length * 10;
const SAMPLES = DURATION_MS * 24;
const SSE = { Accept: 'text/event-stream' };

const CALLS = [
  ['/v1/voices/design', DESIGN],
  ['/v1/voices/design/stream', DESIGN],
  ['/v1/audio/speech', SPEECH],
  ['/v1/audio/speech/stream', SPEECH],
] as const;

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('7 whole recordings', () => {
  it.each([
    ['/v1/voices/design', DESIGN],
    ['/v1/audio/speech', SPEECH],
  ])('%s answers with a file and its length', async (path, body) => {
    const response = await call(path, { ...body, response_format: 'wav' });
    expect(response.status).toBe(200);
    const bytes = await bytesOf(response);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'audio/wav',
      'content-length': String(bytes.length),
      'cache-control': 'no-store',
      'x-audio-duration-ms': String(DURATION_MS),
      'x-total-time-ms': '0',
    });
    expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(bytes.readUInt32LE(24)).toBe(24_000);
    expect(bytes.readUInt32LE(40)).toBe(2 * SAMPLES);
    expect(bytes.length).toBe(44 + 2 * SAMPLES);
    expect(bytes.readInt16LE(44)).toBe(1000);
  });

  it('pcm is the samples alone', async () => {
    const response = await call('/v1/audio/speech', { ...SPEECH, response_format: 'pcm' });
    expect(response.headers.get('content-type')).toBe('audio/pcm');
    const bytes = await bytesOf(response);
    expect(bytes.length).toBe(2 * SAMPLES);
    expect(bytes.readInt16LE(0)).toBe(1000);
  });

  it.each([undefined, null, 'mp3'])('response_format %s gives mp3 of 128 kbit/s', async (response_format) => {
    const response = await call('/v1/voices/design', { ...DESIGN, response_format });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    const bytes = await bytesOf(response);
    // Sync word, MPEG-2, layer III, no CRC; 128 kbit/s at 24 kHz; mono.
    expect(bytes.readUInt16BE(0)).toBe(0xfff3);
    expect(bytes.readUInt8(2) & 0xfc).toBe(0xc4);
    expect(bytes.readUInt8(3) >> 6).toBe(3);
    expect(bytes.length / 16).toBeGreaterThan(DURATION_MS);
    expect(bytes.length / 16).toBeLessThan(DURATION_MS + 150);
  });

  it.each(['opus', 'aac', 'flac'])('%s has no encoder here: 501', async (response_format) => {
    const response = await call('/v1/audio/speech', { ...SPEECH, response_format });
    expect(response.status).toBe(501);
    expect((await response.json()).error).toContain(response_format);
    expect(world.engine.requests).toEqual([]);
  });

  it('a busy engine is 503 with a time to retry', async () => {
    world.engine.failNext(new EngineBusyError('busy'));
    const response = await call('/v1/audio/speech', SPEECH);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toEqual({ error: SLOTS_OCCUPIED.message });
  });

  it('a failed engine is a bad gateway', async () => {
    world.engine.failNext();
    const response = await call('/v1/audio/speech', SPEECH);
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });
});

describe('7 server-sent events', () => {
  it.each([
    ['/v1/voices/design/stream', DESIGN, 'voicedesign', {}],
    ['/v1/voices/design', DESIGN, 'voicedesign', SSE],
    ['/v1/audio/speech/stream', SPEECH, 'voice_clone', {}],
    ['/v1/audio/speech/stream', SPEECH, 'voice_clone', SSE],
  ])('%s has the fields of the documentation', async (path, body, mode, headers) => {
    const response = await call(path, body, headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events = eventsIn(await response.text()) as Record<string, unknown>[];
    const chunks = events.slice(0, -1);
    for (const [index, chunk] of chunks.entries()) {
      expect(chunk).toEqual({
        chunk: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
        chunk_index: index,
        sample_rate: 24_000,
        format: 'pcm_s16le',
        mode,
        first_chunk_latency_ms: 0,
      });
    }
    expect(events.at(-1)).toEqual({
      done: true,
      total_chunks: chunks.length,
      total_time_ms: 0,
      first_chunk_latency_ms: 0,
      sample_rate: 24_000,
    });
    const pcm = Buffer.concat(chunks.map(({ chunk }) => Buffer.from(String(chunk), 'base64')));
    expect(pcm.length).toBe(2 * SAMPLES);
  });

  it('a busy engine ends them with the words of the vendor', async () => {
    world.engine.failNext(new EngineBusyError('busy'));
    const response = await call('/v1/audio/speech/stream', SPEECH);
    expect(eventsIn(await response.text())).toEqual([{ error: SLOTS_OCCUPIED.message, done: true }]);
  });

  it('a failed engine ends them with an error', async () => {
    world.engine.failNext();
    const response = await call('/v1/audio/speech/stream', SPEECH);
    expect(eventsIn(await response.text())).toEqual([{ error: expect.any(String), done: true }]);
  });

  it('silence is filled with a comment every 15 seconds', async () => {
    world.engine.hold();
    const response = await call('/v1/audio/speech/stream', SPEECH);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await settle();
    await world.clock.advance(KEEP_ALIVE_MS);
    expect(await reader?.read()).toEqual({ done: false, value: ': keepalive\n\n' });
    await settle();
    await world.clock.advance(KEEP_ALIVE_MS);
    expect(await reader?.read()).toEqual({ done: false, value: ': keepalive\n\n' });
    world.engine.release();
    let rest = '';
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) rest += part.value;
    const events = eventsIn(rest) as Record<string, unknown>[];
    expect(events[0]).toMatchObject({ chunk_index: 0, first_chunk_latency_ms: 2 * KEEP_ALIVE_MS });
    expect(events.at(-1)).toMatchObject({ done: true, total_time_ms: 2 * KEEP_ALIVE_MS });
  });
});

describe('7 what is spoken, and by whom', () => {
  it.each(CALLS)('%s accepts input for text, and text wins', async (path, body) => {
    await (await call(path, { ...body, text: undefined, input: 'From OpenAI' })).arrayBuffer();
    await (await call(path, { ...body, text: null, input: 'From OpenAI' })).arrayBuffer();
    await (await call(path, { ...body, text: 'Mine', input: 'x'.repeat(5000) })).arrayBuffer();
    expect(world.engine.requests.map(({ text }) => text)).toEqual(['From OpenAI', 'From OpenAI', 'Mine']);
    expect(world.engine.requests.map(({ markup }) => markup)).toEqual(Array(3).fill('newlines'));
  });

  it('a prompt speaks as its voice does, and wins over the id', async () => {
    const prompt = SAVED ? promptOf(SAVED.cloned) : '';
    for (const voice of [
      { voice: SAVED?.id },
      { voice_clone_prompt: prompt },
      { voice: 'inline', voice_clone_prompt: prompt },
    ]) {
      await (await call('/v1/audio/speech', { text: TEXT, ...voice, response_format: 'pcm' })).arrayBuffer();
    }
    for (const { voice } of world.engine.requests) expect({ catalogue: voice }).toEqual(SAVED?.cloned);
  });

  it('the language is the named one; any other name or a code means detection', async () => {
    for (const language of ['German', 'Auto', 'de', undefined]) {
      await (await call('/v1/voices/design', { ...DESIGN, language })).arrayBuffer();
    }
    expect(world.engine.requests.map(({ language }) => language)).toEqual(['de', 'en', 'en', 'en']);
  });

  it("ignores OpenAI's other fields", async () => {
    const response = await call('/v1/audio/speech', { ...SPEECH, model: 'tts-1', speed: 1.5, extra: [] });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });
});

describe('7 bad requests', () => {
  it.each<[string, object | string, number, RegExp]>([
    [
      '/v1/voices/design',
      { ...DESIGN, text: undefined },
      400,
      /^text: expected a text to speak, got nothing$/,
    ],
    ['/v1/voices/design/stream', { ...DESIGN, text: ' \n' }, 400, /^text: expected a text to speak/],
    [
      '/v1/audio/speech',
      { ...SPEECH, text: 'x'.repeat(4097) },
      400,
      /^text: expected at most 4096 .*, got 4097$/,
    ],
    ['/v1/audio/speech', { voice: SAVED?.id, input: 'x'.repeat(4097) }, 400, /^input: expected at most 4096/],
    ['/v1/audio/speech', { ...SPEECH, text: 7 }, 400, /^text: expected a string, got 7$/],
    ['/v1/voices/design', { text: TEXT }, 400, /^voice_description: expected a string, got nothing$/],
    ['/v1/voices/design', { ...DESIGN, voice_description: ' ' }, 400, /^voice_description: expected a desc/],
    ['/v1/voices/design', { ...DESIGN, voice_description: 'x'.repeat(501) }, 400, /at most 500 .*, got 501$/],
    [
      '/v1/voices/design',
      { ...DESIGN, response_format: 'ogg' },
      400,
      /^response_format: expected one of "mp3", /,
    ],
    ['/v1/audio/speech', { text: TEXT }, 400, /^voice: expected the id of a saved voice/],
    ['/v1/audio/speech', { ...SPEECH, voice_clone_prompt: '?' }, 400, /^voice_clone_prompt: expected base64/],
    [
      '/v1/audio/speech/stream',
      { ...SPEECH, voice_clone_prompt: 'AAAA' },
      400,
      /^voice_clone_prompt: .*3 bytes/,
    ],
    [
      '/v1/audio/speech',
      { ...SPEECH, webhook_url: 'http://a.com' },
      400,
      /^webhook_url: expected an https address/,
    ],
    [
      '/v1/audio/speech',
      { ...SPEECH, webhook_url: 'https://10.0.0.1/' },
      400,
      /^webhook_url: expected a host on/,
    ],
    ['/v1/audio/speech', { ...SPEECH, voice: 'alloy' }, 404, /^Saved voice not found: alloy$/],
    ['/v1/audio/speech', '{', 400, /^expected a JSON object/],
    ['/v1/audio/speech', '[]', 400, /^expected a JSON object/],
  ])('%s %o: %i', async (path, body, status, error) => {
    const response = await call(path, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.stringMatching(error) });
    expect(world.engine.requests).toEqual([]);
  });
});

describe('7 keys', () => {
  const withKey = (key: string, [path, body]: readonly [string, object] = CALLS[2]) =>
    call(path, body, { Authorization: `Bearer ${key}` });

  it.each(CALLS)('%s without a good key: 401', async (path, body) => {
    for (const Authorization of ['', 'Bearer wrong', 'local']) {
      const response = await call(path, body, { Authorization });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: expect.stringMatching(/API key/) });
    }
  });

  it.each(CALLS)('%s with exhausted credits: 429', async (...each) => {
    const response = await withKey('local-no-credits', each);
    expect(response.status).toBe(429);
    expect(await response.json()).toEqual({ error: 'Usage limit exceeded.' });
  });

  it.each(CALLS)('%s over the limit: 429 with its figures', async (...each) => {
    const response = await withKey('local-rate-limited', each);
    expect(response.status).toBe(429);
    expect(await response.json()).toEqual({
      error: {
        type: 'rate_limit_exceeded',
        message: 'Maximum 10 concurrent requests. Retry when a current request completes.',
        concurrent_limit: 10,
        concurrent_active: 10,
      },
    });
    expect(response.headers.get('x-concurrent-limit')).toBe('10');
    expect(response.headers.get('x-concurrent-active')).toBe('10');
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it.each(CALLS)('%s of a busy server: 503 and when to retry', async (...each) => {
    const response = await withKey('local-busy', each);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });

  it('a limited key has 10 requests at a time, and a place is free when one ends', async () => {
    world.engine.hold();
    const running = Array.from({ length: MAX_REQUESTS_PER_KEY }, () =>
      withKey('local-limited', ['/v1/audio/speech/stream', SPEECH]),
    );
    const answers = await Promise.all(running);
    const refused = await withKey('local-limited');
    expect(refused.status).toBe(429);
    expect((await refused.json()).error).toMatchObject({ concurrent_limit: 10, concurrent_active: 10 });
    world.engine.release();
    await Promise.all(answers.map((answer) => answer.text()));
    await settle();
    const admitted = await withKey('local-limited');
    expect(admitted.status).toBe(200);
    await admitted.arrayBuffer();
  });

  it('100 generations a minute are counted together with those of the socket', async () => {
    // 11 have been admitted above.
    for (let count = MAX_REQUESTS_PER_KEY + 1; count < MAX_GENERATIONS_PER_MINUTE; count += 1) {
      const response = await withKey('local-limited');
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      await settle();
    }
    const refused = await withKey('local-limited');
    expect(refused.status).toBe(429);
    expect((await refused.json()).error).toMatchObject({
      type: 'rate_limit_exceeded',
      message: expect.stringContaining('100 generations a minute'),
      concurrent_limit: 10,
      concurrent_active: 0,
    });
    const socket = await new RealtimeClient(world.server).send(
      { type: 'config', api_key: 'local-limited', voice_description: 'warm' },
      { type: 'text', text: 'Hello' },
      { type: 'flush' },
    );
    await socket.until('config_ack');
    await world.clock.advance(AUTHENTICATION_MS);
    await socket.until('error');
    expect(socket.of('error')).toMatchObject([{ code: 4004 }]);
    socket.done();
  });
});

it('200 mixed calls at once are all answered, and nothing runs on', async () => {
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const [path, body] = CALLS[index % CALLS.length] ?? CALLS[0];
      const response = await call(path, body);
      return { status: response.status, bytes: (await bytesOf(response)).length };
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200));
  expect(new Set(answers.map(({ bytes }) => bytes)).size).toBeLessThanOrEqual(CALLS.length);
  await world.running(0);
});

it('7 every answer has the quota of its key, after the call', async () => {
  const quotaOf = (response: Response) =>
    ['limit', 'remaining', 'reset'].map((name) => response.headers.get(`x-ratelimit-${name}`));
  const [, before] = quotaOf(await call('/v1/voices'));
  const spoken = await call('/v1/audio/speech/stream', SPEECH);
  await spoken.text();
  const after = `${Number(before) - TEXT.length}`;
  expect(quotaOf(spoken)).toEqual(['10000000', after, '1970-02-01T00:00:00.000Z']);
  const refused = await call('/v1/audio/speech', {});
  expect([refused.status, quotaOf(refused)[1]]).toEqual([400, after]);
});

describe('a client that leaves', () => {
  it.each(CALLS)('ends the synthesis of %s', async (path, body) => {
    const leave = new AbortController();
    world.engine.hold();
    const answer = fetch(`${world.server.http}/murmr${path}`, {
      method: 'POST',
      headers: { Authorization: 'Bearer local' },
      body: JSON.stringify(body),
      signal: leave.signal,
    }).then((response) => response.text());
    await world.running(1);
    leave.abort();
    await expect(answer).rejects.toThrow();
    await world.running(0);
    world.engine.release();
  });
});
