import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { settle } from '../fake-clock.test-helper.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { LOCAL_CATALOGUE } from '../speech/voices/voice-catalogue.ts';
import { openMemoryState } from '../state/memory-state.ts';
import { StateUnavailable } from '../state/state.ts';
import { RealtimeClient } from './realtime-client.test-helper.ts';
import { eventsIn, type RestWorld, startRestWorld } from './rest-client.test-helper.ts';
import { promptOf } from './voice-choice.ts';

let world: RestWorld;
let call: RestWorld['call'];

beforeAll(async () => {
  world = await startRestWorld();
  call = world.call;
});
afterAll(() => world.server.stop());
beforeEach(() => {
  world.engine.release();
  world.engine.requests.length = 0;
});

const TEXT = 'Welcome back to episode 2 of our podcast.';
const DESIGN = { text: TEXT, voice_description: 'A warm female voice', language: 'English' };
/** The first saved voice. */
const SPEECH = { text: TEXT, voice: 'voice_7c1e09d4ab35' };
const WALTER = LOCAL_CATALOGUE.find('walter');
/** The test engine speaks a character in 10 ms. */
const DURATION_MS = TEXT.length * 10;
const SAMPLES = DURATION_MS * 24;
const SSE = { Accept: 'text/event-stream' };
const BUSY = { error: 'All slots occupied, try again shortly' };
const FAILED = { error: 'Speech generation failed' };

const CALLS = [
  ['/v1/voices/design', DESIGN],
  ['/v1/voices/design/stream', DESIGN],
  ['/v1/audio/speech', SPEECH],
  ['/v1/audio/speech/stream', SPEECH],
] as const;

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('whole recordings', () => {
  it.each([
    ['/v1/voices/design', DESIGN, 'wav', 44],
    ['/v1/audio/speech', SPEECH, 'pcm', 0],
  ])('%s answers with a file and its length', async (path, body, response_format, headBytes) => {
    const response = await call(path, { ...body, response_format });
    expect(response.status).toBe(200);
    const bytes = await bytesOf(response);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': `audio/${response_format}`,
      'content-length': String(bytes.length),
      'cache-control': 'no-store',
      'x-audio-duration-ms': String(DURATION_MS),
      'x-total-time-ms': '0',
    });
    expect(bytes.length).toBe(headBytes + 2 * SAMPLES);
    expect(bytes.readInt16LE(headBytes)).toBe(1000);
    if (headBytes === 0) return;
    expect(bytes.toString('latin1', 0, 4)).toBe('RIFF');
    expect(bytes.readUInt32LE(24)).toBe(24_000);
    expect(bytes.readUInt32LE(40)).toBe(2 * SAMPLES);
  });

  it.each([undefined, null, 'mp3'])('response_format %s gives whole mp3 frames', async (response_format) => {
    const response = await call('/v1/voices/design', { ...DESIGN, response_format });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    const bytes = await bytesOf(response);
    let frames = 0;
    let at = 0;
    while (at < bytes.length) {
      // Sync word, MPEG-2, layer III, no CRC; 128 kbit/s at 24 kHz; mono.
      expect(bytes.readUInt16BE(at)).toBe(0xfff3);
      expect(bytes.readUInt8(at + 2) & 0xfc).toBe(0xc4);
      expect(bytes.readUInt8(at + 3) >> 6).toBe(3);
      // A frame of 576 samples takes 384 bytes and perhaps one of padding.
      at += 384 + ((bytes.readUInt8(at + 2) >> 1) & 1);
      frames += 1;
    }
    expect(at).toBe(bytes.length);
    expect(frames * 24).toBeGreaterThan(DURATION_MS);
    expect(frames * 24).toBeLessThan(DURATION_MS + 150);
  });

  it.each(['opus', 'aac', 'flac'])('%s has no encoder here: 501', async (response_format) => {
    const response = await call('/v1/audio/speech', { ...SPEECH, response_format });
    expect(response.status).toBe(501);
    expect((await response.json()).error).toContain(response_format);
    expect(world.engine.requests).toEqual([]);
  });

  it.each([
    ['busy engine is 503 with a time to retry', new EngineBusyError('busy'), 503, '5', BUSY],
    ['failed engine is a bad gateway', new Error('broken'), 502, null, FAILED],
  ])('a %s', async (_, failure, status, retryAfter, body) => {
    world.engine.failNext(failure);
    const response = await call('/v1/audio/speech', SPEECH);
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect(await response.json()).toEqual(body);
  });
});

