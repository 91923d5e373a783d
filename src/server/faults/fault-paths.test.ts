import { EventEmitter, once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Clock, systemClock } from '#lib/clock.ts';
import { Capture } from '../capture/capture.ts';
import { openCapturePage } from '../capture/page.test-helper.ts';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import type { Log } from '../log.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startRelayTo, startTestServer } from '../test-server.test-helper.ts';
import { firstConnections } from './first-connections.ts';

/** The latency of one test, which that test releases itself. */
const HELD_MS = 250;
let holds: (release: () => void) => void;

let server: RunningServer;
/** Relays to that server. */
let relay: RunningServer;

beforeAll(async () => {
  const after: Clock['after'] = (delayMs, task) => {
    if (delayMs !== HELD_MS) return systemClock.after(delayMs, task);
    holds(task);
    return () => {};
  };
  server = await startTestServer({ engine: createTestEngine(), clock: { ...systemClock, after } });
  relay = await startRelayTo(server);
});
afterAll(async () => {
  await relay.stop();
  await server.stop();
});

const STREAM = 'kugel/ws/tts/stream?api_key=local';

/** Some audio frames. */
const TEXT = 'Good morning to all of you, and to everybody else who happens to listen today.';

async function refusalOf(url: string) {
  const socket = new WebSocket(url);
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  let body = '';
  for await (const part of response) body += String(part);
  return { status: response.statusCode as number, body };
}

const SPOKEN = { text: TEXT, voice_id: 1071 };
const CONVERSATION = [{ ...SPOKEN, flush: true }, { close_socket: true }];

/** One turn. Resolves with its audio frames, the close code, and the error with which the system ended the connection. */
async function speak(url: string, options = {}, messages: readonly object[] = CONVERSATION) {
  const socket = new WebSocket(url, options);
  const audio: string[] = [];
  let error: unknown;
  socket.once('upgrade', (response) =>
    response.socket.once('error', (fault) => {
      error = 'code' in fault ? fault.code : fault.message;
    }),
  );
  socket.on('message', (data) => {
    if (String(data).includes('"audio":')) audio.push(String(data));
  });
  await once(socket, 'open');
  for (const message of messages) socket.send(JSON.stringify(message));
  const [code] = await once(socket, 'close');
  return { audio, code: code as number, error };
}

