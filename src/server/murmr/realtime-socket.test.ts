import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createLog } from '../log.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { type RunningServer, startTestServer } from '../test-server.test-helper.ts';
import { MAX_MESSAGE_BYTES } from '../web-socket.ts';
import { MAX_CONNECTIONS_PER_KEY, MAX_GENERATIONS_PER_MINUTE } from './access.ts';
import { RealtimeClient } from './realtime-client.test-helper.ts';

/** Every rule of the seed for `/v1/realtime` once more: over a real socket, spoken by the real engine. */

let server: RunningServer;
/** Speech without sound and a clock that runs twenty times as fast, for the rules of seconds and of numbers. */
let hasty: RunningServer;

beforeAll(async () => {
  server = await startTestServer();
  hasty = await startTestServer({ engine: createTestEngine(), timesFaster: 20 });
}, 60_000);

afterAll(async () => {
  await server.stop();
  await hasty.stop();
});

const CONFIG = { type: 'config', api_key: 'local', voice_description: 'A warm voice', language: 'English' };
const FLUSH = { type: 'flush' };
const text = (value: string) => ({ type: 'text', text: value });
const open = (at: RunningServer = server, api_key = 'local') =>
  new RealtimeClient(at).send({ ...CONFIG, api_key });

describe('seed: messages', () => {
  it('what is typed in the page about wscat is acknowledged, heard and done', async () => {
    const client = await open();
    await client.until('config_ack');
    await client.send(text('Hello, world! This is a test of the WebSocket protocol.'), FLUSH);
    await client.until('done');
    const [ack, ...others] = client.received;
    expect(ack).toEqual({ type: 'config_ack', session_id: expect.stringMatching(/^[0-9a-f]{8}$/) });
    const audio = others.slice(0, -1);
    expect(audio.length).toBeGreaterThan(1);
    for (const frame of audio) {
      expect(frame).toEqual({
        type: 'audio',
        chunk: expect.stringMatching(/^[A-Za-z0-9+/]+={0,2}$/),
        sample_rate: 24_000,
        format: 'pcm_s16le',
      });
    }
    expect(client.of('done')).toEqual([
      {
        type: 'done',
        total_chunks: audio.length,
        duration_ms: Math.round(client.samples().length / 24),
        first_chunk_latency_ms: expect.any(Number),
      },
    ]);
    expect(client.samples().length).toBeGreaterThan(24_000);
    expect(client.samples().some((sample) => Math.abs(sample) > 3000)).toBe(true);
    client.done();
  });

  it('text may follow the config without a wait, and is spoken once the key is known', async () => {
    const client = await open();
    await client.send(text('No time to wait.'), FLUSH);
    await client.until('done');
    expect(client.kinds().at(0)).toBe('config_ack');
    client.done();
  });

  it('ping is answered by pong, whatever is being said', async () => {
    const client = await open();
    await client.send(text('Hello there, this takes a moment to say.'), FLUSH, { type: 'ping' });
    await client.until('pong');
    expect(client.of('pong')).toEqual([{ type: 'pong' }]);
    client.done();
  });

  it('a saved voice speaks by its prompt', async () => {
    const voices = await fetch(`${server.http}/murmr/v1/voices`, {
      headers: { Authorization: 'Bearer local' },
    });
    const [{ prompt_data, id }] = (await voices.json()).voices;
    const client = await new RealtimeClient(server).send(
      { type: 'config', api_key: 'local', voice: id, voice_clone_prompt: prompt_data, language: 'English' },
      text('I was kept.'),
      FLUSH,
    );
    await client.until('done');
    expect(client.samples().length).toBeGreaterThan(4800);
    client.done();
  });
});

describe('seed: text buffering', () => {
  const SENTENCE = 'The quick brown fox jumps over the lazy dog and then sleeps.';

  it('tokens become generations at sentence and clause ends, several on a connection, each with its done', async () => {
    const client = await open();
    const story = `${SENTENCE} When it wakes up it is hungry and looks for breakfast, but finds nothing.`;
    for (const token of story.split(/(?<= )/)) await client.send(text(token));
    await client.until('done', 2);
    expect(client.of('done')).toHaveLength(2);
    await client.send(FLUSH);
    await client.until('done', 3);
    expect(client.kinds().at(-1)).toBe('done');
    client.done();
  });

  it('200 characters are spoken without any mark', async () => {
    const client = await open();
    await client.send(text('word '.repeat(40)));
    await client.until('done');
    client.done();
  });

  it('an overflow is an error with the socket open, and nothing of that text is spoken', async () => {
    const client = await open();
    await client.send(text('x'.repeat(4097)), FLUSH, text('Fine.'), FLUSH);
    await client.until('done');
    expect(client.of('error')).toEqual([
      { type: 'error', code: 4003, message: expect.stringContaining('buffer overflow') },
    ]);
    expect(client.samples().length).toBeLessThan(3 * 24_000);
    client.done();
  });
});

