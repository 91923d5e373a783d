import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '#lib/clock.ts';
import { Capture } from '../capture/capture.ts';
import { createLog } from '../log.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { startTestVendor, type TestVendor } from './vendor.test-helper.ts';

const STREAM = '/relay/kugel/ws/tts/stream';
const MIB = 1024 * 1024;

let vendor: TestVendor;
let server: RunningServer;
let logged: string[];

const start = (base: URL, options: Parameters<typeof startTestServer>[0] = {}) =>
  startTestServer({
    engine: createTestEngine(),
    relays: { kugel: base, murmr: base },
    log: createLog('trace', { write: (line) => logged.push(line) }),
    ...options,
  });

beforeEach(async () => {
  logged = [];
  vendor = await startTestVendor();
  server = await start(vendor.base);
});
afterEach(async () => {
  await server.stop();
  await vendor.stop();
});

/** Both ends of one relayed socket. */
async function join(path = STREAM, protocols: string[] = [], options: object = {}) {
  const far = vendor.accepted();
  const near = new WebSocket(`${server.ws}${path}`, protocols, options);
  await once(near, 'open');
  return { near, far: await far };
}

const received = async (socket: WebSocket): Promise<string | Buffer> => {
  const [data, isBinary] = (await once(socket, 'message')) as [Buffer, boolean];
  return isBinary ? data : String(data);
};

const closeOf = async (socket: WebSocket) => {
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return { code, reason: String(reason) };
};

async function refusalOf(socket: WebSocket) {
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  let body = '';
  for await (const part of response) body += String(part);
  const { statusCode, statusMessage, headers } = response as IncomingMessage;
  return { status: statusCode, reason: statusMessage, headers, body };
}

/** Everything that needs no time has happened, also in the system's buffers. */
async function settled(progress: () => number): Promise<void> {
  for (let still = 0, last = -1; still < 300; still = progress() === last ? still + 1 : 0) {
    last = progress();
    await new Promise(setImmediate);
  }
}

