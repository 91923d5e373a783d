import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '#lib/clock.ts';
import { Capture } from '../capture/capture.ts';
import { type CapturePage, openCapturePage } from '../capture/page.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startRelayTo, startTestServer } from '../test-server.test-helper.ts';

let server: RunningServer;
/** Relays to that server. */
let relay: RunningServer;

beforeAll(async () => {
  server = await startTestServer({ engine: createTestEngine() });
  relay = await startRelayTo(server, { timesFaster: 20 });
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

/** One turn. Resolves with the received frames, the close code, and whether the system reported a reset. */
async function speak(url: string, options = {}) {
  const socket = new WebSocket(url, options);
  const frames: string[] = [];
  let error: unknown;
  socket.once('upgrade', (response) =>
    response.socket.once('error', (fault) => {
      error = 'code' in fault ? fault.code : fault.message;
    }),
  );
  socket.on('message', (data) => frames.push(String(data)));
  await once(socket, 'open');
  socket.send(JSON.stringify({ text: TEXT, voice_id: 1071, flush: true }));
  socket.send(JSON.stringify({ close_socket: true }));
  const [code, reason] = await once(socket, 'close');
  return { frames, code: code as number, reason: String(reason), error };
}

const audioIn = (frames: readonly string[]): string[] => frames.filter((frame) => frame.includes('"audio":'));

describe('an address with faults', () => {
  it.each(['latency=20', 'latency%3D20', 'latency=20,mark=a'])('%s serves a turn', async (spec) => {
    const plain = await speak(`${server.ws}/${STREAM}`);
    const { frames, code } = await speak(`${server.ws}/faults/${spec}/${STREAM}`);
    expect([audioIn(frames), code]).toEqual([audioIn(plain.frames), plain.code]);
  });

  it.each(['kugel/ws/tts', 'kugel/ws/tts/multi', 'murmr/v1/realtime'])('has faults on %s', async (path) => {
    expect(await refusalOf(`${server.ws}/faults/refuse=418/${path}`)).toMatchObject({ status: 418 });
  });

  it('knows the audio of an endpoint that the page cannot decode', async () => {
    const socket = new WebSocket(`${server.ws}/faults/close=4999@2/kugel/ws/tts?api_key=local`);
    const frames: string[] = [];
    socket.on('message', (data) => frames.push(String(data)));
    await once(socket, 'open');
    socket.send(JSON.stringify({ text: TEXT, voice_id: 1071 }));
    const [code] = await once(socket, 'close');
    expect([audioIn(frames).length, code]).toEqual([1, 4999]);
  });

  it('stands before the relay as well', async () => {
    const { ws } = relay;
    const { frames, code } = await speak(`${ws.replace('/relay', '')}/faults/close=4999@3/relay/${STREAM}`);
    expect([audioIn(frames).length, code]).toEqual([2, 4999]);
  });

  it.each([
    ['going-away@2', 1012, undefined],
    ['reset@2', 1006, 'ECONNRESET'],
  ])('%s ends the socket', async (spec, code, error) => {
    const end = await speak(`${server.ws}/faults/${spec}/${STREAM}`);
    expect([audioIn(end.frames).length, end.code, end.error]).toEqual([1, code, error]);
  });

  it('half-open@1 reads nothing more, not even a ping', async () => {
    const silent = new WebSocket(`${server.ws}/faults/half-open@1/${STREAM}`);
    let answers = 0;
    silent.on('pong', () => {
      answers += 1;
    });
    await once(silent, 'open');
    silent.ping();
    await once(silent, 'pong');
    silent.send(JSON.stringify({ text: TEXT, voice_id: 1071, flush: true }));
    // Whatever the server does for the silent client, it has done when it has served another one.
    await speak(`${server.ws}/${STREAM}`);
    silent.ping();
    await speak(`${server.ws}/${STREAM}`);
    expect([answers, silent.readyState]).toEqual([1, WebSocket.OPEN]);
    silent.terminate();
  });

  it('half-open@1 sends no ping, and notices that the client leaves', async () => {
    const capture = new Capture(systemClock);
    const hasty = await startTestServer({ engine: createTestEngine(), capture, timesFaster: 100 });
    const silent = new WebSocket(`${hasty.ws}/faults/half-open@1/${STREAM}`);
    let pings = 0;
    silent.on('ping', () => {
      pings += 1;
    });
    await once(silent, 'open');
    silent.send(JSON.stringify({ text: TEXT, voice_id: 1071, flush: true }));
    await speak(`${hasty.ws}/${STREAM}`);
    pings = 0;
    const pinged = new WebSocket(`${hasty.ws}/${STREAM}`);
    for (let beat = 0; beat < 3; beat += 1) await once(pinged, 'ping');
    expect([pings, silent.readyState]).toEqual([0, WebSocket.OPEN]);
    silent.terminate();
    const [connection] = capture.connections.values();
    await expect.poll(() => connection?.end).toMatchObject({ code: 1006 });
    await hasty.stop();
  });

  it('delays the answer to the handshake by a round trip', async () => {
    const sentMs = performance.now();
    const socket = new WebSocket(`${server.ws}/faults/latency=100,latency-in=50/${STREAM}`);
    await once(socket, 'open');
    expect(performance.now() - sentMs).toBeGreaterThan(245);
    socket.terminate();
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
    ['latency=200,x', 'faults, character 13: expected one of latency,'],
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
    expect(answer.status).toBe(400);
    expect(await answer.text()).toBe(body);
  });

  it.each([
    'faults',
    'faults/',
    'faults/latency=1',
    'faults/latency=1/',
    'faults/latency=1/kugel',
    'faults/latency=1/kugel/nothing',
    'faults/latency=1/capture',
    'faults/latency=1/health',
    'faults/latency=1/relay/other/x',
    'faults/latency=1/faults/latency=1/kugel/ws/tts/stream',
  ])('/%s has no endpoint', async (path) => {
    expect((await refusalOf(`${server.ws}/${path}`)).status).toBe(404);
  });
});

describe('calls behind faults', () => {
  const voices = 'kugel/v1/voices?api_key=local';

  it('are answered as without', async () => {
    const plain = await fetch(`${server.http}/${voices}`);
    const answer = await fetch(`${server.http}/faults/stall=50@1,latency=5/${voices}`);
    expect([answer.status, await answer.json()]).toEqual([plain.status, await plain.json()]);
  });

  it('take the latency of both ways longer', async () => {
    const sentMs = performance.now();
    await fetch(`${server.http}/faults/latency=100,latency-out=50/${voices}`);
    expect(performance.now() - sentMs).toBeGreaterThan(245);
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

  it.each(['capture', 'health', 'other/x'])('do not lead to %s', async (path) => {
    expect((await fetch(`${server.http}/faults/latency=1/${path}`)).status).toBe(404);
  });
});

const faultsIn = ({ messages }: CapturePage) =>
  messages.flatMap((message) => (message.type === 'fault' ? [message] : []));

describe('what a page sees of faults', () => {
  it('its own connection is named by the mark, with each strike', async () => {
    const page = await openCapturePage(server.http);
    await speak(`${server.ws}/faults/latency=5,duplicate@1,reset@2,mark=page-1/${STREAM}`, {
      origin: server.http,
    });
    await page.until(() => faultsIn(page).find(({ what }) => what === 'reset@2'));
    expect(faultsIn(page).map(({ what, mark }) => [what, mark])).toEqual([
      ['latency=5', 'page-1'],
      ['duplicate@1', 'page-1'],
      ['reset@2', 'page-1'],
    ]);
    page.socket.terminate();
  });

  it('a refusal is named too', async () => {
    const page = await openCapturePage(server.http);
    await refusalOf(`${server.ws}/faults/refuse=503,mark=page-2/${STREAM}`);
    await page.until(() => faultsIn(page).find(({ what }) => what === 'refuse=503'));
    page.socket.terminate();
  });

  it('a captured client has each strike right before what it changes', async () => {
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