describe('seed: binary mode', () => {
  it('audio comes as bytes, everything else as text', async () => {
    const client = await open();
    await client.until('config_ack');
    await client.send({ type: 'binary_mode' }, text('Hello, world!'), FLUSH);
    await client.until('done');
    const kinds = client.kinds();
    expect(kinds.slice(0, 2)).toEqual(['config_ack', 'binary_mode_ack']);
    expect(new Set(kinds.slice(2, -1))).toEqual(new Set(['bytes']));
    expect(client.of('binary_mode_ack')).toEqual([
      { type: 'binary_mode_ack', sample_rate: 24_000, format: 'pcm_s16le' },
    ]);
    expect(client.of('done')).toMatchObject([
      { total_chunks: kinds.length - 3, duration_ms: Math.round(client.samples().length / 24) },
    ]);
    expect(client.samples().some((sample) => Math.abs(sample) > 3000)).toBe(true);
    client.done();
  });
});

describe('seed: close codes', () => {
  it('4001 without a config for 10 s, an error with the same code first', async () => {
    const client = new RealtimeClient(hasty);
    expect(await client.closed).toEqual({ code: 4001, reason: 'AUTH_TIMEOUT' });
    expect(client.received).toMatchObject([{ type: 'error', code: 4001 }]);
  });

  it('4002 for a key that is not known; what was queued is discarded', async () => {
    const client = await open(server, 'wrong');
    await client.send(text('Never heard.'), FLUSH);
    expect((await client.closed).code).toBe(4002);
    expect(client.received).toMatchObject([{ type: 'config_ack' }, { type: 'error', code: 4002 }]);
  });

  it('4002 for a plan without WebSocket, with a reason that names the plan', async () => {
    const client = await open(server, 'local-no-credits');
    expect(await client.closed).toEqual({ code: 4002, reason: expect.stringMatching(/Realtime.*Scale/) });
  });

  it.each([
    ['malformed JSON', '{'],
    ['an unknown type', '{"type":"stop"}'],
    ['a binary message', Buffer.from([1, 2, 3])],
    ['text before the config', '{"type":"text","text":"Hello"}'],
  ])('4003 for %s', async (_, message) => {
    const client = await new RealtimeClient(server).send(message);
    expect(await client.closed).toEqual({ code: 4003, reason: 'INVALID_MESSAGE' });
    expect(client.received).toMatchObject([{ type: 'error', code: 4003 }]);
  });

  it('4004 as an error frame, with the socket open, for a generation too many', async () => {
    const client = await open(server, 'local-rate-limited');
    await client.send(text('Hello.'), FLUSH);
    await client.until('error');
    await client.send({ type: 'ping' });
    await client.until('pong');
    expect(client.of('error')).toMatchObject([{ code: 4004 }]);
    client.done();
  });

  it('4006 as an error frame, in the words of the seed, with the socket open', async () => {
    const client = await open(server, 'local-busy');
    await client.send(text('Hello.'), FLUSH);
    await client.until('error');
    await client.send({ type: 'ping' });
    await client.until('pong');
    expect(client.of('error')).toEqual([
      { type: 'error', message: 'All slots occupied, try again shortly', code: 4006 },
    ]);
    client.done();
  });

  it('4005 when the server fails', async () => {
    const engine = createTestEngine();
    const failing = await startTestServer({ engine });
    engine.failNext();
    const client = await open(failing);
    await client.send(text('Hello.'), FLUSH);
    expect(await client.closed).toEqual({ code: 4005, reason: 'SERVER_ERROR' });
    expect(client.of('error')).toMatchObject([{ code: 4005 }]);
    await failing.stop();
  });

  it('decision 5: 1009 for a message over 1 MiB, and not for one of 1 MiB', async () => {
    const client = await open();
    await client.send(`{"type":"ping"}${' '.repeat(MAX_MESSAGE_BYTES - 15)}`);
    await client.until('pong');
    await client.send(' '.repeat(MAX_MESSAGE_BYTES + 1));
    expect((await client.closed).code).toBe(1009);
  });

  it('1001 on shutdown, 1012 for the other vendor beside it; what is being said is said to its end', async () => {
    const engine = createTestEngine();
    const leaving = await startTestServer({ engine });
    const idle = await open(leaving);
    const busy = await open(leaving);
    const kugel = new WebSocket(`${leaving.ws}/kugel/ws/tts/stream?api_key=local`);
    const kugelClosed = once(kugel, 'close');
    await once(kugel, 'open');
    engine.hold();
    await Promise.all([idle.until('config_ack'), busy.send(text('Goodbye.'), FLUSH, { type: 'ping' })]);
    await busy.until('pong');
    const ended = leaving.application.shutDown();
    expect(await idle.closed).toEqual({ code: 1001, reason: 'the server is shutting down' });
    expect(await new RealtimeClient(leaving).closed).toMatchObject({ code: 1001 });
    expect((await kugelClosed)[0]).toBe(1012);
    engine.release();
    expect((await busy.closed).code).toBe(1001);
    expect(busy.kinds().at(-1)).toBe('done');
    await ended;
    await leaving.stop();
  });

  it('1001 too for what is not said to its end in time', async () => {
    const engine = createTestEngine();
    const leaving = await startTestServer({ engine, timesFaster: 20 });
    engine.hold();
    const client = await open(leaving);
    await client.send(text('Goodbye.'), FLUSH, { type: 'ping' });
    await client.until('pong');
    await leaving.stop();
    expect(await client.closed).toEqual({ code: 1001, reason: 'the server is shutting down' });
    expect(client.of('done')).toEqual([]);
  });
});