describe('a relayed socket', () => {
  it('passes texts and bytes both ways, unchanged and in order', async () => {
    const { near, far } = await join();
    const messages = ['{"text":"é 𝄞"}', Buffer.from([0, 255, 254]), '', Buffer.alloc(0), 'x'.repeat(300_000)];
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      const arrived: (string | Buffer)[] = [];
      to.on('message', (data: Buffer, isBinary) => arrived.push(isBinary ? data : String(data)));
      for (const message of messages) from.send(message);
      while (arrived.length < messages.length) await once(to, 'message');
      expect(arrived).toEqual(messages);
    }
  });

  it('asks the vendor at its path with its query, and passes on the headers that are the vendor’s', async () => {
    await join('/relay/kugel/ws/tts/stream?api_key=a%2Bb&sdk=js', [], {
      headers: {
        Authorization: 'Bearer k',
        'User-Agent': 'agent/1',
        'X-Custom': 'yes',
        Cookie: 'session=1',
        Referer: 'http://127.0.0.1/',
      },
      origin: server.http,
      perMessageDeflate: true,
    });
    const [{ url, headers } = {}] = vendor.requests;
    expect(url).toBe('/prefix/ws/tts/stream?api_key=a%2Bb&sdk=js');
    expect(headers).toMatchObject({
      host: vendor.host,
      authorization: 'Bearer k',
      'user-agent': 'agent/1',
      'x-custom': 'yes',
    });
    for (const name of ['cookie', 'origin', 'referer', 'sec-websocket-extensions'])
      expect(headers).not.toHaveProperty(name);
  });

  it('answers with the headers of the vendor, its request id among them', async () => {
    vendor.headers = ['x-request-id: theirs', 'x-more: 1', 'set-cookie: a=1'];
    const near = new WebSocket(`${server.ws}${STREAM}`);
    const [{ headers }] = await once(near, 'upgrade');
    expect(headers).toMatchObject({ 'x-request-id': 'theirs', 'x-more': '1' });
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it.each([
    [['other', 'known'], 'known'],
    [[], ''],
  ])('has the subprotocol that the vendor selects of %j', async (offered, protocol) => {
    expect((await join(STREAM, offered)).near.protocol).toBe(protocol);
  });

  it('has no subprotocol where the vendor selects none', async () => {
    const near = new WebSocket(`${server.ws}${STREAM}`, ['other']);
    const [error] = await once(near, 'error');
    expect(error.message).toBe('Server sent no subprotocol');
  });

  it.each([
    [1000, 'enough'],
    [4003, 'Insufficient credits'],
    [1012, ''],
  ])('passes on close %i, whoever sends it', async (code, reason) => {
    const first = await join();
    first.far.close(code, reason);
    expect(await closeOf(first.near)).toEqual({ code, reason });
    const second = await join();
    second.near.close(code, reason);
    expect(await closeOf(second.far)).toEqual({ code, reason });
  });

  it('passes on a close without a code', async () => {
    const first = await join();
    first.far.close();
    expect(await closeOf(first.near)).toEqual({ code: 1005, reason: '' });
    const second = await join();
    second.near.close();
    expect(await closeOf(second.far)).toEqual({ code: 1005, reason: '' });
  });

  it('passes on an end without a close frame', async () => {
    const first = await join();
    first.near.on('error', () => {});
    first.far.terminate();
    expect((await closeOf(first.near)).code).toBe(1006);
    const second = await join();
    second.near.terminate();
    expect((await closeOf(second.far)).code).toBe(1006);
  });

  it('passes the vendor’s last messages on before its close', async () => {
    const { near, far } = await join();
    const arrived: string[] = [];
    near.on('message', (data) => arrived.push(String(data)));
    for (let at = 0; at < 500; at += 1) far.send(`${at}`);
    far.close(1000, '');
    await once(near, 'close');
    expect(arrived).toHaveLength(500);
  });

  it.each(['', '/faults/latency=1'])('passes on a message of the vendor of 16 MiB%s', async (faults) => {
    const { near, far } = await join(faults + STREAM);
    const large = Buffer.alloc(16 * MIB, 7);
    const arrived: boolean[] = [];
    near.on('message', (data: Buffer) => arrived.push(data.equals(large)));
    far.send(large);
    far.send('next');
    far.close(1000);
    await once(near, 'close');
    expect(arrived).toEqual([true, false]);
  });

  it('closes with 1009 after a larger one, and names it in the capture', async () => {
    const capture = new Capture(systemClock);
    await server.stop();
    server = await start(vendor.base, { capture });
    const { near, far } = await join();
    far.send(Buffer.alloc(16 * MIB + 1));
    const end = { code: 1009, reason: 'a message of the vendor has more than 16 MiB' };
    expect(await closeOf(near)).toEqual(end);
    const [client] = capture.connections.values();
    await expect.poll(() => client?.end).toMatchObject(end);
  });

  it('closes with 1007 after a text of the vendor that is not UTF-8', async () => {
    const { near, far } = await join();
    far.send(Buffer.from([0xff, 0xfe]), { binary: false });
    far.send('more');
    const left = closeOf(far);
    expect((await closeOf(near)).code).toBe(1007);
    expect((await left).code).toBe(1007);
  });

  it.each([
    ['the vendor', 'the client'],
    ['the client', 'the vendor'],
  ])('passes on a close of %s whose reason cannot be sent to %s', async (sender) => {
    const { near, far } = await join(STREAM, [], { skipUTF8Validation: true });
    const [from, to] = sender === 'the vendor' ? [far, near] : [near, far];
    const closed = closeOf(to);
    from.close(4000, Buffer.alloc(123, 0xff));
    expect(await closed).toEqual({ code: 4000, reason: '' });
  });

  it('answers pings itself, and leaves a vendor that does not', async () => {
    const deaf = await startTestVendor(false);
    const hasty = await start(deaf.base, { timesFaster: 100 });
    const near = new WebSocket(`${hasty.ws}${STREAM}`);
    const far = await deaf.accepted();
    await once(near, 'open');
    near.ping();
    await once(near, 'pong');
    const [left, closed] = [closeOf(far), closeOf(near)];
    expect([(await left).code, (await closed).code]).toEqual([1006, 1006]);
    await hasty.stop();
    await deaf.stop();
  });

  it.each([
    ['kugel', '/ws/tts/stream', 1012],
    ['murmr', '/v1/realtime', 1001],
  ])('of %s ends with the code of its vendor when the server shuts down', async (name, path, code) => {
    const { near, far } = await join(`/relay/${name}${path}`);
    const [closed, left] = [closeOf(near), closeOf(far)];
    await server.application.shutDown();
    expect((await closed).code).toBe(code);
    expect((await left).code).toBe(1001);
  });
});

describe('back-pressure', () => {
  /** More than all buffers of two connections on one machine. */
  const MESSAGES = 1500;
  const message = Buffer.alloc(64 * 1024, 7);

  it.each([
    ['the vendor', 'the client'],
    ['the client', 'the vendor'],
  ])('of %s: what %s does not read stays there, and nothing is lost', async (sender) => {
    const { near, far } = await join();
    const [from, to] = sender === 'the vendor' ? [far, near] : [near, far];
    to.pause();
    for (let at = 0; at < MESSAGES; at += 1) from.send(message);
    await settled(() => from.bufferedAmount);
    const passed = MESSAGES * message.length - from.bufferedAmount;
    expect(passed).toBeLessThan(40 * MIB);
    const arrived = new Promise<number>((resolve) => {
      let count = 0;
      to.on('message', () => {
        count += 1;
        if (count === MESSAGES) resolve(count);
      });
    });
    to.resume();
    expect(await arrived).toBe(MESSAGES);
    // The socket still works both ways.
    const answer = received(from);
    to.send('read');
    expect(await answer).toBe('read');
  });

  it('keeps its memory while a vendor sends tiny messages to a client that does not read', async () => {
    const { near, far } = await join();
    near.pause();
    // Several reads of the relay. Each holds more tiny messages than a client may leave unread.
    const count = 50_000;
    for (let at = 0; at < count; at += 1) far.send('tiny');
    await settled(() => far.bufferedAmount);
    expect(near.readyState).toBe(WebSocket.OPEN);
    let arrived = 0;
    near.on('message', () => {
      arrived += 1;
    });
    near.resume();
    far.close(1000, '');
    await once(near, 'close');
    expect(arrived).toBe(count);
  });
});

describe('a refused handshake', () => {
  it('is passed on with status, reason, headers and body', async () => {
    vendor.upgrade = (_, socket) =>
      socket.end(
        'HTTP/1.1 429 Too Many\r\nRetry-After: 7\r\nx-request-id: theirs\r\nContent-Type: application/json\r\nContent-Length: 15\r\nConnection: close\r\n\r\n{"error":"no!"}',
      );
    const { status, reason, headers, body } = await refusalOf(new WebSocket(`${server.ws}${STREAM}`));
    expect([status, reason]).toEqual([429, 'Too Many']);
    expect(headers).toMatchObject({
      'retry-after': '7',
      'x-request-id': 'theirs',
      'content-type': 'application/json',
    });
    expect(body).toBe('{"error":"no!"}');
  });

  it('is passed on as a redirect, which nobody follows', async () => {
    const elsewhere = await startTestVendor();
    vendor.upgrade = (_, socket) =>
      socket.end(`HTTP/1.1 302 Found\r\nLocation: http://${elsewhere.host}/\r\nContent-Length: 0\r\n\r\n`);
    const { status, headers } = await refusalOf(new WebSocket(`${server.ws}${STREAM}`));
    expect([status, headers.location]).toEqual([302, `http://${elsewhere.host}/`]);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });

  it('is 502 where nothing listens, with the host and without the key', async () => {
    await vendor.stop();
    const { status, body } = await refusalOf(new WebSocket(`${server.ws}${STREAM}?api_key=canary-key`));
    expect(status).toBe(502);
    expect(body).toBe(`the relay's target ${vendor.host} cannot be reached: ECONNREFUSED\n`);
  });

  it('is 502 where no WebSocket answers', async () => {
    vendor.upgrade = (_, socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
    const { status } = await refusalOf(new WebSocket(`${server.ws}${STREAM}`));
    expect(status).toBe(502);
  });

  it('is 504 where the vendor does not answer in time', async () => {
    const hasty = await start(vendor.base, { timesFaster: 100 });
    vendor.upgrade = () => {};
    const { status, body } = await refusalOf(new WebSocket(`${hasty.ws}${STREAM}`));
    expect(status).toBe(504);
    expect(body).toContain('does not answer within 10 s');
    await hasty.stop();
  });

  it('leaves the vendor when the client has left', async () => {
    const left = new Promise((resolve) => {
      vendor.upgrade = (_, socket) => {
        socket.resume().once('end', resolve);
        near.terminate();
      };
    });
    const near = new WebSocket(`${server.ws}${STREAM}`);
    near.on('error', () => {});
    await left;
  });
});

describe('what the relay does not do', () => {
  /** The status of a hand-written request, which no client has tidied. */
  async function rawStatus(target: string, headers: string[] = []): Promise<number> {
    const { port, host } = new URL(server.http);
    const socket = connect(Number(port), '127.0.0.1');
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    socket.write([`GET ${target} HTTP/1.1`, `Host: ${host}`, ...upgrade, ...headers, '\r\n'].join('\r\n'));
    const [data] = await once(socket, 'data');
    socket.destroy();
    return Number(/^HTTP\/1.1 (\d+)/.exec(String(data))?.[1]);
  }

  it.each([
    '/relay/kugel/../../other',
    '/relay/kugel/%2e%2e/other',
    '/relay/kugel/..%2fother',
    '/relay/kugel/..%252fother',
    '/relay/kugel/%2e%2e%5cother',
    '/relay/kugel/a%00b',
    '/relay/kugel//evil.example/x',
    '/relay/kugel\\..\\x',
    '/relay/evil.example/x',
    '/relay/http://evil.example/x',
    '/relay/toString/x',
    '/relay/',
    'http://evil.example/relay/x',
  ])('%s reaches nothing', async (target) => {
    expect(await rawStatus(target)).toBeGreaterThanOrEqual(400);
    expect(vendor.requests).toEqual([]);
  });

  it.each([
    'http://evil.example/relay/kugel/x',
    '/relay/kugel/x?u=//evil.example/..',
    '/relay/kugel/x@evil.example:1',
  ])('%s reaches the vendor alone', async (target) => {
    expect(await rawStatus(target)).toBe(101);
    expect(vendor.requests.map(({ url }) => url?.startsWith('/prefix/x'))).toEqual([true]);
  });

  it('serves no page of another origin', async () => {
    expect(await rawStatus(STREAM, ['Origin: https://evil.example'])).toBe(403);
    expect(vendor.requests).toEqual([]);
  });
});