describe('server-sent events', () => {
  it.each([
    ['/v1/voices/design/stream', DESIGN, 'voicedesign', {}],
    ['/v1/voices/design', DESIGN, 'voicedesign', SSE],
    ['/v1/audio/speech/stream', SPEECH, 'voice_clone', {}],
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

  it.each([
    ['busy', new EngineBusyError('busy'), BUSY],
    ['failed', new Error('broken'), FAILED],
  ])('a %s engine ends them with an error', async (_, failure, error) => {
    world.engine.failNext(failure);
    const response = await call('/v1/audio/speech/stream', SPEECH);
    expect(eventsIn(await response.text())).toEqual([{ ...error, done: true }]);
  });

  it('silence is filled with a comment every 15 seconds', async () => {
    world.engine.hold();
    const response = await call('/v1/audio/speech/stream', SPEECH);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let count = 0; count < 2; count += 1) {
      await settle();
      await world.clock.advance(15_000);
      expect(await reader?.read()).toEqual({ done: false, value: ': keepalive\n\n' });
    }
    world.engine.release();
    let rest = '';
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) rest += part.value;
    const events = eventsIn(rest) as Record<string, unknown>[];
    expect(events[0]).toMatchObject({ chunk_index: 0, first_chunk_latency_ms: 30_000 });
    expect(events.at(-1)).toMatchObject({ done: true, total_time_ms: 30_000 });
  });
});

describe('what is spoken, and by whom', () => {
  it.each(CALLS)('%s accepts input for text, and text wins', async (path, body) => {
    await (await call(path, { ...body, text: undefined, input: 'From OpenAI' })).arrayBuffer();
    await (await call(path, { ...body, text: null, input: 'From OpenAI' })).arrayBuffer();
    await (await call(path, { ...body, text: 'Mine', input: 'x'.repeat(5000) })).arrayBuffer();
    expect(world.engine.requests.map(({ text }) => text)).toEqual(['From OpenAI', 'From OpenAI', 'Mine']);
    expect(world.engine.requests.map(({ markup }) => markup)).toEqual(Array(3).fill('newlines'));
  });

  it('a prompt speaks as its voice does, and wins over the id', async () => {
    const prompt = WALTER ? promptOf({ catalogue: WALTER }) : '';
    for (const voice of [
      { voice: SPEECH.voice },
      { voice_clone_prompt: prompt },
      { voice: 'inline', voice_clone_prompt: prompt },
    ]) {
      await (await call('/v1/audio/speech', { text: TEXT, ...voice, response_format: 'pcm' })).arrayBuffer();
    }
    expect(world.engine.requests.map(({ voice }) => voice)).toEqual([WALTER, WALTER, WALTER]);
  });

  it('the language is the named one; any other name or a code means detection', async () => {
    for (const language of ['German', 'Auto', 'de', undefined]) {
      await (await call('/v1/voices/design', { ...DESIGN, language })).arrayBuffer();
    }
    expect(world.engine.requests.map(({ language }) => language)).toEqual(['de', 'en', 'en', 'en']);
  });
});

