import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { SocketLimits } from './environment.ts';
import { createFakeClock, type FakeClock, settle } from './fake-clock.test-helper.ts';
import { createKeys } from './keys.ts';
import { createLog } from './log.ts';
import { RealtimeClient } from './murmr/realtime-client.test-helper.ts';
import type { RunningServer } from './running-server.ts';
import { type Frame, SocketClient } from './socket-client.test-helper.ts';
import {
  KUGEL_ENDPOINTS,
  MULTI,
  openClient,
  REALTIME,
  REQUEST,
  SOCKET_ENDPOINTS,
  type SocketEndpointCase,
  STREAM,
} from './socket-endpoints.test-helper.ts';
import { createTestEngine, type TestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

/** Each endpoint at its edges, over real sockets: seconds, ends, places and hostile clients, on a fake clock. */

/** The test engine speaks blocks of 100 ms, and 10 ms for each character. */
const CHARACTERS_OF_BLOCK = 10;
/** A place is free a moment after its client has left. */
const PATIENT = { timeout: 60_000 };

let clock: FakeClock;
let engine: TestEngine;
let server: RunningServer;
/** Called before each block of speech. */
let speaking: (signal: AbortSignal) => void;
let logged: string[];
let clients: SocketClient[];

beforeEach(() => {
  clock = createFakeClock();
  engine = createTestEngine();
  logged = [];
  clients = [];
  speaking = () => {};
});

afterEach(async () => {
  for (const client of clients) client.done();
  await server.stop();
});

async function start(limits: SocketLimits = { sockets: 100, socketsOfOne: 100 }): Promise<void> {
  server = await startTestServer({
    clock,
    engine: {
      ...engine,
      async *synthesize(request, signal) {
        speaking(signal);
        for await (const block of engine.synthesize(request, signal)) {
          yield block;
          speaking(signal);
        }
      },
    },
    keys: createKeys({ keys: ['mine'], only: false }),
    limits,
    log: createLog('trace', { write: (line) => logged.push(line) }),
  });
}

/** A client of a session that has handled everything so far. Its key is known. */
async function join(endpoint: SocketEndpointCase, key?: string): Promise<SocketClient> {
  const client = await openClient(server, endpoint, key);
  clients.push(client);
  await handled(client, endpoint);
  await clock.advance(200);
  client.received.length = 0;
  return client;
}

/** Resolves when the server has handled all that the client sent. */
async function handled(client: SocketClient, { question, answer }: SocketEndpointCase): Promise<void> {
  const answers = client.of(answer).length;
  await client.send(question);
  await client.until(answer, answers + 1);
}

/** Resolves when all has arrived that was sent before, either way, also a close. */
async function ponged({ socket, closed }: SocketClient): Promise<void> {
  socket.ping();
  await Promise.race([once(socket, 'pong'), closed]);
}

describe('rules of seconds', () => {
  it.each([
    [STREAM, { text: 'Left alone', flush_timeout_ms: 60_000 }, 5000, 'session_closed'],
    [MULTI, { text: '', context_id: 'a' }, 20_000, 'context_closed'],
  ] as const)('a session of $path ends an idle turn or context', async (endpoint, message, ms, kind) => {
    await start();
    const client = await join(endpoint);
    await client.send(message);
    await handled(client, endpoint);
    await clock.advance(ms - 1);
    await handled(client, endpoint);
    expect(client.of(kind)).toEqual([]);
    await clock.advance(1);
    await client.until(kind);
  });

  it('without a config for 10 s: error 4001, then the close', async () => {
    await start();
    const client = await new RealtimeClient(server).send();
    await clock.advance(10_000);
    expect(await client.closed).toEqual({ code: 4001, reason: 'AUTH_TIMEOUT' });
    expect(client.received).toMatchObject([{ type: 'error', code: 4001 }]);
  });
});

it.each(KUGEL_ENDPOINTS)(
  'a refusal on $path leaves 50 ms after the handshake, when a client of a pool listens',
  async (endpoint) => {
    await start();
    const client = await openClient(server, endpoint, 'local-no-credits');
    clients.push(client);
    await ponged(client);
    await clock.advance(49);
    await ponged(client);
    expect(client.frames).toEqual([]);
    await clock.advance(1);
    expect(await client.closed).toEqual({ code: 4003, reason: 'INSUFFICIENT_CREDITS' });
    expect(client.frames).toMatchObject([{ error: 'Insufficient credits', code: 402 }]);
  },
);

describe('clients that leave or do not read', () => {
  it.each(SOCKET_ENDPOINTS)('leaving $path stops its speech', async (endpoint) => {
    await start();
    engine.hold();
    const begun = new Promise<AbortSignal>((resolve) => {
      speaking = resolve;
    });
    const client = await join(endpoint);
    await client.send(...endpoint.turn('A long story.'));
    const signal = await begun;
    const aborted = once(signal, 'abort');
    client.done();
    await aborted;
  });

  it('speech waits for a client that does not read, which may still cancel it', async () => {
    await start();
    const text = 'word '.repeat(2000);
    // 64 MB of audio frames: more than the server and the system hold for one client.
    const turns = 10;
    let blocks = 0;
    speaking = () => {
      blocks += 1;
    };
    const client = await join(STREAM);
    client.socket.pause();
    for (let turn = 0; turn < turns; turn += 1) await client.send(...STREAM.turn(text));
    let before: number;
    do {
      before = blocks;
      await settle();
    } while (blocks === 0 || blocks > before);
    await client.send({ cancel: true });
    client.socket.resume();
    await client.until('interrupted');
    expect(blocks).toBeLessThan((turns * text.length) / CHARACTERS_OF_BLOCK);
    expect(client.of('error')).toEqual([]);
  });
});

describe('places', () => {
  it.each(SOCKET_ENDPOINTS)(
    'a client of $path too many is refused, until another one has left',
    async (endpoint) => {
      await start({ sockets: 2, socketsOfOne: 2 });
      const first = await join(endpoint);
      await join(endpoint);
      const third = await openClient(server, endpoint);
      expect(await third.closed).toEqual(endpoint.closes.full);
      expect(third.kinds()).toEqual(endpoint === REALTIME ? ['error'] : []);
      first.done();
      await vi.waitFor(() => join(endpoint), PATIENT);
    },
  );

  it('pass from the socket that is idle for longest to a new client, after 30 s without a message', async () => {
    await start({ sockets: 3, socketsOfOne: 3 });
    const [active, idle] = [await join(STREAM), await join(REQUEST)];
    await clock.advance(10_000);
    const later = await join(REALTIME);
    await clock.advance(15_000);
    await handled(active, STREAM);
    await clock.advance(4500);
    expect(await (await openClient(server, MULTI)).closed).toEqual(MULTI.closes.full);
    await clock.advance(500);
    // A client that does not answer its close keeps no place.
    idle.socket.pause();
    await join(MULTI);
    expect(await (await openClient(server, MULTI)).closed).toEqual(MULTI.closes.full);
    idle.socket.resume();
    expect(await idle.closed).toEqual({ code: 1008, reason: 'no message for 30 s, and the server is full' });
    await handled(active, STREAM);
    await handled(later, REALTIME);
  });

  it('are kept for twenty sessions of the own page, which close no idle client', async () => {
    await start({ sockets: 1, socketsOfOne: 1 });
    const asPage = { origin: server.http };
    const idle = await join(STREAM);
    await clock.advance(30_000);
    const address = `${server.ws}/kugel/ws/tts?api_key=local`;
    for (let count = 0; count < 20; count += 1) {
      const page = new SocketClient(address, asPage);
      clients.push(page);
      await handled(page, REQUEST);
    }
    await handled(idle, STREAM);
    expect(await new SocketClient(address, asPage).closed).toEqual(REQUEST.closes.full);
    expect(await new SocketClient(address).closed).toEqual(REQUEST.closes.full);
  });

  it('are not all for one address, or for one key', async () => {
    await start({ sockets: 4, socketsOfOne: 2 });
    const at = (localAddress: string, key: string) => {
      const client = new SocketClient(`${server.ws}/kugel/ws/tts?api_key=${key}`, { localAddress });
      clients.push(client);
      return client;
    };
    const mine = [at('127.0.0.1', 'mine'), at('127.0.0.1', 'mine')];
    for (const client of mine) await handled(client, REQUEST);
    const refused = [at('127.0.0.1', 'local'), at('127.0.0.2', 'mine')];
    for (const client of refused) expect(await client.closed).toMatchObject({ code: 1013 });
    // Refused clients that never answer the close take no place.
    for (let count = 0; count < 2; count += 1) {
      const silent = at('127.0.0.1', 'local');
      await silent.send();
      silent.socket.pause();
    }
    for (let count = 0; count < 2; count += 1) await handled(at('127.0.0.2', 'local'), REQUEST);
    mine[0]?.done();
    await vi.waitFor(() => handled(at('127.0.0.1', 'local'), REQUEST), PATIENT);
  });
});

describe('a server that shuts down', () => {
  /** The end of a server whose engine is in the middle of a turn, once its idle clients are closed. */
  async function beginEnd(endpoint: SocketEndpointCase) {
    await start();
    const [idle, busy] = [await join(endpoint), await join(endpoint)];
    engine.hold();
    await busy.send(...endpoint.turn('Goodbye.'));
    await handled(busy, endpoint);
    const ended = server.application.shutDown();
    expect(await idle.closed).toEqual(endpoint.closes.ending);
    return { busy, ended };
  }

  it.each(SOCKET_ENDPOINTS)('ends what $path speaks, and refuses new clients', async (endpoint) => {
    const { busy, ended } = await beginEnd(endpoint);
    expect(await (await openClient(server, endpoint)).closed).toEqual(endpoint.closes.late);
    const ready = await fetch(`${server.http}/ready`);
    const reason = 'the server is shutting down';
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'unavailable', reason }]);
    engine.release();
    expect(await busy.closed).toEqual(endpoint.closes.ending);
    expect(busy.kinds()).toContain(endpoint.end);
    await ended;
  });

  it('handles messages that arrived before, though one a round of the event loop', async () => {
    await start();
    const client = await join(STREAM);
    const waiting = Array<Frame>(100).fill({});
    const messages = [STREAM.question, ...waiting, ...STREAM.turn('Goodbye.')];
    await client.sendAtOnce(messages.map((message) => JSON.stringify(message)));
    await client.until(STREAM.answer);
    await server.application.shutDown();
    expect(client.kinds()).toEqual([STREAM.answer, ...STREAM.kinds]);
  });

  it.each(SOCKET_ENDPOINTS)('closes $path after 3.5 s, though a turn has not ended', async (endpoint) => {
    const { busy, ended } = await beginEnd(endpoint);
    await clock.advance(3499);
    await ponged(busy);
    expect(busy.socket.readyState).toBe(WebSocket.OPEN);
    await clock.advance(1);
    expect(await busy.closed).toEqual(endpoint.closes.ending);
    expect(busy.kinds()).not.toContain(endpoint.end);
    await ended;
  });

  it('has stopped all speech when it has ended, and logs no fault', async () => {
    const signals = new Set<AbortSignal>();
    speaking = (signal) => signals.add(signal);
    await start();
    engine.hold();
    for (const endpoint of SOCKET_ENDPOINTS) {
      const deaf = await join(endpoint);
      await deaf.send(...endpoint.turn('Goodbye.'));
      await handled(deaf, endpoint);
      deaf.socket.pause();
    }
    const saying = (path: string, fields: object) => {
      const headers = { Authorization: 'Bearer local', 'Content-Type': 'application/json' };
      const body = JSON.stringify({ ...fields, language: 'en' });
      return fetch(`${server.http}${path}`, { method: 'POST', headers, body });
    };
    const calls = [
      saying('/kugel/v1/tts/generate', { text: 'Goodbye.', voice_id: 1071 }),
      saying('/murmr/v1/audio/speech', { text: 'Goodbye.', voice: 'voice_7c1e09d4ab35' }),
      saying('/murmr/v1/audio/speech/stream', { text: 'Goodbye.', voice: 'voice_7c1e09d4ab35' }),
    ].map((call) => call.then((answer) => answer.text()));
    const ends = Promise.allSettled(calls);
    await vi.waitFor(() => expect(signals.size).toBe(SOCKET_ENDPOINTS.length + calls.length), PATIENT);
    const idle = await join(STREAM);
    const ended = server.application.shutDown();
    await idle.closed;
    await clock.advance(3500);
    await ends;
    await clock.advance(500);
    await ended;
    expect([...signals].map(({ aborted }) => aborted)).not.toContain(false);
    expect(logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});

describe('logs and charges', () => {
  it.each(SOCKET_ENDPOINTS)(
    'logs and errors of $path hold neither text nor keys nor messages',
    async (endpoint) => {
      await start();
      const client = await join(endpoint);
      await client.send(...endpoint.turn('canary-text'));
      await client.until(endpoint.end);
      // murmr answers garbage with its close, so that garbage comes last.
      await client.send(...endpoint.turn('canary '.repeat(2000)), '"canary"', 'canary-garbage');
      await client.until('error', endpoint === REALTIME ? 2 : 3);
      const refused = await openClient(server, endpoint, 'canary-key');
      await ponged(refused);
      await clock.advance(200);
      await refused.closed;
      const call = await fetch(`${server.http}/${endpoint.vendor}/v1/voices?api_key=canary-key`);
      expect(call.status).toBe(401);
      const errors = [...client.of('error'), ...refused.received, await call.text()];
      expect(logged.join('')).toContain('socket opened');
      expect(JSON.stringify([logged, errors])).not.toMatch(/canary|warm voice/);
    },
  );

  it.each(KUGEL_ENDPOINTS)('the key decides on $path whether the charge is known', async (endpoint) => {
    await start();
    for (const [key, usage] of [
      ['local', { currency: 'eur' }],
      ['local-unpriced', { cost_cents: null, cost_unavailable: true }],
    ] as const) {
      const client = await join(endpoint, key);
      await client.send(...endpoint.turn('Free?'), ...(endpoint.leave ? [endpoint.leave.message] : []));
      await client.until(endpoint.leave?.kinds.at(-1) ?? endpoint.end);
      expect(client.frames.flatMap((frame) => frame.usage ?? [])).toMatchObject([usage]);
    }
  });
});

describe('hostile messages', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const refused = [
    '-0',
    deep(20_000),
    `{"text":${deep(20_000)}}`,
    `{"voice_id":${deep(20_000)}}`,
    `{"unknown":${deep(32)}}`,
    `{"update_settings":{${Array.from({ length: 1000 }, (_, at) => `"a${at}":0`).join()}}}`,
    '{"speed":1e999}',
    '{"sample_rate":9007199254740993}',
    '{"max_new_tokens":-1e308}',
    '{"voice_id":1e308}',
    '{"dictionary_ids":[9007199254740991]}',
    '{"flush":"yes"}',
    '{"cancel":1}',
    Buffer.from('{"cancel":true}'),
  ];
  const ignored = [
    '{}',
    '{"__proto__":{"flush":true,"close_socket":true},"constructor":{"prototype":{"cancel":true}}}',
    '{"toString":1,"hasOwnProperty":null}',
    `{"unknown":"${'['.repeat(50)}\\"${','.repeat(2000)}"}`,
    `{"unknown":${deep(30)}}`,
    '{"cfg_scale":-1e308}',
  ];
  const refusedForContext = [
    `{"context_id":${deep(20_000)},"text":"x"}`,
    `{"context_id":"${'x'.repeat(100_000)}","text":"x"}`,
    `{"voice_settings":${deep(20_000)}}`,
    '{"inactivity_timeout":1e999}',
    '{"context_id":"b","text":"x","voice_settings":{"voice_id":"constructor"}}',
    '{"context_id":"b","text":"x","voice_settings":{"voice_id":{"toString":1}}}',
    '{"context_id":"__proto__","text":"x"}',
    '{"context_id":"constructor","flush":true}',
  ];
  const ignoredForContext = [
    '{"context_id":"__proto__","text":""}',
    '{"immediate":true,"context_id":"nobody"}',
    '{"voice_settings":{"speed":1e999,"temperature":[]}}',
  ];

  it.each([
    { ...STREAM, errors: refused, silent: ignored },
    { ...MULTI, errors: [...refused, ...refusedForContext], silent: [...ignored, ...ignoredForContext] },
  ])('on $path change nothing: each has an error, or none', async ({ errors, silent, ...endpoint }) => {
    await start();
    const client = await join(endpoint);
    for (const [at, message] of errors.entries()) {
      await client.send(message);
      await handled(client, endpoint);
      expect(client.of('error'), String(message).slice(0, 80)).toHaveLength(at + 1);
    }
    const said = JSON.stringify(client.of('error'));
    for (const limit of ['32 levels', '1000 values'])
      expect(said).toContain(`expected a JSON object, got JSON of more than ${limit}`);
    client.received.length = 0;
    await client.send(...silent, ...endpoint.turn('Fine.'));
    await client.until(endpoint.end);
    expect(client.kinds()).toEqual(endpoint.kinds);
  });

  it.each(['__proto__', 'constructor'])('%s is the id of a context like any other', async (context_id) => {
    await start();
    const client = await join(MULTI);
    await client.send({ text: 'Hi.', context_id, voice_settings: { voice_id: 1071 }, flush: true });
    expect(await client.until('final')).toEqual({ final: true, context_id });
  });

  const broken: [string, Buffer, number][] = [
    ['text that is no UTF-8', Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]), 1007],
    ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ['a reserved opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
    ['a message of 2^62 bytes', Buffer.from([0x81, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 1009],
  ];
  it.each(broken)('%s closes its own connection alone', async (_, bytes, code) => {
    await start();
    const [client, other] = [await join(STREAM), await join(STREAM)];
    await client.sendRaw(bytes);
    expect((await client.closed).code).toBe(code);
    await other.send(...STREAM.turn('Undisturbed.'));
    await other.until(STREAM.end);
  });

  it('text that is no UTF-8 closes in order, with messages waiting before it and behind it', async () => {
    await start();
    const client = await join(STREAM);
    const empty = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]);
    const notUtf8 = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]);
    // Each part is read by itself, while the messages of the first wait for their rounds.
    for (const part of [Buffer.concat(Array<Buffer>(1500).fill(empty)), notUtf8, empty]) {
      await client.sendRaw(part);
      await settle();
    }
    expect((await client.closed).code).toBe(1007);
  });
});
