import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NONCE_PLACEHOLDER } from '#lib/page-nonce.ts';
import { ENDPOINTS, vendorOf } from '#protocol/registry.ts';
import type { RunningServer } from './running-server.ts';
import { SocketClient, UPGRADE } from './socket-client.test-helper.ts';
import { staticFiles } from './static-files.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

const PAGE = `<!doctype html><meta property="csp-nonce" nonce="${NONCE_PLACEHOLDER}"><script nonce="${NONCE_PLACEHOLDER}" src="/a.js"></script>`;

let server: RunningServer;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
  await writeFile(join(directory, 'index.html'), PAGE);
  await writeFile(join(directory, 'worker.js'), 'postMessage(1)');
  server = await startTestServer({ engine: createTestEngine(), files: staticFiles(directory, []) });
});

afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

/** `fetch` sets Host and Origin itself; this sends what it is given. */
async function get(path: string, headers: Record<string, string> = {}, method = 'GET', sent = '') {
  const request = httpRequest(`${server.http}${path}`, { method, headers, agent: false }).end(sent);
  const [response] = await once(request, 'response');
  let body = '';
  for await (const part of response) body += String(part);
  return { status: response.statusCode as number, headers: response.headers as Record<string, string>, body };
}

/** Status of the answer to a handshake without a key. */
async function upgradeStatus(address: string): Promise<number> {
  const request = httpRequest(address, { headers: UPGRADE, agent: false }).end();
  const [answer] = await Promise.race([once(request, 'response'), once(request, 'upgrade')]);
  answer.socket.destroy();
  return answer.statusCode;
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
    expect((await get('/', {}, 'POST')).status).toBe(405);
    expect(await get('/', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
    expect(JSON.parse((await get('/health')).body)).toEqual({ status: 'healthy' });
    expect(JSON.parse((await get('/asyncapi/murmr.json')).body)).toMatchObject({ asyncapi: '3.0.0' });
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
    '/nothing',
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
  const STREAM = '/kugel/ws/tts/stream';

  it.each([
    ['/', {}, 404],
    ['/kugel', {}, 404],
    ['/kugel/ws/tts/nothing', {}, 404],
    ['/kugel/v1/audio/enhance/stream', {}, 501],
    ['/kugel/v1/realtime', {}, 501],
    ['/murmr/ws/tts/stream', {}, 404],
    ['/toString', {}, 404],
    ['//', {}, 404],
    [STREAM, { Origin: 'https://evil.example.com' }, 403],
    [STREAM, { Host: 'rebound.example.com' }, 421],
  ])('%s with %j is refused with %i', async (path, headers, status) => {
    const answer = await get(path, { ...UPGRADE, ...headers });
    expect(answer.status).toBe(status);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(ENDPOINTS.map(({ id, localPrefix, path }) => ({ id, address: localPrefix + path })))(
    'the server has a socket of $id',
    async ({ address }) => {
      expect(await upgradeStatus(`${server.http}${address}`)).not.toBe(404);
    },
  );

  it('an Origin on this machine is accepted', async () => {
    const client = new SocketClient(`${server.ws}${STREAM}?api_key=local`, {
      origin: 'http://localhost:5173',
    });
    await client.send({ cancel: true });
    await client.until('interrupted');
    client.done();
  });
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
  it.each([
    ['/v1/models', 'application/json', 200, 'application/json'],
    ['/v1/voices?limit=1', 'application/json', 200, 'application/json'],
    ['/ready', 'application/json', 200, 'application/json'],
    ['/kugel/v1/models', '*/*', 200, 'application/json'],
    ['/', '*/*', 200, 'text/html'],
    ['/worker.js', '*/*', 200, 'text/javascript'],
    ['/v1/voices', 'text/html,*/*', 404, 'text/plain'],
  ])('%s for a client that accepts %s is %i %s', async (path, accept, status, type) => {
    const headers = { 'X-API-Key': 'local', Accept: accept };
    const response = await fetch(`${rooted.http}${path}`, { headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain(type);
  });

  it('the sockets are there too', async () => {
    const client = await new SocketClient(`${rooted.ws}/ws/tts?api_key=local`).send({ cancel: true });
    await client.until('interrupted');
    client.done();
  });

  it.each(ENDPOINTS)('the vendor of $id is served at the root', async (endpoint) => {
    const other = await startTestServer({ engine: createTestEngine(), root: vendorOf(endpoint) });
    expect(await upgradeStatus(`${other.http}${endpoint.path}`)).not.toBe(404);
    await other.stop();
  });

  it('without it, a call without prefix is not found', async () => {
    expect((await get('/v1/models')).status).toBe(404);
  });
});

describe('an offer of another protocol', () => {
  it.each([
    ['GET', '/kugel/v1/models', '', /"kugel-3"/],
    ['POST', '/kugel/v1/dictionaries', '{"name":"From Java"}', /"From Java"/],
  ])('%s %s is answered as HTTP/1.1', async (method, path, body, expected) => {
    const offer = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABk' };
    const answer = await get(path, { ...offer, 'X-API-Key': 'local' }, method, body);
    expect([200, 201]).toContain(answer.status);
    expect(answer.body).toMatch(expected);
  });
});
