import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { CaptureMessage } from '#trace/capture-messages.ts';
import { createFakeClock, settle } from '../fake-clock.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { testConnection } from '../test-connection.test-helper.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { Capture } from './capture.ts';
import { CaptureSession } from './capture-session.ts';
import { type CapturePage, captureToken, openCapturePage } from './page.test-helper.ts';

let server: RunningServer;
let page: CapturePage;
beforeAll(async () => {
  server = await startTestServer({ engine: createTestEngine() });
  page = await openCapturePage(server.http);
});
afterAll(async () => {
  page.socket.terminate();
  await server.stop();
});

/** Everything of a program, once it has left. */
async function everythingOf(program: string) {
  const { id } = await page.until(() => page.clientOf(program));
  page.watch(id);
  await page.until(() =>
    page.messages.find((message) => message.type === 'entries' && message.client === id && message.isLast),
  );
  return page.entriesOf(id);
}

/** A program that speaks one turn. Resolves with the frames that it received. */
async function speak(program: string): Promise<string[]> {
  const headers = { 'User-Agent': program };
  const socket = new WebSocket(`${server.ws}/kugel/ws/tts/stream?api_key=local`, { headers });
  const frames: string[] = [];
  await once(socket, 'open');
  const ended = once(socket, 'close');
  socket.on('message', (data) => {
    frames.push(String(data));
    if (String(data).includes('session_closed')) socket.close(1000, 'enough');
  });
  socket.send(JSON.stringify({ text: 'Good morning.', voice_id: 1071, flush: true }));
  socket.send(JSON.stringify({ close: true }));
  await ended;
  return frames;
}

/** A frame of a client with this first byte, and with a mask of zeros. */
const masked = (first: number, payload: string): Buffer =>
  Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)]);

