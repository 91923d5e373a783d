import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { settle } from '../fake-clock.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
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