describe('seed: rate limits, with the key that has them', () => {
  it('10 connections at a time: the eleventh gets 4004, and there is room again when one has left', async () => {
    const inside = await Promise.all(
      Array.from({ length: MAX_CONNECTIONS_PER_KEY }, () => open(hasty, 'local-limited')),
    );
    for (const client of inside) {
      await client.send(text('Hello.'), FLUSH);
      await client.until('done');
    }
    const eleventh = await open(hasty, 'local-limited');
    expect(await eleventh.closed).toEqual({ code: 4004, reason: 'RATE_LIMITED' });
    expect(eleventh.of('error')).toMatchObject([{ code: 4004 }]);
    inside[0]?.socket.close();
    await inside[0]?.closed;
    const next = await open(hasty, 'local-limited');
    await next.send(text('Hello.'), FLUSH);
    await next.until('done');
    for (const client of [...inside, next]) client.done();
    await Promise.all([...inside, next].map((client) => client.closed));
  });

  it('100 generations a minute over all connections of the key', async () => {
    const fresh = await startTestServer({ engine: createTestEngine(), timesFaster: 20 });
    const [one, two] = [await open(fresh, 'local-limited'), await open(fresh, 'local-limited')];
    for (let count = 0; count < MAX_GENERATIONS_PER_MINUTE - 1; count += 1)
      await one.send(text('Hi.'), FLUSH);
    await one.until('done', MAX_GENERATIONS_PER_MINUTE - 1);
    await two.send(text('Hi.'), FLUSH, text('Hi.'), FLUSH);
    await two.until('error');
    expect([one.of('error'), two.of('done').length]).toEqual([[], 1]);
    expect(two.of('error')).toMatchObject([{ code: 4004 }]);
    const unlimited = await open(fresh);
    await unlimited.send(text('Hi.'), FLUSH);
    await unlimited.until('done');
    for (const client of [one, two, unlimited]) client.done();
    await fresh.stop();
  });

  it('so many connections in all: one more gets 4004', async () => {
    const small = await startTestServer({ engine: createTestEngine(), maxSockets: 2 });
    const inside = [await open(small), await open(small)];
    const third = new RealtimeClient(small);
    expect(await third.closed).toEqual({ code: 4004, reason: 'RATE_LIMITED' });
    expect(third.received).toMatchObject([{ type: 'error', code: 4004 }]);
    for (const client of inside) client.done();
    await small.stop();
  });
});

describe('the rest', () => {
  it('6.3.17 a client that goes away stops the engine', async () => {
    const engine = createTestEngine();
    const signals: AbortSignal[] = [];
    const watched = await startTestServer({
      engine: {
        ...engine,
        synthesize(request, signal) {
          signals.push(signal);
          return engine.synthesize(request, signal);
        },
      },
      timesFaster: 20,
    });
    const client = await open(watched);
    engine.hold();
    await client.send(text('A long story.'), FLUSH);
    await expect.poll(() => signals.length).toBe(1);
    const aborted = signals[0] ? once(signals[0], 'abort') : Promise.reject(new Error('no signal'));
    client.done();
    await aborted;
    await watched.stop();
  });

  it('logs hold neither text nor keys nor prompts', async () => {
    const logged: string[] = [];
    const log = createLog('trace', { write: (line) => logged.push(line) });
    const watched = await startTestServer({ engine: createTestEngine(), log, timesFaster: 20 });
    const client = await open(watched);
    await client.send(text('canary-text'), FLUSH);
    await client.until('done');
    await client.send('canary-garbage');
    await client.closed;
    await (await open(watched, 'canary-key')).closed;
    expect(JSON.stringify(client.received)).not.toContain('canary');
    await watched.stop();
    expect(logged.join('')).toContain('socket opened');
    expect(logged.join('')).not.toContain('canary');
  });
});
