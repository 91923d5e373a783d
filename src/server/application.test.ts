import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { NONCE_PLACEHOLDER } from '#lib/page-nonce.ts';
import { MAX_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import { socketLimits } from './environment.ts';
import { createKeys } from './keys.ts';
import { createLog } from './log.ts';
import type { RunningServer } from './running-server.ts';
import { staticFiles } from './static-files.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

const STREAM = '/kugel/ws/tts/stream';
const PAGE = `<!doctype html><meta property="csp-nonce" nonce="${NONCE_PLACEHOLDER}"><script nonce="${NONCE_PLACEHOLDER}" src="/a.js"></script>`;

let server: RunningServer;
let directory: string;
const logged: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
  await writeFile(join(directory, 'index.html'), PAGE);
  await writeFile(join(directory, 'worker.js'), 'postMessage(1)');
  server = await startTestServer({
    engine: createTestEngine(),
    files: staticFiles(directory, []),
    log: createLog('trace', { write: (line) => logged.push(line) }),
  });
});

afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

/** `fetch` sets Host and Origin itself; this sends what it is given. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = httpRequest(`${server.http}${path}`, { method, headers, agent: false }).end();
  const [response] = await once(request, 'response');
  let body = '';
  for await (const part of response) body += String(part);
  return { status: response.statusCode as number, headers: response.headers as Record<string, string>, body };
}

/** The first bytes of the answer to a hand-written upgrade. */
async function rawUpgrade(path: string, headers: string[] = []): Promise<string> {
  const { port, host } = new URL(server.http);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(
    [
      `GET ${path} HTTP/1.1`,
      ...(headers.some((line) => line.startsWith('Host:')) ? [] : [`Host: ${host}`]),
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
      '\r\n',
    ].join('\r\n'),
  );
  let answer = '';
  for await (const part of socket) {
    answer += String(part);
    if (answer.startsWith('HTTP/1.1 101')) break;
  }
  socket.destroy();
  return answer;
}

async function closeOf(socket: WebSocket) {
  const frames: unknown[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(String(data))));
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return { frames, code, reason: String(reason) };
}