describe('an address with faults', () => {
  it.each(['latency%3D20', 'latency=20,mark=a'])('%s serves a turn', async (spec) => {
    expect(await speak(`${server.ws}/faults/${spec}/${STREAM}`)).toEqual(
      await speak(`${server.ws}/${STREAM}`),
    );
  });

  it.each(['kugel/ws/tts', 'kugel/ws/tts/multi', 'murmr/v1/realtime'])('has faults on %s', async (path) => {
    expect(await refusalOf(`${server.ws}/faults/refuse=418/${path}`)).toMatchObject({ status: 418 });
  });

  it.each([
    ['going-away@2', STREAM, CONVERSATION, 1012, undefined],
    ['reset@2', STREAM, CONVERSATION, 1006, 'ECONNRESET'],
    ['close=4999@2', `relay/${STREAM}`, CONVERSATION, 4999, undefined],
    ['close=4999@2', 'kugel/ws/tts?api_key=local', [SPOKEN], 4999, undefined],
  ])('with %s ends the socket of %s', async (spec, path, messages, code, error) => {
    const end = await speak(`${relay.ws.replace('/relay', '')}/faults/${spec}/${path}`, {}, messages);
    expect([end.audio.length, end.code, end.error]).toEqual([1, code, error]);
  });

  it('with half-open@1 reads and sends nothing more, not even a ping, and notices that the client leaves', async () => {
    const clock = createFakeClock();
    const capture = new Capture(clock);
    const still = await startTestServer({ engine: createTestEngine(), capture, clock });
    const silent = new WebSocket(`${still.ws}/faults/half-open@1/${STREAM}`);
    const seen: string[] = [];
    for (const sign of ['ping', 'pong', 'message']) silent.on(sign, () => seen.push(sign));
    await once(silent, 'open');
    silent.ping();
    await once(silent, 'pong');
    silent.send(JSON.stringify(CONVERSATION[0]));
    await once(silent, 'message');
    // Whatever the server does for the silent client, it has done when it has served another one.
    await speak(`${still.ws}/${STREAM}`);
    const other = new WebSocket(`${still.ws}/${STREAM}`);
    await once(other, 'open');
    seen.length = 0;
    silent.ping();
    await Promise.all([once(other, 'ping'), clock.advance(30_000)]);
    await speak(`${still.ws}/${STREAM}`);
    expect([seen, silent.readyState]).toEqual([[], WebSocket.OPEN]);
    silent.terminate();
    const [connection] = capture.connections.values();
    await expect.poll(() => connection?.end).toMatchObject({ code: 1006 });
    await still.stop();
  });

  it.each<[string, (path: string) => Promise<unknown>]>([
    [
      'handshake',
      (path) => once(new WebSocket(`${server.ws}/faults/latency=100,latency-in=50/${path}`), 'open'),
    ],
    ['call', (path) => fetch(`${server.http}/faults/latency=100,latency-out=50/${path}`)],
  ])('delays the answer to a %s by a round trip', async (_, ask) => {
    const held = new Promise<() => void>((resolve) => {
      holds = resolve;
    });
    let isAnswered = false;
    const answered = ask(STREAM).then(() => {
      isAnswered = true;
    });
    const release = await held;
    await fetch(`${server.http}/health`);
    expect(isAnswered).toBe(false);
    release();
    await answered;
  });

  it('keeps no shutdown waiting for a delayed answer', async () => {
    const ending = await startTestServer({ engine: createTestEngine() });
    const refusal = refusalOf(`${ending.ws}/faults/latency=10000/${STREAM}`);
    // Answered behind the handshake.
    await fetch(`${ending.http}/health`);
    await ending.application.shutDown();
    expect((await refusal).status).toBe(503);
    await ending.stop();
  });

  it.each([
    ['stall=3000', 'faults, character 11: expected stall=ms@n, got "stall=3000"'],
    [
      'error=ALL_SLOTS_OCCUPIED@1',
      'faults, character 7: expected error=NAME@n with one of VALIDATION_ERROR,',
    ],
    ['%', 'faults, character 1: expected one of'],
    ['', 'faults, character 1: expected one of'],
  ])('%j is refused with 400 and its place', async (spec, expected) => {
    const { status, body } = await refusalOf(`${server.ws}/faults/${spec}/${STREAM}`);
    expect(status).toBe(400);
    expect(body).toContain(expected);
    const answer = await fetch(`${server.http}/faults/${spec}/kugel/v1/voices`);
    expect([answer.status, await answer.text()]).toEqual([400, body]);
  });

  it.each([
    'faults',
    'faults/latency=1',
    'faults/latency=1/kugel',
    'faults/latency=1/kugel/nothing?api_key=local',
    'faults/latency=1/capture',
    'faults/latency=1/health',
    'faults/latency=1/relay/other/x',
    'faults/latency=1/faults/latency=1/kugel/ws/tts/stream',
  ])('/%s leads nowhere', async (path) => {
    expect((await refusalOf(`${server.ws}/${path}`)).status).toBe(404);
    expect((await fetch(`${server.http}/${path}`)).status).toBe(404);
  });
});

describe('a fault of the first connection only', () => {
  const address = (spec: string) => `${server.ws}/faults/${spec}/${STREAM}`;
  const by = (program: string) => ({ headers: { 'User-Agent': program } });

  it('lets the reconnect succeed, and strikes another client, as faults without it do each time', async () => {
    const codes: number[] = [];
    for (const program of ['one', 'one', 'other', 'other', 'one'])
      codes.push((await speak(address('duplicate@1,going-away@2:first'), by(program))).code);
    expect(codes).toEqual([1012, 1000, 1012, 1000, 1000]);
  });

  it('refuses one handshake, and one call of each path', async () => {
    expect((await refusalOf(address('refuse=503:first'))).status).toBe(503);
    expect((await speak(address('refuse=503:first'))).code).toBe(1000);
    const calls = ['voices', 'voices', 'models', 'models', 'models'].map(
      (path) => `${server.http}/faults/refuse=503:first/kugel/v1/${path}?api_key=local`,
    );
    const statuses: number[] = [];
    for (const call of calls) statuses.push((await fetch(call)).status);
    expect(statuses).toEqual([503, 200, 503, 200, 200]);
  });

  it('strikes again once the client has had no connection for ten seconds', async () => {
    const clock = createFakeClock();
    const begins = firstConnections(clock);
    const request = { socket: { remoteAddress: '127.0.0.1' }, headers: {} } as IncomingMessage;
    const connect = (destroyed = false) => {
      const socket = Object.assign(new EventEmitter(), { destroyed });
      const isFirst = begins(request, '/faults/reset@1:first/kugel', socket);
      return { isFirst, close: () => socket.emit('close') };
    };
    const gone = connect(true);
    const silent = connect();
    await clock.advance(60_000);
    const besides = connect();
    besides.close();
    silent.close();
    await clock.advance(9999);
    const reconnect = connect();
    reconnect.close();
    await clock.advance(10_000);
    const nextRun = connect();
    const all = [gone, silent, besides, reconnect, nextRun].map(({ isFirst }) => isFirst);
    expect(all).toEqual([false, true, false, false, true]);
  });
});