describe('bad requests', () => {
  const AT_SPEECH = '/v1/audio/speech';
  const AT_DESIGN = '/v1/voices/design';

  it.each<[string, object | string, number, RegExp]>([
    [AT_DESIGN, { ...DESIGN, text: undefined }, 400, /^text: expected a text to speak, got nothing$/],
    [`${AT_DESIGN}/stream`, { ...DESIGN, text: ' \n' }, 400, /^text: expected a text to speak/],
    [AT_SPEECH, { ...SPEECH, text: 'x'.repeat(4097) }, 400, /^text: expected at most 4096 .*, got 4097$/],
    [AT_SPEECH, { voice: SPEECH.voice, input: 'x'.repeat(4097) }, 400, /^input: expected at most 4096/],
    [AT_SPEECH, { ...SPEECH, text: 7 }, 400, /^text: expected a string, got 7$/],
    [AT_DESIGN, { text: TEXT }, 400, /^voice_description: expected a string, got nothing$/],
    [AT_DESIGN, { ...DESIGN, voice_description: ' ' }, 400, /^voice_description: expected a desc/],
    [AT_DESIGN, { ...DESIGN, voice_description: 'x'.repeat(501) }, 400, /at most 500 .*, got 501$/],
    [AT_DESIGN, { ...DESIGN, response_format: 'ogg' }, 400, /^response_format: expected one of "mp3", /],
    [AT_SPEECH, { text: TEXT }, 400, /^voice: expected the id of a saved voice/],
    [AT_SPEECH, { ...SPEECH, voice_clone_prompt: '?' }, 400, /^voice_clone_prompt: expected base64/],
    [`${AT_SPEECH}/stream`, { ...SPEECH, voice_clone_prompt: 'AAAA' }, 400, /^voice_clone_prompt: .*3 bytes/],
    [AT_SPEECH, { ...SPEECH, webhook_url: 'http://a.com' }, 400, /^webhook_url: expected an https address/],
    [AT_SPEECH, { ...SPEECH, voice: 'alloy' }, 404, /^Saved voice not found: alloy$/],
    [AT_SPEECH, '{', 400, /^expected a JSON object/],
  ])('%s %o: %i', async (path, body, status, error) => {
    const response = await call(path, body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error: expect.stringMatching(error) });
    expect(world.engine.requests).toEqual([]);
  });
});

