import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeClock, type FakeClock, settle } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import type { RunningServer } from '../running-server.ts';
import { type Engine, EngineBusyError } from '../speech/engine.ts';
import { createTestEngine, type TestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';

let server: RunningServer;
let engine: TestEngine;
const logged: string[] = [];
const log = createLog('info', { write: (line) => logged.push(line) });

beforeAll(async () => {
  engine = createTestEngine();
  server = await startTestServer({ engine, log });
});
afterAll(() => server.stop());
beforeEach(() => {
  logged.length = 0;
});

const post = (body: unknown, { path = '/v1/tts/generate', key = 'local', at = server } = {}) =>
  fetch(`${at.http}/kugel${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const UNREAD_MS = 5 * 60_000;
const REQUEST = { text: 'Hello, world.', voice_id: 1071 };

describe('5 POST /v1/tts/generate', () => {
  it.each<[string, object, string, string, string, number]>([
    ['default', {}, 'audio/pcm', '24000', 'pcm_s16le', 6240],
    ['sample_rate', { sample_rate: 8000 }, 'audio/pcm', '8000', 'pcm_s16le', 2080],
    ['ulaw_8000', { output_format: 'ulaw_8000' }, 'audio/basic', '8000', 'mulaw', 1040],
    ['alaw_8000', { output_format: 'alaw_8000' }, 'audio/basic', '8000', 'alaw', 1040],
    ['pcm_16000', { output_format: 'pcm_16000' }, 'audio/pcm', '16000', 'pcm_s16le', 4160],
  ])('%s: body and headers', async (_, config, type, rate, encoding, bytes) => {
    const response = await post({ ...REQUEST, ...config });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': type,
      'x-sample-rate': rate,
      'x-audio-format': encoding,
      'x-kugelaudio-ai-generated': 'true',
      'x-request-id': expect.any(String),
    });
    expect((await response.arrayBuffer()).byteLength).toBe(bytes);
  });

  it('at /predict too, with model, project_id, and null where the schema has it nullable', async () => {
    const nulls = { language: null, model_id: null, output_format: null, dictionary_ids: null };
    const body = { ...REQUEST, ...nulls, model: 'kugel-2', project_id: 3 };
    expect((await post(body, { path: '/predict' })).status).toBe(200);
  });

  const INVALID = [400, 'VALIDATION_ERROR'] as const;
  it.each<[string, unknown, number, string, RegExp]>([
    ['no JSON', '{', ...INVALID, /JSON object/],
    ['no text', { voice_id: 1071 }, ...INVALID, /text: expected a string/],
    ['blank text', { ...REQUEST, text: ' ' }, ...INVALID, /text/],
    ['text over the limit', { ...REQUEST, text: 'x'.repeat(10_001) }, ...INVALID, /10000/],
    ['no voice', { text: 'Hi' }, 400, 'MISSING_VOICE_ID', /voice_id is required/],
    ['an unknown voice', { ...REQUEST, voice_id: 9 }, 404, 'NOT_FOUND', /Voice not found/],
    ['dictionaries without their project', { ...REQUEST, dictionary_ids: [3] }, ...INVALID, /project_id/],
    ['an unknown dictionary', { ...REQUEST, project_id: 1, dictionary_ids: [99] }, ...INVALID, /99/],
    [
      'formats that disagree',
      { ...REQUEST, output_format: 'ulaw_8000', sample_rate: 16_000 },
      ...INVALID,
      /sample_rate/,
    ],
    ['word_timestamps', { ...REQUEST, word_timestamps: true }, ...INVALID, /word_timestamps/],
    ['speaker_prefix', { ...REQUEST, speaker_prefix: true }, ...INVALID, /speaker_prefix/],
    ['speed out of range', { ...REQUEST, speed: 2 }, ...INVALID, /speed/],
  ])('%s is refused', async (_, body, code, error_code, why) => {
    const response = await post(body);
    const refusal = { error: expect.stringMatching(why), error_code, code };
    expect([response.status, await response.json()]).toEqual([code, refusal]);
  });

  it.each<[string, number, string, string | null, Error?]>([
    ['wrong', 401, 'UNAUTHORIZED', null],
    ['local-no-credits', 402, 'INSUFFICIENT_CREDITS', null],
    ['local-rate-limited', 429, 'RATE_LIMITED', '5'],
    ['local-busy', 503, 'MODEL_UNAVAILABLE', '5'],
    ['local', 503, 'MODEL_UNAVAILABLE', '5', new EngineBusyError('busy')],
    ['local', 500, 'INTERNAL_ERROR', null, new Error('the engine broke')],
  ])('key %s: %i, %s, Retry-After %s, after %s', async (key, code, error_code, retryAfter, failure) => {
    if (failure) engine.failNext(failure);
    const response = await post(REQUEST, { key });
    expect([response.status, response.headers.get('retry-after')]).toEqual([code, retryAfter]);
    expect(await response.json()).toEqual({ error: expect.any(String), error_code, code });
  });

  it('a failure is logged without its message', async () => {
    engine.failNext();
    expect(await (await post(REQUEST)).json()).toMatchObject({ error: 'Audio generation failed' });
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'generation failed', error: 'Error', at: expect.any(Array) },
    ]);
    expect(logged.join()).not.toContain('the engine broke');
  });

  it('requests of one client share one place at the engine', async () => {
    const before = engine.requests.length;
    await Promise.all(Array.from({ length: 3 }, async () => (await post(REQUEST)).arrayBuffer()));
    const shares = engine.requests.slice(before);
    expect(new Set(shares.map(({ session }) => session)).size).toBe(1);
    expect(new Set(shares.map(({ context }) => context)).size).toBe(3);
  });
});

describe('the client decides the pace', () => {
  let endless: EndlessEngine;
  let slow: RunningServer;
  let clock: FakeClock;

  beforeAll(async () => {
    endless = createEndlessEngine();
    clock = createFakeClock();
    slow = await startTestServer({ engine: endless, clock, log });
  });
  afterAll(() => slow.stop());

  /** Begins a request and does not read its answer. */
  const begin = async (): Promise<{ response: IncomingMessage; leave: () => void }> => {
    const sent = request(`${slow.http}/kugel/v1/tts/generate`, {
      method: 'POST',
      headers: { Authorization: 'Bearer local' },
    });
    sent.on('error', () => {});
    sent.end(JSON.stringify(REQUEST));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    return { response, leave: () => sent.destroy() };
  };

  it('makes no more than the sockets hold for a client that does not read', async () => {
    const { leave } = await begin();
    let before = -1;
    while (endless.blocks > before) {
      before = endless.blocks;
      await settle();
    }
    // The buffers of both sockets take some megabytes.
    expect(endless.blocks * BLOCK_BYTES).toBeLessThan(32 * 1024 * 1024);
    leave();
    await endless.idle();
  });

  it('gets all of its audio when the server shuts down meanwhile, and later clients get 503', async () => {
    const engine = createTestEngine();
    const leaving = await startTestServer({ engine });
    engine.hold();
    const ask = () => post(REQUEST, { at: leaving });
    const answer = ask();
    while (engine.requests.length === 0) await settle();
    const stopped = leaving.application.shutDown();
    expect((await ask()).status).toBe(503);
    engine.release();
    expect((await (await answer).arrayBuffer()).byteLength).toBe(6240);
    await stopped;
    await leaving.stop();
  });

  it('gets audio while the rest is not made yet, and stops the synthesis when it leaves', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, begin));
    for (const { response } of clients) await once(response, 'data');
    expect(endless.running).toBe(10);
    for (const { leave } of clients) leave();
    await endless.idle();
    expect(logged).toEqual([]);
  });

  it('is cut when it reads nothing for five minutes', async () => {
    const { response } = await begin();
    while (endless.running > 0) await clock.advance(UNREAD_MS);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'answer cut' }]);
    response.resume();
    await closed(response);
    expect(response.complete).toBe(false);
  });

  it('is not cut while it reads', async () => {
    const { response, leave } = await begin();
    response.resume();
    for (let count = 0; count < 5; count += 1) {
      const before = endless.blocks;
      while (endless.blocks < before + 2) await settle();
      await clock.advance(UNREAD_MS - 1);
    }
    expect(logged).toEqual([]);
    leave();
    await endless.idle();
  });

  it('loses the connection when the engine fails, and the console stays silent', async () => {
    const printed = [vi.spyOn(console, 'error'), vi.spyOn(console, 'info')];
    const { response } = await begin();
    await once(response, 'data');
    endless.isBroken = true;
    response.resume();
    await closed(response);
    expect(response.complete).toBe(false);
    await endless.idle();
    endless.isBroken = false;
    await settle();
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'answer failed', error: 'Error' }]);
    for (const print of printed) {
      expect(print).not.toHaveBeenCalled();
      print.mockRestore();
    }
  });
});

/** Resolves also after an error. */
const closed = (response: IncomingMessage) => new Promise<void>((resolve) => response.once('close', resolve));

const BLOCK_BYTES = 48_000;

interface EndlessEngine extends Engine {
  /** Syntheses that are not finished. */
  running: number;
  /** Blocks made in all. */
  blocks: number;
  /** Ends what runs with an error. */
  isBroken: boolean;
  /** Resolves once nothing runs. */
  idle(): Promise<void>;
}

function createEndlessEngine(): EndlessEngine {
  const events = new EventEmitter();
  const engine: EndlessEngine = {
    running: 0,
    blocks: 0,
    isBroken: false,
    async idle() {
      while (engine.running > 0) await once(events, 'end');
    },
    async *synthesize(_, signal) {
      engine.running += 1;
      try {
        for (;;) {
          await new Promise(setImmediate);
          signal.throwIfAborted();
          if (engine.isBroken) throw new Error('the engine broke');
          engine.blocks += 1;
          yield { samples: new Int16Array(BLOCK_BYTES / 2), words: [] };
        }
      } finally {
        engine.running -= 1;
        events.emit('end');
      }
    },
    close: async () => {},
  };
  return engine;
}