it('says in the log, once for each run of a client, which faults never strike at a path, and why', async () => {
  const lines: string[] = [];
  const log: Log = {
    info: () => {},
    warn: ({ path }, message) => lines.push(`${path}: ${message}`),
    error: () => {},
    child: () => log,
  };
  const telling = await startTestServer({ engine: createTestEngine(), log });
  const behind = (spec: string, path: string) => `${telling.ws}/faults/${spec}/${path}`;
  const leave = async (url: string) => {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    socket.close();
    await once(socket, 'close');
  };
  const spec = 'lose-words,stall=5@9,latency=1,seed=2';
  for (const path of [STREAM, 'kugel/ws/tts?api_key=local', 'murmr/v1/realtime', 'murmr/v1/realtime'])
    await leave(behind(spec, path));
  for (let times = 0; times < 2; times += 1)
    await fetch(behind('stall=5@9:first,latency=1', 'murmr/v1/voices').replace('ws', 'http'));
  await telling.stop();
  expect(lines).toEqual([
    `/faults/${spec}/murmr/v1/realtime: lose-words has no effect: the vendor sends no word timestamps`,
    '/faults/stall=5@9:first,latency=1/murmr/v1/voices: stall=5@9:first has no effect: calls have no frames',
  ]);
});

describe('calls behind faults', () => {
  const voices = 'kugel/v1/voices?api_key=local';

  it('are answered as without', async () => {
    const plain = await fetch(`${server.http}/${voices}`);
    const answer = await fetch(`${server.http}/faults/stall=50@1,latency=5/${voices}`);
    expect([answer.status, await answer.json()]).toEqual([plain.status, await plain.json()]);
  });

  it('are refused with the status of refuse', async () => {
    const answer = await fetch(`${server.http}/faults/refuse=503/${voices}`);
    expect([answer.status, await answer.text()]).toEqual([503, 'refused by a fault on purpose\n']);
  });

  it('reach the relay with their bodies', async () => {
    const http = relay.http.replace('/relay', '');
    const answer = await fetch(`${http}/faults/latency=5/relay/murmr/v1/voices/design`, {
      method: 'POST',
      headers: { Authorization: 'Bearer local', 'Content-Type': 'application/json' },
      body: JSON.stringify({ text: 'Hello', voice_description: 'calm', response_format: 'wav' }),
    });
    expect(answer.status).toBe(200);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100);
  });
});

describe('a page', () => {
  it('sees each strike on its own connections, also a refusal, by their marks', async () => {
    const page = await openCapturePage(server.http);
    const options = { origin: server.http };
    await speak(`${server.ws}/faults/latency=5,duplicate@1,reset@2,mark=page-1/${STREAM}`, options);
    await refusalOf(`${server.ws}/faults/refuse=503,mark=page-2/${STREAM}`);
    const strikes = () =>
      page.messages.flatMap((one) => (one.type === 'fault' ? [`${one.mark} ${one.what}`] : []));
    await page.until(() => strikes().includes('page-2 refuse=503') || undefined);
    expect(strikes()).toEqual([
      'page-1 latency=5',
      'page-1 duplicate@1',
      'page-1 reset@2',
      'page-2 refuse=503',
    ]);
    page.socket.terminate();
  });

  it('sees each strike on a captured client right before the frame that it changes', async () => {
    await speak(`${server.ws}/faults/duplicate@2,going-away@3/${STREAM}`, {
      headers: { 'User-Agent': 'faulty/1' },
    });
    const page = await openCapturePage(server.http);
    const { id } = await page.until(() => page.clientOf('faulty/1'));
    page.watch(id);
    await page.until(() => page.messages.find((message) => message.type === 'entries' && message.isLast));
    const shown = page.entriesOf(id).flatMap(({ kind, direction, text = '' }) => {
      if (kind === 'fault') return [JSON.parse(text).what];
      if (kind === 'closed') return [JSON.parse(text).code];
      return direction === 'in' && text.includes('"audio":') ? [`audio ${JSON.parse(text).idx}`] : [];
    });
    expect(shown).toEqual(['audio 0', 'audio 1', 'duplicate@2', 'audio 1', 'going-away@3', 1012]);
    page.socket.terminate();
  });
});
