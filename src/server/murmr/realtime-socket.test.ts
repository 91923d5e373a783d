import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { MAX_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import { socketLimits } from '../environment.ts';
import { createLog } from '../log.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { MAX_CONNECTIONS_PER_KEY, MAX_GENERATIONS_PER_MINUTE } from './access.ts';
import { MAX_WAITING_CHARS } from './generation-queue.ts';
import { RealtimeClient } from './realtime-client.test-helper.ts';

/** Every rule of the seed for `/v1/realtime` over a real socket; where what is heard matters, spoken by the real engine. */

let server: RunningServer;
/** Speech without sound and a clock that runs twenty times as fast, for the rules of seconds and of numbers. */
let hasty: RunningServer;
const silent = createTestEngine();

beforeAll(async () => {
  server = await startTestServer();
  hasty = await startTestServer({ engine: silent, timesFaster: 20 });
}, 60_000);

beforeEach(() => {
  silent.requests.length = 0;
});

afterAll(async () => {
  await server.stop();
  await hasty.stop();
});

const CONFIG = { type: 'config', api_key: 'local', voice_description: 'A warm voice', language: 'English' };
const FLUSH = { type: 'flush' };
const text = (value: string) => ({ type: 'text', text: value });
const PING = { type: 'ping' };
const open = (at: RunningServer = server, api_key = 'local') =>
  new RealtimeClient(at).send({ ...CONFIG, api_key });

/** Of the hasty server: a connection whose key has been looked up, so that what it sets off begins at once. */
async function openSilent(): Promise<RealtimeClient> {
  const client = await open(hasty);
  await client.send(text('Hi.'), FLUSH);
  await client.until('done');
  silent.requests.length = 0;
  client.received.length = 0;
  return client;
}

/** What the hasty server was asked to speak since then. */
const spoken = () => silent.requests.map((request) => request.text);

/** The server has dealt with all that was sent. */
async function taken(client: RealtimeClient): Promise<void> {
  const pongs = client.of('pong').length;
  await client.send(PING);
  await client.until('pong', pongs + 1);
}

describe('seed: messages', () => {
  it('6.2 what is typed in the page about wscat is acknowledged, heard and done', async () => {
    const client = await open();
    await client.until('config_ack');
    await client.send(text('Hello, world! This is a test of the WebSocket protocol.'), FLUSH);
    // 55 characters: the first sentence is a generation of its own, and the flush makes the second.
    await client.until('done', 2);
    const [ack, ...others] = client.received;
    expect(ack).toEqual({ type: 'config_ack', session_id: expect.stringMatching(/^[0-9a-f]{8}$/) });
    const audio = others.filter((frame) => Buffer.isBuffer(frame) || frame.type !== 'done');
    expect(audio.length).toBeGreaterThan(1);
    for (const frame of audio) {
      expect(frame).toEqual({
        type: 'audio',
        chunk: expect.stringMatching(/^[A-Za-z0-9+/]+={0,2}$/),
        sample_rate: 24_000,
        format: 'pcm_s16le',
      });
    }
    expect(client.kinds().at(-1)).toBe('done');
    const done = client.of('done');
    for (const frame of done) {
      expect(frame).toEqual({
        type: 'done',
        total_chunks: expect.any(Number),
        duration_ms: expect.any(Number),
        first_chunk_latency_ms: expect.any(Number),
      });
    }
    const sum = (field: 'total_chunks' | 'duration_ms') =>
      done.reduce((total, frame) => total + Number(frame[field]), 0);
    expect(sum('total_chunks')).toBe(audio.length);
    // Each is rounded by itself.
    expect(Math.abs(sum('duration_ms') - client.samples().length / 24)).toBeLessThanOrEqual(1);
    expect(client.samples().length).toBeGreaterThan(24_000);
    expect(client.samples().some((sample) => Math.abs(sample) > 3000)).toBe(true);
    client.done();
  });

  it('6.3.2, 6.3.3 text may follow the config without a wait, and is spoken once the key is known', async () => {
    const client = await open();
    await client.send(text('No time to wait.'), FLUSH);
    await client.until('done');
    expect(client.kinds().at(0)).toBe('config_ack');
    client.done();
  });

  it('6.1, 6.2 a ping is answered by a pong, also during speech', async () => {
    const client = await open();
    await client.send(text('Hello there, this takes a moment to say.'), FLUSH, { type: 'ping' });
    await client.until('pong');
    expect(client.of('pong')).toEqual([{ type: 'pong' }]);
    client.done();
  });

  it('a tag of another vendor is text like any other: it is read out', async () => {
    const client = await open();
    await client.send(text('<break time="3s"/>'), FLUSH);
    await client.until('done');
    expect(client.samples().some((sample) => Math.abs(sample) > 3000)).toBe(true);
    client.done();
  });

  it('6.1 a saved voice speaks by its prompt', async () => {
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

describe('seed: config and parallel authentication', () => {
  it('6.3.2 ping and binary_mode are answered while the key is looked up', async () => {
    const client = await open(server, 'wrong');
    await client.send(PING, { type: 'binary_mode' });
    expect((await client.closed).code).toBe(4002);
    expect(client.kinds()).toEqual(['config_ack', 'pong', 'binary_mode_ack', 'error']);
  });

  it('decision 26: a second config with the same key is acknowledged, and later generations have its voice', async () => {
    const client = await openSilent();
    await client.send(text('One.'), FLUSH, { ...CONFIG, language: 'German' }, text('Zwei.'), FLUSH);
    await client.until('done', 2);
    expect(client.of('config_ack')).toHaveLength(1);
    expect(silent.requests).toMatchObject([
      { text: 'One.', language: 'en' },
      { text: 'Zwei.', language: 'de' },
    ]);
    client.done();
  });

  it('decision 26: a second config with another key closes with 4003', async () => {
    const client = await openSilent();
    await client.send({ ...CONFIG, api_key: 'local-limited' });
    expect(await client.closed).toEqual({ code: 4003, reason: 'INVALID_MESSAGE' });
    expect(client.kinds()).toEqual(['error']);
  });
});

describe('seed: text buffering, at its edges', () => {
  const x = (count: number) => 'x'.repeat(count);

  it.each([
    ['6.3.10a', '49 characters with a sentence end', `${x(47)}. `, []],
    ['6.3.10a', '50 characters with a sentence end', `${x(48)}. `, [`${x(48)}.`]],
    ['6.3.10b', '49 characters with a clause end', `${x(47)}, `, []],
    ['6.3.10b', '50 characters with a clause end', `${x(48)}, `, [`${x(48)},`]],
    ['6.3.11', '60 characters with a mark and no space behind it', `${x(59)}.`, []],
    ['6.3.10c', '199 characters without a mark', x(199), []],
    ['6.3.10c', '200 characters without a mark', x(200), [x(200)]],
  ])('%s %s: what is spoken at once, and (6.3.10d) by a flush', async (_, __, value, atOnce) => {
    const client = await openSilent();
    await client.send(text(value));
    await taken(client);
    expect(spoken()).toEqual(atOnce);
    await client.send(FLUSH, text('The rest.'), FLUSH);
    await client.until('done', 2);
    expect(spoken()).toEqual([value.trimEnd(), 'The rest.']);
    client.done();
  });

  it('6.3.10e 4096 characters are taken, one more is an error that changes nothing', async () => {
    const client = await openSilent();
    await client.send(text('Kept. '), text(x(4091)), FLUSH);
    await client.until('done');
    expect(client.of('error')).toEqual([
      { type: 'error', code: 4003, message: expect.stringMatching(/buffer overflow: .*4096.* got 4097/) },
    ]);
    expect(spoken()).toEqual(['Kept.']);
    await client.send(text('Kept. '), text(x(4090)), FLUSH);
    await client.until('done', 22);
    expect(client.of('error')).toHaveLength(1);
    expect(spoken().slice(1).join('')).toBe(`Kept.${x(4090)}`);
    client.done();
  });

  it('decision 25: a flush with nothing buffered is answered by nothing', async () => {
    const client = await openSilent();
    await client.send(FLUSH, text(' \n '), FLUSH, text('Something.'), FLUSH);
    await client.until('done');
    await taken(client);
    expect(new Set(client.kinds())).toEqual(new Set(['audio', 'done', 'pong']));
    expect(spoken()).toEqual(['Something.']);
    client.done();
  });

  it('6.3.13 where more text comes than may wait, it is read later: every generation has its done, in order', async () => {
    const engine = createTestEngine();
    const texts: string[] = [];
    const crowded = await startTestServer({
      engine: {
        ...engine,
        synthesize(request, signal) {
          texts.push(request.text);
          return engine.synthesize({ ...request, text: '.' }, signal);
        },
      },
      timesFaster: 20,
    });
    engine.hold();
    const client = await open(crowded);
    const frame = `${x(199)} `.repeat(10);
    const frames = 130;
    // A pong behind each frame shows how far the server has read.
    for (let count = 0; count < frames; count += 1) await client.send(text(frame), PING);
    await client.send(FLUSH);
    await client.until('pong', Math.floor(MAX_WAITING_CHARS / frame.length));
    // In as many turns of its loop the server would have read all the rest.
    const other = await open(crowded);
    for (let round = 0; round < 50; round += 1) await taken(other);
    expect(client.of('pong').length).toBeLessThan(frames);
    engine.release();
    await client.until('done', frames * 10);
    expect(texts.join(' ')).toBe(frame.repeat(frames).trimEnd());
    expect([client.of('done').length, client.of('error')]).toEqual([texts.length, []]);
    for (const each of [client, other]) each.done();
    await crowded.stop();
  });

  const SENTENCE = 'The quick brown fox jumps over the lazy dog and then sleeps.';

  it('6.3.10a, b, 6.3.13, 6.3.14 tokens become generations at sentence and clause ends, several on a connection, each with its done', async () => {
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
});

describe('seed: binary mode', () => {
  it('6.3.15 audio comes as bytes, everything else as text', async () => {
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

describe('seed: switching to binary', () => {
  it('6.3.16 in mid-generation, audio is in bytes from the acknowledgement on, without a sample lost', async () => {
    const engine = createTestEngine();
    let stepping = true;
    const stepped = await startTestServer({
      engine: {
        ...engine,
        async *synthesize(request, signal) {
          for await (const block of engine.synthesize(request, signal)) {
            yield block;
            if (stepping) engine.hold();
          }
        },
      },
      timesFaster: 20,
    });
    const client = await open(stepped);
    await client.send(text('x'.repeat(150)), FLUSH);
    await client.until('audio');
    await client.send({ type: 'binary_mode' });
    await client.until('binary_mode_ack');
    stepping = false;
    engine.release();
    await client.until('done');
    const kinds = client.kinds();
    expect(kinds.slice(0, 3)).toEqual(['config_ack', 'audio', 'binary_mode_ack']);
    expect(new Set(kinds.slice(3, -1))).toEqual(new Set(['bytes']));
    expect(client.samples()).toHaveLength(1500 * 24);
    client.done();
    await stepped.stop();
  });
});

describe('seed: close codes', () => {
  it('6.3.1: 4001 without a config for 10 s, an error with the same code first', async () => {
    const client = new RealtimeClient(hasty);
    expect(await client.closed).toEqual({ code: 4001, reason: 'AUTH_TIMEOUT' });
    expect(client.received).toMatchObject([{ type: 'error', code: 4001 }]);
  });

  it('6.3.4: 4002 for a key that is not known; what was queued is discarded', async () => {
    const client = await open(hasty, 'wrong');
    await client.send(text('Never heard.'), FLUSH);
    expect(await client.closed).toEqual({ code: 4002, reason: 'Invalid API key' });
    expect(client.received).toMatchObject([{ type: 'config_ack' }, { type: 'error', code: 4002 }]);
    expect(spoken()).toEqual([]);
  });

  it('6.3.5: 4002 for a plan without WebSocket, with a reason that names the plan', async () => {
    const client = await open(server, 'local-no-credits');
    expect(await client.closed).toEqual({ code: 4002, reason: expect.stringMatching(/Realtime.*Scale/) });
  });

  const wrong: [string, string | Buffer][] = [
    ['malformed JSON', '{'],
    ['JSON that is no object', '[]'],
    ['an unexpected type', '{"type":"stop"}'],
    ['a binary message', Buffer.from([1, 2, 3])],
  ];

  it.each(wrong)('6.3.6, decision 5: 4003 for %s, whether configured or not', async (_, message) => {
    const unconfigured = await new RealtimeClient(hasty).send(message);
    expect(await unconfigured.closed).toEqual({ code: 4003, reason: 'INVALID_MESSAGE' });
    expect(unconfigured.received).toMatchObject([{ type: 'error', code: 4003 }]);
    const configured = await openSilent();
    await configured.send(message, text('Never heard.'), FLUSH);
    expect(await configured.closed).toEqual({ code: 4003, reason: 'INVALID_MESSAGE' });
    expect(configured.received).toMatchObject([{ type: 'error', code: 4003 }]);
    expect(spoken()).toEqual([]);
  });

  it.each([text('Hello'), FLUSH, { type: 'binary_mode' }, PING])(
    '6.3.6, decision 27: 4003 for $type before the config',
    async (message) => {
      const client = await new RealtimeClient(hasty).send(message);
      expect(await client.closed).toEqual({ code: 4003, reason: 'INVALID_MESSAGE' });
      expect(client.received).toMatchObject([{ type: 'error', code: 4003 }]);
    },
  );

  it('6.3.7: 4004 as an error frame, with the socket open, for a generation too many', async () => {
    const client = await open(server, 'local-rate-limited');
    await client.send(text('Hello.'), FLUSH);
    await client.until('error');
    await client.send({ type: 'ping' });
    await client.until('pong');
    expect(client.of('error')).toMatchObject([{ code: 4004 }]);
    client.done();
  });

  it('6.3.8: 4006 as an error frame, in the words of the seed, with the socket open', async () => {
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

  it('6.3.9: 4005 when the server fails', async () => {
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

  it('6.3.9: 1001 on shutdown, 1012 for the other vendor beside it; what is being said is said to its end', async () => {
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

  it('6.3.9: 1001 too for what is not said to its end in time', async () => {
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
  it('6.3.7, 6.3.18 10 connections at a time: the eleventh closes with 4004, and there is room again when one has left', async () => {
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

  it('6.3.18 100 generations a minute over all connections of the key', async () => {
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

  it('6.3.18 so many connections in all: one more gets 4004', async () => {
    const small = await startTestServer({ engine: createTestEngine(), limits: socketLimits(2) });
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