describe('keys', () => {
  const withKey = (key: string, [path, body]: readonly [string, object] = CALLS[2]) =>
    call(path, body, { Authorization: `Bearer ${key}` });

  it.each(CALLS)('%s is refused by the condition of the key', async (...each) => {
    for (const [key, status, body, retries] of [
      ['wrong', 401, { error: 'Invalid API key' }, false],
      ['local-no-credits', 429, { error: 'Usage limit exceeded.' }, false],
      ['local-busy', 503, BUSY, true],
      [
        'local-rate-limited',
        429,
        {
          error: {
            type: 'rate_limit_exceeded',
            message: 'Maximum 10 concurrent requests. Retry when a current request completes.',
            concurrent_limit: 10,
            concurrent_active: 10,
          },
        },
        true,
      ],
    ] as const) {
      const response = await withKey(key, each);
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual(body);
      expect(response.headers.get('retry-after')).toEqual(retries ? expect.stringMatching(/^\d+$/) : null);
      const figure = key === 'local-rate-limited' ? '10' : null;
      expect(response.headers.get('x-concurrent-limit')).toBe(figure);
      expect(response.headers.get('x-concurrent-active')).toBe(figure);
    }
  });

  it("OpenAI's package lists a model, speaks, and throws its own errors", async () => {
    const clientOf = (apiKey: string) =>
      new OpenAI({ apiKey, baseURL: `${world.server.http}/murmr/v1`, maxRetries: 0 });
    const ask = (apiKey: string, stream_format?: 'audio' | 'sse') =>
      clientOf(apiKey).audio.speech.create({
        model: 'tts-1',
        voice: SPEECH.voice,
        input: TEXT,
        speed: 1.5,
        response_format: 'pcm',
        ...(stream_format && { stream_format }),
      });
    const { data } = await clientOf('local').models.list();
    expect(data).toEqual([{ id: 'murmr', object: 'model', created: 0, owned_by: 'murmr' }]);
    expect((await bytesOf(await ask('local', 'audio'))).length).toBe(2 * SAMPLES);
    await expect(ask('local', 'sse')).rejects.toThrow(/^400 .*stream_format: expected .*speech\/stream/);
    expect((await bytesOf(await ask('local'))).length).toBe(2 * SAMPLES);
    await expect(ask('wrong')).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(ask('local-rate-limited')).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(ask('local-busy')).rejects.toThrow('All slots occupied');
  });

  it('a limited key has 10 requests at a time, and 100 a minute together with those of the socket', async () => {
    world.engine.hold();
    const running = Array.from({ length: 10 }, () => withKey('local-limited', CALLS[3]));
    const answers = await Promise.all(running);
    const tenRun = await withKey('local-limited');
    expect(tenRun.status).toBe(429);
    expect((await tenRun.json()).error).toMatchObject({ concurrent_limit: 10, concurrent_active: 10 });
    world.engine.release();
    await Promise.all(answers.map((answer) => answer.text()));

    const socket = await new RealtimeClient(world.server).send(
      { type: 'config', api_key: 'local-limited', voice_description: 'warm' },
      ...Array.from({ length: 90 }, () => [{ type: 'text', text: 'x' }, { type: 'flush' }]).flat(),
    );
    await socket.until('config_ack');
    await world.clock.advance(200);
    await socket.until('done', 90);
    const hundredSpoken = await withKey('local-limited');
    expect(hundredSpoken.status).toBe(429);
    expect((await hundredSpoken.json()).error).toMatchObject({
      type: 'rate_limit_exceeded',
      message: expect.stringContaining('100 generations a minute'),
      concurrent_limit: 10,
      concurrent_active: 0,
    });
    await socket.send({ type: 'text', text: 'x' }, { type: 'flush' });
    await socket.until('error');
    expect(socket.of('error')).toMatchObject([{ code: 4004 }]);
    socket.done();
  });

  it('a limited key is refused for a while where its calls cannot be counted, and keeps no place', async () => {
    const state = openMemoryState();
    const unreachable = async () => Promise.reject(new StateUnavailable('away'));
    const limited = { Authorization: 'Bearer local-limited' };
    const places = openMemoryState().places;
    for (const broken of [{ places: { take: unreachable } }, { places, slidingWindow: () => unreachable }]) {
      const away = await startRestWorld({ state: { ...state, ...broken } });
      const [path, body] = CALLS[2];
      const response = await away.call(path, body, limited);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await response.json()).toEqual({ error: 'Limits cannot be checked now, try again shortly' });
      await away.server.stop();
    }
    const wanted = { kind: 'murmr-requests', name: 'local-limited', limit: 1 };
    expect(await places.take([wanted])).toHaveProperty('leave');
  });
});

it('40 mixed calls at once are all answered, and nothing runs on', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const [path, body] = CALLS[index % CALLS.length] ?? CALLS[0];
      const response = await call(path, body);
      return { status: response.status, bytes: (await bytesOf(response)).length };
    }),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
  expect(new Set(answers.map(({ bytes }) => bytes)).size).toBeLessThanOrEqual(CALLS.length);
  await world.running(0);
});

it('every answer has the quota of its key, after the call', async () => {
  const quotaOf = (response: Response) =>
    ['limit', 'remaining', 'reset'].map((name) => response.headers.get(`x-ratelimit-${name}`));
  const [, before] = quotaOf(await call('/v1/voices'));
  const spoken = await call('/v1/audio/speech/stream', SPEECH);
  await spoken.text();
  const after = `${Number(before) - TEXT.length}`;
  expect(quotaOf(spoken)).toEqual(['10000000', after, '1970-02-01T00:00:00.000Z']);
  // The Free plan, and it is spent.
  const poor = await call('/v1/voices', undefined, { Authorization: 'Bearer local-no-credits' });
  expect(quotaOf(poor).slice(0, 2)).toEqual(['50000', '0']);
  const refused = await call('/v1/audio/speech', {});
  expect([refused.status, quotaOf(refused)[1]]).toEqual([400, after]);
});

it.each(CALLS)('a client that leaves ends the synthesis of %s', async (path, body) => {
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
});
