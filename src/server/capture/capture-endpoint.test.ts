import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { settle } from '../fake-clock.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { captureToken, openCapturePage } from './page.test-helper.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startTestServer();
}, 60_000);
afterAll(() => server.stop());

/** A program that speaks one turn. Resolves with the frames that it received. */
async function speak(program: string, key = 'local', path = '/kugel/ws/tts/stream'): Promise<string[]> {
  const socket = new WebSocket(`${server.ws}${path}?api_key=${key}`, { headers: { 'User-Agent': program } });
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
    const page = await openCapturePage(server.http);
    const before = await page.until(() => page.clientOf('before/1'));
    expect(before).toMatchObject({ endpoint: 'kugel-stream', turns: 1, lost: 0, end: { code: 1000 } });
    expect(before.findings.violations).toBe(0);
    expect(before.audioMs).toBeGreaterThan(300);
    const speaking = speak('now/1');
    const now = await page.until(() => page.clientOf('now/1'));
    await speaking;
    const ended = await page.until(() => (page.client(now.id)?.end ? page.client(now.id) : undefined));
    expect(ended.turns).toBe(1);
    page.socket.close();
  });

  it('receives every frame of a watched client as the client does', async () => {
    const page = await openCapturePage(server.http);
    const received = await speak('frames/1');
    const { id } = await page.until(() => page.clientOf('frames/1'));
    page.watch(id);
    await page.until(() =>
      page.messages.find((message) => message.type === 'entries' && message.client === id && message.isLast),
    );
    const entries = page.entriesOf(id);
    expect(entries.filter(({ direction }) => direction === 'in').map(({ text }) => text)).toEqual(received);
    expect(entries.filter(({ direction }) => direction === 'out').map(({ text }) => text)).toEqual([
      '{"text":"Good morning.","voice_id":1071,"flush":true}',
      '{"close":true}',
    ]);
    expect(entries.map(({ kind }) => kind).filter((kind) => kind !== '')).toEqual([
      'opening',
      'opened',
      'closed',
    ]);
    const times = entries.map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    page.socket.close();
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
    const page = await openCapturePage(held.http);
    const { id } = await page.until(() => page.clientOf('closed/1'));
    page.watch(id);
    const received = () => page.entriesOf(id).filter(({ direction }) => direction === 'in');
    await page.until(() => received()[0]);
    const ended = once(client, 'end');
    client.write(masked(0x88, ''));
    client.resume();
    await ended;
    const before = received().length;
    engine.release();
    await settle();
    client.destroy();
    await page.until(() => page.messages.find((message) => message.type === 'entries' && message.isLast));
    expect(received()).toHaveLength(before);
    page.socket.close();
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
    const page = await openCapturePage(server.http);
    const { id } = await page.until(() => page.clientOf('two keys/1'));
    page.watch(id);
    await page.until(() => page.messages.find((message) => message.type === 'entries' && message.isLast));
    const seen = JSON.stringify(page.entriesOf(id));
    expect(seen).toContain('[key]');
    expect(seen).not.toContain(key);
    page.socket.close();
  });

  it('is told of an unknown client that it is gone', async () => {
    const page = await openCapturePage(server.http);
    page.watch('nobody');
    await page.until(() =>
      page.messages.find((message) => message.type === 'clients' && message.gone.includes('nobody')),
    );
    page.socket.close();
  });

  it.each([
    ['text that is no JSON', 'no JSON'],
    ['an unknown message', '{"type":"delete"}'],
  ])('is closed after %s, with what was expected', async (_, text) => {
    const page = await openCapturePage(server.http);
    page.socket.send(text);
    const [code, reason] = await once(page.socket, 'close');
    expect(code).toBe(1008);
    expect(String(reason)).toContain('expected');
  });
});

describe('what nobody else may see', () => {
  it.each([
    ['a program without an origin', {}],
    ['a page of another origin', { origin: 'http://evil.example' }],
    ['a page of another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ])('is refused to %s', async (_, options) => {
    const socket = new WebSocket(`${server.ws}/capture?token=${await captureToken(server.http)}`, options);
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(403);
  });

  it('is refused with a wrong token', async () => {
    const socket = new WebSocket(`${server.ws}/capture?token=wrong`, { origin: server.http });
    const [, response] = await once(socket, 'unexpected-response');
    expect(response.statusCode).toBe(403);
  });

  it('gives no token to a program or another page', async () => {
    for (const headers of [{}, { Origin: 'http://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      const answer = await fetch(`${server.http}/capture`, { headers: new Headers(Object.entries(headers)) });
      expect(answer.status).toBe(403);
    }
  });

  it('does not hold the connections of the page itself', async () => {
    const own = new WebSocket(`${server.ws}/kugel/ws/tts/stream?api_key=local`, {
      origin: server.http,
      headers: { 'User-Agent': 'own/1' },
    });
    await once(own, 'open');
    await speak('other/1');
    const page = await openCapturePage(server.http);
    await page.until(() => page.clientOf('other/1'));
    expect(page.clientOf('own/1')).toBeUndefined();
    own.close();
    page.socket.close();
  });
});

it('captures nothing where it is switched off', async () => {
  const off = await startTestServer({ capture: null });
  const answer = await fetch(`${off.http}/capture`, { headers: { 'Sec-Fetch-Site': 'same-origin' } });
  expect(await answer.json()).toEqual({ token: null });
  const socket = new WebSocket(`${off.ws}/capture?token=x`, { origin: off.http });
  const [, response] = await once(socket, 'unexpected-response');
  expect(response.statusCode).toBe(404);
  await off.stop();
}, 60_000);