describe('a page that watches', () => {
  it('sees a client of before and of now, with its figures', async () => {
    await speak('before/1');
    const late = await openCapturePage(server.http);
    const figures = { endpoint: 'kugel-stream', turns: 1, lost: 0, audioMs: 130, end: { code: 1000 } };
    const before = await late.until(() => late.clientOf('before/1'));
    expect(before).toMatchObject({ ...figures, findings: { violations: 0 } });
    const speaking = speak('now/1');
    const now = await late.until(() => late.clientOf('now/1'));
    await speaking;
    await late.until(() => late.client(now.id)?.end ?? undefined);
    expect(late.client(now.id)).toMatchObject(figures);
    late.socket.terminate();
  });

  it('receives every frame of a watched client as the client does', async () => {
    const received = await speak('frames/1');
    const entries = await everythingOf('frames/1');
    expect(entries.filter(({ direction }) => direction === 'in').map(({ text }) => text)).toEqual(received);
    expect(entries.filter(({ direction }) => direction === 'out').map(({ text }) => text)).toEqual([
      '{"text":"Good morning.","voice_id":1071,"flush":true}',
      '{"close":true}',
    ]);
    expect(entries.flatMap(({ kind }) => kind || [])).toEqual(['opening', 'opened', 'closed']);
    const times = entries.map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  it('receives no frame that was made after the client had closed', async () => {
    const engine = createTestEngine();
    const held = await startTestServer({ engine });
    engine.hold();
    const { host, port } = new URL(held.http);
    // Stays connected after the close of the WebSocket, as a client far away does for the way of the answer.
    const client = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    client.write(
      [
        'GET /kugel/ws/tts/stream?api_key=local HTTP/1.1',
        `Host: ${host}`,
        'User-Agent: closed/1',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        '\r\n',
      ].join('\r\n'),
    );
    await once(client, 'data');
    client.write(masked(0x81, JSON.stringify({ text: 'Good morning.', voice_id: 1071, flush: true })));
    const watching = await openCapturePage(held.http);
    const { id } = await watching.until(() => watching.clientOf('closed/1'));
    watching.watch(id);
    const received = () => watching.entriesOf(id).filter(({ direction }) => direction === 'in');
    await watching.until(() => received()[0]);
    const ended = once(client, 'end');
    client.write(masked(0x88, ''));
    client.resume();
    await ended;
    const before = received().length;
    engine.release();
    await settle();
    client.destroy();
    await watching.until(() => watching.messages.find((one) => one.type === 'entries' && one.isLast));
    expect(received()).toHaveLength(before);
    watching.socket.terminate();
    await held.stop();
  });

  it('receives no key of any header of the handshake, also where a frame repeats it', async () => {
    const key = 'sk-canary-0123456789';
    const headers = { 'User-Agent': 'two keys/1', 'X-API-Key': key };
    const socket = new WebSocket(`${server.ws}/kugel/ws/tts/stream?api_key=local`, { headers });
    await once(socket, 'open');
    socket.send(JSON.stringify({ text: 7, note: key }));
    await once(socket, 'message');
    socket.close();
    await once(socket, 'close');
    const seen = JSON.stringify(await everythingOf('two keys/1'));
    expect(seen).toContain('[key]');
    expect(seen).not.toContain(key);
  });

  it('is told of an unknown client that it is gone', async () => {
    page.watch('nobody');
    await page.until(() =>
      page.messages.find((message) => message.type === 'clients' && message.gone.includes('nobody')),
    );
  });

  it.each([
    ['text that is no JSON', 'no JSON'],
    ['an unknown message', '{"type":"delete"}'],
  ])('is closed after %s, with the expectation as its reason', async (_, text) => {
    const { socket } = await openCapturePage(server.http);
    socket.send(text);
    const [code, reason] = await once(socket, 'close');
    expect(code).toBe(1008);
    expect(String(reason)).toContain('expected');
  });
});

describe('many pages', () => {
  it('give way by the address that has most of them', async () => {
    const watching = await startTestServer({ engine: createTestEngine() });
    const open = (localAddress: string) => openCapturePage(watching.http, { localAddress });
    const good = await open('127.0.0.2');
    const pages = [];
    for (let count = 0; count < 16; count += 1) {
      const one = await open('127.0.0.1');
      pages.push({ ...one, closed: once(one.socket, 'close') });
    }
    expect(await pages[0]?.closed).toMatchObject([1013, expect.anything()]);
    await good.until(() => good.messages[0]);
    for (const { socket } of [good, ...pages.slice(1)]) {
      expect(socket.readyState).toBe(WebSocket.OPEN);
      socket.terminate();
    }
    await watching.stop();
  });
});

it('a page that does not read gets the newest list and faults once it reads', async () => {
  const clock = createFakeClock();
  const capture = new Capture(clock);
  const sent: CaptureMessage[] = [];
  let reads = Promise.resolve();
  const send = (message: string | Uint8Array) => void sent.push(JSON.parse(String(message)));
  const connection = testConnection(clock, { send, drained: () => reads });
  const session = new CaptureSession(connection, capture, () => {});
  await settle();
  expect(sent.splice(0)).toEqual([{ type: 'clients', changed: [], gone: [] }]);
  let read = () => {};
  reads = new Promise((resolve) => {
    read = resolve;
  });
  const address = `ws://127.0.0.1/?${'a'.repeat(15_000)}`;
  const start = {
    id: 'a',
    peer: ['1'],
    endpoint: '',
    address,
    program: '',
    secrets: [],
    isPublic: () => true,
  };
  const client = capture.begin(start);
  for (let at = 0; at < 1000; at += 1) {
    client.frame('in', 'x');
    capture.injected(`fault ${at}`, 'mark');
    await clock.advance(100);
  }
  expect(sent).toEqual([]);
  read();
  await settle();
  const faults = sent.flatMap((message) => (message.type === 'fault' ? message.what : []));
  expect(faults).toEqual(Array.from({ length: 100 }, (_, at) => `fault ${900 + at}`));
  const lists = sent.flatMap((message) => (message.type === 'clients' ? [message.changed] : []));
  expect(lists).toMatchObject([[{ id: 'a', bytes: 1000 }]]);
  expect(lists[0]?.[0]?.address.length).toBe(2000);
  session.goingAway();
});

/** The status with which a handshake is refused. */
async function refusalOf(address: string, options = {}): Promise<number> {
  const socket = new WebSocket(address, options);
  const [, response] = await once(socket, 'unexpected-response');
  return response.statusCode;
}

describe('what others may not see', () => {
  it.each([
    ['a program without an origin', {}],
    ['a page of another origin', { origin: 'http://evil.example' }],
    ['a page of another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ])('is refused to %s', async (_, options) => {
    const address = `${server.ws}/capture?token=${await captureToken(server.http)}`;
    expect(await refusalOf(address, options)).toBe(403);
  });

  it('is refused with a wrong token', async () => {
    expect(await refusalOf(`${server.ws}/capture?token=wrong`, { origin: server.http })).toBe(403);
  });

  it.each([[{}], [{ Origin: 'http://evil.example' }], [{ 'Sec-Fetch-Site': 'cross-site' }]])(
    'gives no token for headers %j',
    async (headers) => {
      const answer = await fetch(`${server.http}/capture`, { headers: new Headers(Object.entries(headers)) });
      expect(answer.status).toBe(403);
    },
  );

  it('does not hold the connections of the page itself', async () => {
    const own = new WebSocket(`${server.ws}/kugel/ws/tts/stream?api_key=local`, {
      origin: server.http,
      headers: { 'User-Agent': 'own/1' },
    });
    await once(own, 'open');
    await speak('other/1');
    await page.until(() => page.clientOf('other/1'));
    expect(page.clientOf('own/1')).toBeUndefined();
    own.close();
  });
});

it('captures nothing where it is switched off', async () => {
  const off = await startTestServer({ engine: createTestEngine(), capture: null });
  const answer = await fetch(`${off.http}/capture`, { headers: { 'Sec-Fetch-Site': 'same-origin' } });
  expect(await answer.json()).toEqual({ token: null });
  expect(await refusalOf(`${off.ws}/capture?token=x`, { origin: off.http })).toBe(404);
  await off.stop();
});