describe('pages', () => {
  it('the page has a nonce of its own in each response, the same in policy and text', async () => {
    const nonces = await Promise.all(
      ['/', '/index.html'].map(async (path) => {
        const { headers, body } = await get(path);
        const nonce = /style-src 'self' 'nonce-([\w-]+)'/.exec(headers['content-security-policy'] ?? '')?.[1];
        expect(nonce).toMatch(/^[\w-]{22}$/);
        expect(body).toBe(PAGE.replaceAll(NONCE_PLACEHOLDER, nonce ?? ''));
        expect(headers['cache-control']).toBe('no-cache');
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(2);
  });

  it.each(['/', '/worker.js', '/nothing', '/health', '/kugel/v1/models', '/kugel/nothing', '/murmr/nothing'])(
    '%s carries the headers of isolation and safety',
    async (path) => {
      expect((await get(path)).headers).toMatchObject({
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    },
  );

  it('answers what it does not have, and what it does not do', async () => {
    expect((await get('/nothing')).status).toBe(404);
    expect((await get('/..%2f..%2fpackage.json')).status).toBe(404);
    expect((await get('/', {}, 'POST')).status).toBe(405);
    expect(await get('/', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
    expect(JSON.parse((await get('/health')).body)).toEqual({ status: 'healthy' });
  });

  it('answers to names of this machine alone while bound to it', async () => {
    expect((await get('/', { Host: 'rebound.example.com' })).status).toBe(421);
    expect((await get('/', { Host: 'localhost:4173' })).status).toBe(200);
  });
});

describe('one path of the page', () => {
  it.each([
    '/',
    '/index.html',
    '/%69ndex.html',
    '/index%2ehtml',
    '/index.html/',
    '//index.html',
    '/x/../index.html',
    '/%2e/',
  ])('%s is the page with its policy', async (path) => {
    const { status, headers, body } = await get(path);
    expect(status).toBe(200);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(body).not.toContain(NONCE_PLACEHOLDER);
  });

  it.each([
    '/%2569ndex.html',
    '/INDEX.HTML',
    '/%',
    '/%2e%2e/index.js',
    '/..%2f..%2fpackage.json',
    '/index.html%00',
  ])('%s is no file', async (path) => expect((await get(path)).status).toBe(404));

  it.each(['bytes=0-0', 'bytes=-5', 'bytes=999-', 'bytes=5-1'])(
    'a file is sent whole for %s',
    async (range) => {
      const { status, headers, body } = await get('/worker.js', { Range: range });
      expect([status, body, headers['content-range']]).toEqual([200, 'postMessage(1)', undefined]);
    },
  );
});

describe('upgrade', () => {
  it.each(['/', '/kugel', '/kugel/ws/tts/nothing', '/murmr/ws/tts/stream', '/toString', '//'])(
    '%s is answered with 404 and closed',
    async (path) => {
      const answer = await rawUpgrade(path);
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
      expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/);
    },
  );
  it.each([
    ['a foreign Origin', 'Origin: https://evil.example.com', 403],
    ['an opaque Origin', 'Origin: null', 403],
    ['a foreign Host', 'Host: rebound.example.com', 421],
    ['an Origin on this machine', 'Origin: http://localhost:5173', 101],
  ])('%s', async (_, header, status) => {
    expect(await rawUpgrade(STREAM, [header])).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });

  it('1.3.6, 1.3.7 the handshake carries the request id of error frames, and marks speech as generated', async () => {
    const socket = new WebSocket(`${server.ws}${STREAM}?api_key=wrong`);
    const closing = closeOf(socket);
    const [response] = await once(socket, 'upgrade');
    expect(response.headers['x-kugelaudio-ai-generated']).toBe('true');
    const { frames } = await closing;
    expect(frames).toEqual([expect.objectContaining({ request_id: response.headers['x-request-id'] })]);
  });

  it.each([
    ['', 'UNAUTHORIZED', 401, 4001],
    ['?api_key=wrong', 'UNAUTHORIZED', 401, 4001],
    ['?api_key=local-no-credits', 'INSUFFICIENT_CREDITS', 402, 4003],
    ['?api_key=local-rate-limited', 'RATE_LIMITED', 429, 4029],
    ['?api_key=local-busy', 'MODEL_UNAVAILABLE', 503, 4500],
  ])('decision 3: with %j comes an error frame, then the close', async (query, name, code, closeCode) => {
    const closed = await closeOf(new WebSocket(`${server.ws}${STREAM}${query}`));
    expect(closed).toMatchObject({ frames: [{ error_code: name, code }], code: closeCode, reason: name });
  });

  it.each([
    [{ Authorization: 'Bearer local' }, ''],
    [{ 'X-API-Key': 'local' }, ''],
    [{}, '?api_key=local&sdk=js&sdk_version=1.0.1'],
  ])('1.1, 1.2 a key is taken from %j%s', async (headers, query) => {
    const socket = new WebSocket(`${server.ws}${STREAM}${query}`, { headers });
    await once(socket, 'open');
    socket.send('{"flush":true}');
    const [first] = await once(socket, 'message');
    expect(JSON.parse(String(first))).toMatchObject({ final: true });
    socket.terminate();
  });

  it('decision 5: a message over 1 MiB closes with 1009, one of 1 MiB does not', async () => {
    const socket = new WebSocket(`${server.ws}${STREAM}?api_key=local`);
    await once(socket, 'open');
    const closing = closeOf(socket);
    socket.send(' '.repeat(MAX_MESSAGE_BYTES));
    socket.send(' '.repeat(MAX_MESSAGE_BYTES + 1));
    const { frames, code } = await closing;
    expect(frames).toEqual([expect.objectContaining({ error_code: 'VALIDATION_ERROR' })]);
    expect(code).toBe(1009);
  });
});

it('logs hold neither text nor keys, and errors neither keys nor text that was to be spoken', async () => {
  const socket = new WebSocket(`${server.ws}${STREAM}?api_key=local&canary=canary-query`);
  await once(socket, 'open');
  const closing = closeOf(socket);
  socket.send(JSON.stringify({ text: 'canary-text without a voice' }));
  socket.send(JSON.stringify({ voice_id: 1071, text: 'canary-text '.repeat(1000) }));
  socket.send('canary-garbage');
  socket.send('"canary-garbage"');
  socket.send('{"close_socket":true}');
  const { frames } = await closing;
  expect(frames).toHaveLength(4);
  expect(JSON.stringify(frames)).not.toMatch(/canary/);
  await speakCanary();
  const refused = await closeOf(new WebSocket(`${server.ws}${STREAM}?api_key=canary-key`));
  const rest = await get('/kugel/v1/voices?api_key=canary-key');
  expect(JSON.stringify([refused.frames, rest.body])).not.toMatch(/canary/);
  expect(logged.some((line) => line.includes('socket opened'))).toBe(true);
  expect(logged.join('')).not.toMatch(/canary/);
});

async function speakCanary(): Promise<void> {
  const socket = new WebSocket(`${server.ws}${STREAM}?api_key=local`);
  await once(socket, 'open');
  socket.send(JSON.stringify({ voice_id: 1071, text: 'canary-text and more. ', flush: true }));
  socket.send(JSON.stringify({ voice_id: 'canary-voice' }));
  socket.send('{"close_socket":true}');
  await closeOf(socket);
}

it('turns away sockets beyond its bound with 1013, and takes new ones once others have left', async () => {
  const small = await startTestServer({ engine: createTestEngine(), limits: socketLimits(2) });
  const url = `${small.ws}${STREAM}?api_key=local`;
  const inside = [new WebSocket(url), new WebSocket(url)];
  await Promise.all(inside.map((socket) => once(socket, 'open')));
  expect(await closeOf(new WebSocket(url))).toEqual({
    frames: [],
    code: 1013,
    reason: 'too many connections',
  });
  for (const socket of inside) {
    const closed = closeOf(socket);
    socket.send('{"close_socket":true}');
    expect((await closed).code).toBe(1000);
  }
  const next = new WebSocket(url);
  await once(next, 'open');
  next.send('{"flush":true}');
  expect(JSON.parse(String((await once(next, 'message'))[0]))).toMatchObject({ final: true });
  await small.stop();
});

it('2.3.33 a draining server ends sessions with 1012 and turns new ones away with 1013', async () => {
  const engine = createTestEngine();
  const leaving = await startTestServer({ engine });
  const url = `${leaving.ws}${STREAM}?api_key=local`;
  const idle = new WebSocket(url);
  const busy = new WebSocket(url);
  await Promise.all([once(idle, 'open'), once(busy, 'open')]);
  engine.hold();
  const closings = [closeOf(idle), closeOf(busy)] as const;
  const started = once(busy, 'message');
  busy.send(JSON.stringify({ voice_id: 1071, text: 'Goodbye.', flush: true }));
  await started;
  const ended = leaving.application.shutDown();
  expect(await closings[0]).toMatchObject({ code: 1012 });
  expect(await closeOf(new WebSocket(url))).toMatchObject({ code: 1013, frames: [] });
  const ready = await fetch(`${leaving.http}/ready`);
  const reason = 'the server is shutting down';
  expect([ready.status, await ready.json()]).toEqual([503, { status: 'unavailable', reason }]);
  engine.release();
  const { code, frames } = await closings[1];
  expect(code).toBe(1012);
  expect(frames.at(-1)).toMatchObject({ session_closed: true });
  await ended;
  await leaving.stop();
});

describe('VOICEWIRE_ROOT', () => {
  let rooted: RunningServer;
  beforeAll(async () => {
    rooted = await startTestServer({
      engine: createTestEngine(),
      files: staticFiles(directory, []),
      root: 'kugel',
    });
  });
  afterAll(() => rooted.stop());
  const read = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${rooted.http}${path}`, { headers: { 'X-API-Key': 'local', ...headers } });

  it.each(['/v1/models', '/v1/voices?limit=1', '/ready', '/kugel/v1/models'])(
    '%s is a call',
    async (path) => {
      const response = await read(path, { Accept: 'application/json' });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toContain('application/json');
    },
  );

  it.each(['/', '/worker.js'])('%s stays a file of the page', async (path) => {
    expect((await read(path)).status).toBe(200);
  });

  it('a browser that asks for a page at the path of a call gets no call', async () => {
    expect((await read('/v1/voices', { Accept: 'text/html,*/*' })).status).toBe(404);
  });

  it('the sockets are there too', async () => {
    const socket = new WebSocket(`${rooted.ws}/ws/tts?api_key=local`);
    await once(socket, 'open');
    socket.send(JSON.stringify({ cancel: true }));
    const [message] = await once(socket, 'message');
    expect(JSON.parse(String(message))).toEqual({ interrupted: true });
    socket.terminate();
  });

  it('without it, a call without prefix is not found', async () => {
    expect((await get('/v1/models')).status).toBe(404);
  });
});

describe('places for sockets', () => {
  it('one address does not take all of them', async () => {
    const keys = createKeys({ keys: ['mine'], only: false });
    const small = await startTestServer({ engine: createTestEngine(), limits: socketLimits(10), keys });
    const open = async (localAddress: string, key: string) => {
      const socket = new WebSocket(`${small.ws}/kugel/ws/tts?api_key=${key}`, { localAddress });
      await once(socket, 'open');
      return socket;
    };
    const greedy = await Promise.all(Array.from({ length: 8 }, () => open('127.0.0.1', 'mine')));
    const [refused] = await once(await open('127.0.0.1', 'local'), 'close');
    expect(refused).toBe(1013);
    const [refusedKey] = await once(await open('127.0.0.2', 'mine'), 'close');
    expect(refusedKey).toBe(1013);
    // Refused sockets that never answer the close take no place.
    const silent = await Promise.all(Array.from({ length: 5 }, () => open('127.0.0.1', 'local')));
    for (const socket of silent) socket.pause();
    const other = await open('127.0.0.3', 'local');
    other.send(JSON.stringify({ cancel: true }));
    expect(JSON.parse(String((await once(other, 'message'))[0]))).toEqual({ interrupted: true });
    const left = greedy[0];
    left?.close();
    if (left) await once(left, 'close');
    const again = await open('127.0.0.1', 'local');
    again.send(JSON.stringify({ cancel: true }));
    await once(again, 'message');
    await small.stop();
  });
});

describe('an offer of another protocol', () => {
  it.each([
    ['GET', '/kugel/v1/models', '', /"kugel-3"/],
    ['POST', '/kugel/v1/dictionaries', '{"name":"From Java"}', /"From Java"/],
  ])('%s %s is answered as HTTP/1.1', async (method, path, body, expected) => {
    const { port, host } = new URL(server.http);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nX-API-Key: local\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    let answer = '';
    socket.on('data', (data) => {
      answer += String(data);
    });
    while (!expected.test(answer)) await once(socket, 'data');
    expect(answer).toMatch(/^HTTP\/1\.1 20[01] /);
    socket.destroy();
  });
});
