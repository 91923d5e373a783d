import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { systemClock } from '#lib/clock.ts';
import { Capture } from '../capture/capture.ts';
import { openCapturePage } from '../capture/page.test-helper.ts';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { createLog } from '../log.ts';
import type { RunningServer } from '../running-server.ts';
import { UPGRADE } from '../socket-client.test-helper.ts';
import { TotalOutput } from '../sockets/unread-output.ts';
import { testConnection } from '../test-connection.test-helper.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { openUpstream } from './upstream.ts';
import { bodyOf, startTestVendor, type TestVendor } from './vendor.test-helper.ts';
import { VendorMemory } from './vendor-memory.ts';

const STREAM = '/relay/kugel/ws/tts/stream';
const MIB = 1024 * 1024;

let vendor: TestVendor;
let server: RunningServer;
/** Errors that the server has logged. */
let logged: string[];

const start = (base: URL, options: Parameters<typeof startTestServer>[0] = {}) =>
  startTestServer({
    engine: createTestEngine(),
    relays: { kugel: base, murmr: base },
    log: createLog('error', { write: (line) => logged.push(line) }),
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

/** The two kinds of requests, with the headers that make them. */
const DOORS = { handshake: UPGRADE, call: { Connection: 'close, X-Hop', 'X-Hop': '1' } };
type Door = keyof typeof DOORS;

/** Sends a request as it is, which no client has tidied. */
function ask(door: Door, target: string, headers: Readonly<Record<string, string>> = {}, { http } = server) {
  const options = { path: target, headers: { ...DOORS[door], ...headers }, agent: false };
  const request = httpRequest(http, options);
  request.on('upgrade', (_, socket) => socket.destroy());
  request.on('error', () => {});
  request.end();
  const head = Promise.race([once(request, 'response'), once(request, 'upgrade')]).then(
    ([answer]) => answer as IncomingMessage,
  );
  head.catch(() => {});
  return { request, head };
}

async function statusOf(...asked: Parameters<typeof ask>): Promise<number | undefined> {
  const { request, head } = ask(...asked);
  const { statusCode } = await head;
  request.destroy();
  return statusCode;
}

/** The answer to a call or a refused handshake. */
async function answerOf(...asked: Parameters<typeof ask>) {
  const answer = await ask(...asked).head;
  const { statusCode: status, statusMessage: reason, headers } = answer;
  return { status, reason, headers, body: String(await bodyOf(answer)) };
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

  it('answers with the headers of the vendor, its request id among them', async () => {
    vendor.headers = ['x-request-id: theirs', 'x-more: 1', 'set-cookie: a=1', 'alt-svc: clear'];
    const { headers } = await ask('handshake', STREAM).head;
    expect(headers).toMatchObject({ 'x-request-id': 'theirs', 'x-more': '1', 'set-cookie': ['a=1'] });
    const page = await ask('handshake', STREAM, { Origin: server.http }).head;
    expect(page.headers).toMatchObject({ 'x-request-id': 'theirs', 'x-more': '1' });
    expect(Object.keys(page.headers)).not.toContainEqual(expect.stringMatching(/set-cookie|alt-svc/));
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
    // Without a code, and without a close frame.
    [1005, ''],
    [1006, ''],
  ])('passes on close %i, whoever sends it', async (code, reason) => {
    for (const [from, to] of [
      ['near', 'far'],
      ['far', 'near'],
    ] as const) {
      const ends = await join();
      const closed = closeOf(ends[to].on('error', () => {}));
      if (code === 1005) ends[from].close();
      else if (code === 1006) ends[from].terminate();
      else ends[from].close(code, reason);
      expect(await closed).toEqual({ code, reason });
    }
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

  const REFUSAL = '{"err_code":"INVALID_AUTH"}';
  const JSON_TYPE = 'application/json; charset=utf-8';

  it.each([
    ['with its type', '', REFUSAL, { body: REFUSAL, contentType: JSON_TYPE }],
    ['without a body that is too large', '', 'x'.repeat(16 * 1024 + 1), null],
    ['without one that is compressed', 'Content-Encoding: br\r\n', REFUSAL, null],
  ])('captures the refusal of the vendor, %s', async (_, more, body, expected) => {
    const capture = new Capture(systemClock);
    await server.stop();
    server = await start(vendor.base, { capture });
    const head = `HTTP/1.1 401 Unauthorized\r\nContent-Type: ${JSON_TYPE}\r\n${more}`;
    vendor.replies(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    expect(await answerOf('handshake', STREAM)).toMatchObject({ status: 401, body });
    const [client] = capture.connections.values();
    const [close = null] = client?.from(0, client.length).slice(-1) ?? [];
    expect(JSON.parse(String(close?.payload))).toEqual({
      ...{ code: 1006, reason: 'refused with 401', asked: false, left: false },
      ...expected,
    });
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

  it('keeps its place while it is idle, and so does that of a page that captures', async () => {
    const clock = createFakeClock();
    await server.stop();
    server = await start(vendor.base, { clock, limits: { sockets: 2, socketsOfOne: 2 } });
    const { near } = await join();
    const { socket: page } = await openCapturePage(server.http);
    await clock.advance(30_000);
    const third = new WebSocket(`${server.ws}${STREAM}`);
    const ends = [near, page, third].map(async (socket, at) => {
      await closeOf(socket);
      return ['relayed', 'page', 'third'][at];
    });
    expect(await Promise.race(ends)).toBe('third');
    expect([near.readyState, page.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
    page.terminate();
  });

  it('answers pings itself, and leaves a vendor that does not', async () => {
    const clock = createFakeClock();
    const deaf = await startTestVendor(false);
    const still = await start(deaf.base, { clock });
    const near = new WebSocket(`${still.ws}${STREAM}`);
    const far = await deaf.accepted();
    await once(near, 'open');
    await Promise.all([once(near, 'ping'), once(far, 'ping'), clock.advance(30_000)]);
    // Its answer to the server's ping comes before this one.
    near.ping();
    await once(near, 'pong');
    const ends = await Promise.all([closeOf(far), closeOf(near), clock.advance(30_000)]);
    expect(ends).toMatchObject([{ code: 1006 }, { code: 1006 }, undefined]);
    await still.stop();
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
  /** Messages of 1 MiB. */
  const BATCH = 16;
  const message = Buffer.alloc(MIB / BATCH, 7);
  /** More than all buffers hold that nobody reads: the system may give 36 MB to each end of the two connections. */
  const MOST_BATCHES = 512;

  it.each([
    ['the vendor', 'the client'],
    ['the client', 'the vendor'],
  ])('of %s: what %s does not read stays there, and nothing is lost', async (sender) => {
    const { near, far } = await join();
    const [from, to] = sender === 'the vendor' ? [far, near] : [near, far];
    to.pause();
    let sent = 0;
    while (from.bufferedAmount === 0 && sent < MOST_BATCHES * BATCH) {
      for (let at = 0; at < BATCH; at += 1) from.send(message);
      sent += BATCH;
      await settled(() => from.bufferedAmount);
    }
    expect(from.bufferedAmount).toBeGreaterThan(0);
    let arrived = 0;
    const last = new Promise<void>((resolve) => {
      to.on('message', () => {
        arrived += 1;
        if (arrived === sent) resolve();
      });
    });
    to.resume();
    await last;
    // Nothing comes twice, and the socket still works both ways.
    const answer = received(from);
    to.send('read');
    expect(await answer).toBe('read');
    expect(arrived).toBe(sent);
  });

  it('keeps its memory while a vendor sends tiny messages to a client that does not read', async () => {
    const { near, far } = await join();
    near.pause();
    // Two reads of the relay. Each holds more tiny messages than a client may leave unread.
    const count = 25_000;
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

describe('large messages of vendors', () => {
  it('to clients that do not read are bounded in all, and arrive whole', async () => {
    const clock = createFakeClock();
    const memory = new VendorMemory({ scarceAbove: 2 * MIB, max: 8 * MIB, message: MIB });
    const count = 30;
    const large = Buffer.alloc(MIB, 7);
    const arrived: boolean[] = [];
    let read = () => {};
    const isRead = new Promise<void>((resolve) => {
      read = resolve;
    });
    let mostBytes = 0;
    const fars: WebSocket[] = [];
    for (let at = 0; at < count; at += 1) {
      const far = vendor.accepted();
      const request = { headers: {}, socket: { remoteAddress: `${at % 3}` } } as unknown as IncomingMessage;
      const options = { clock, restart: { code: 1001, reason: '' }, total: new TotalOutput(), memory };
      const upstream = await openUpstream(vendor.base, request, new AbortController().signal, options);
      if (!('open' in upstream)) throw new Error('expected a socket of the vendor');
      let isUnread = false;
      upstream.open(
        testConnection(clock, {
          send(message) {
            isUnread = true;
            arrived.push(large.equals(Buffer.from(message)));
          },
          drained: () => (isUnread ? isRead : Promise.resolve()),
        }),
      );
      fars.push(await far);
    }
    const watch = () => {
      mostBytes = Math.max(mostBytes, memory.heldBytes);
      return mostBytes + arrived.length;
    };
    for (const far of fars) far.send(large);
    await settled(watch);
    expect(memory.heldBytes).toBeGreaterThan(2 * MIB);
    expect(mostBytes).toBeLessThanOrEqual(8 * MIB);
    expect(arrived.length).toBeLessThan(10);
    read();
    while (arrived.length < count) await settled(watch);
    expect(arrived).toEqual(Array(count).fill(true));
    expect(mostBytes).toBeLessThanOrEqual(8 * MIB);
    for (const far of fars) far.terminate();
  });
});

describe('a handshake', () => {
  it('is 502 where no WebSocket answers', async () => {
    vendor.replies('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect(await statusOf('handshake', STREAM)).toBe(502);
  });

  it('reaches the vendor without a Content-Length, which would announce a body', async () => {
    await statusOf('handshake', STREAM, { 'Content-Length': '40' });
    expect(vendor.requests).toHaveLength(1);
    expect(vendor.requests[0]?.headers).not.toHaveProperty('content-length');
  });

  it('is 504 where the vendor does not answer within 10 s', async () => {
    const clock = createFakeClock();
    const still = await start(vendor.base, { clock });
    const asked = new Promise((resolve) => {
      vendor.upgrade = resolve;
    });
    const answer = answerOf('handshake', STREAM, {}, still);
    await asked;
    await clock.advance(10_000);
    const { status, body } = await answer;
    expect([status, body]).toEqual([504, `the relay's target ${vendor.host} does not answer within 10 s\n`]);
    await still.stop();
  });
});

describe.each(['handshake', 'call'] as const)('a relayed %s', (door) => {
  it('reaches the vendor at its path with its query, and with the headers that are the vendor’s', async () => {
    const sent = { authorization: 'Bearer k', 'user-agent': 'agent/1', 'x-custom': 'yes' };
    await statusOf(door, '/relay/kugel/x?api_key=a%2Bb&sdk=js', {
      ...sent,
      Cookie: 'session=1',
      Origin: server.http,
      Referer: 'http://127.0.0.1/',
      'Sec-WebSocket-Extensions': 'permessage-deflate',
    });
    const [{ url, headers } = {}] = vendor.requests;
    expect(url).toBe('/prefix/x?api_key=a%2Bb&sdk=js');
    expect(headers).toMatchObject({ host: vendor.host, ...sent });
    for (const name of ['cookie', 'origin', 'referer', 'sec-websocket-extensions', 'x-hop'])
      expect(headers).not.toHaveProperty(name);
  });

  const ABOUT_ORIGIN = {
    'set-cookie': ['a=1', 'b=2; Path=/'],
    'clear-site-data': '"*"',
    refresh: '0',
    link: '</x>; rel=preload',
    'alt-svc': 'clear',
    'strict-transport-security': 'max-age=9',
    'reporting-endpoints': 'a="/b"',
    nel: '{}',
    'www-authenticate': 'Basic',
    'accept-ch': 'Sec-CH-UA-Model',
    'critical-ch': 'Sec-CH-UA-Model',
    'speculation-rules': '"/rules.json"',
  };
  const PASSED = { 'retry-after': '7', 'x-request-id': 'theirs', 'content-type': 'application/json' };
  it.each<[string, Record<string, string>, object]>([
    ['all headers of the vendor', {}, { ...PASSED, ...ABOUT_ORIGIN }],
    ['those that do not concern its origin', { 'Sec-Fetch-Site': 'same-origin' }, PASSED],
    ['the same on plain HTTP in a LAN', { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' }, PASSED],
  ])('is answered with status, reason, body and %s', async (_, asking, expected) => {
    const lines = Object.entries({ ...PASSED, ...ABOUT_ORIGIN }).flatMap(([name, value]) =>
      [value].flat().map((each) => `${name}: ${each}\r\n`),
    );
    vendor.replies(
      `HTTP/1.1 429 Too Many\r\n${lines.join('')}Content-Length: 15\r\nConnection: close\r\n\r\n{"error":"no!"}`,
    );
    const { status, reason, headers, body } = await answerOf(door, '/relay/kugel/x', asking);
    expect([status, reason, body]).toEqual([429, 'Too Many', '{"error":"no!"}']);
    const named = Object.entries(headers).filter(([name]) => name in PASSED || name in ABOUT_ORIGIN);
    expect(Object.fromEntries(named)).toEqual(expected);
  });

  it.each([
    ['099', 99],
    ['101', 101],
  ])('is 502 where the vendor answers with status %s', async (status, number) => {
    vendor.replies(`HTTP/1.1 ${status} Odd\r\nContent-Length: 0\r\n\r\n`);
    const answer = await answerOf(door, '/relay/kugel/x');
    expect([answer.status, answer.body]).toEqual([
      502,
      expect.stringContaining(`answers with status ${number}`),
    ]);
    expect(logged).toEqual([]);
  });

  it('is answered with a redirect of the vendor, which nobody follows', async () => {
    vendor.replies(`HTTP/1.1 302 Found\r\nLocation: http://${vendor.host}/x\r\nContent-Length: 0\r\n\r\n`);
    const { status, headers } = await answerOf(door, '/relay/kugel/x');
    expect([status, headers.location]).toEqual([302, `http://${vendor.host}/x`]);
    expect(vendor.requests).toHaveLength(1);
  });

  it('is 502 where nothing listens, with the host and without the key', async () => {
    await vendor.stop();
    const { status, body } = await answerOf(door, '/relay/kugel/x?api_key=canary-key');
    const why = `the relay's target ${vendor.host} cannot be reached: ECONNREFUSED`;
    expect([status, body]).toEqual([502, door === 'call' ? JSON.stringify({ error: why }) : `${why}\n`]);
  });

  it('ends at the vendor when the client leaves before the answer', async () => {
    const left = new Promise((resolve) => {
      vendor.upgrade = (_, socket) => {
        socket.resume().once('end', resolve);
        request.destroy();
      };
      vendor.answer = (_, response) => {
        response.once('close', resolve);
        request.destroy();
      };
    });
    const { request } = ask(door, '/relay/kugel/x');
    await left;
  });

  it.each([
    '/relay',
    '/relay/',
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
    'http://evil.example/relay/x',
  ])('reaches nothing at %s', async (target) => {
    expect(await statusOf(door, target)).toBeGreaterThanOrEqual(400);
    expect(vendor.requests).toEqual([]);
  });

  it.each([
    'http://evil.example/relay/kugel/x',
    '/relay/kugel/x?u=//evil.example/..',
    '/relay/kugel/x@evil.example:1',
  ])('reaches the vendor alone at %s', async (target) => {
    expect(await statusOf(door, target)).toBe(door === 'call' ? 404 : 101);
    expect(vendor.requests.map(({ url }) => url?.startsWith('/prefix/x'))).toEqual([true]);
  });

  it('of a page of another origin reaches nothing', async () => {
    expect(await statusOf(door, STREAM, { Origin: 'https://evil.example' })).toBe(403);
    expect(vendor.requests).toEqual([]);
  });
});
