import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { startTestVendor, type TestVendor } from './vendor.test-helper.ts';

let vendor: TestVendor;
let server: RunningServer;

beforeEach(async () => {
  vendor = await startTestVendor();
  const relays = { kugel: vendor.base, murmr: vendor.base };
  server = await startTestServer({ engine: createTestEngine(), relays });
});
afterEach(async () => {
  await server.stop();
  await vendor.stop();
});

const VOICES = '/relay/kugel/v1/voices';

/** `fetch` sets some headers itself; this sends what it is given. */
function ask(path: string, { method = 'GET', headers = {} as Record<string, string> } = {}) {
  const request = httpRequest(`${server.http}${path}`, { method, headers, agent: false });
  request.on('error', () => {});
  return { request, response: once(request, 'response').then(([response]) => response as IncomingMessage) };
}

const bodyOf = async (stream: IncomingMessage): Promise<string> => {
  let body = '';
  for await (const part of stream) body += String(part);
  return body;
};

describe('a relayed call', () => {
  it('reaches the vendor with method, query, headers and body, and is answered as the vendor answers', async () => {
    let asked = '';
    vendor.answer = async (request, response) => {
      asked = await bodyOf(request);
      response.writeHead(418, 'Short and stout', {
        'Content-Type': 'application/json',
        'Retry-After': '3',
        'x-request-id': 'theirs',
      });
      response.end('{"error":"teapot"}');
    };
    const { request, response } = ask(`${VOICES}?limit=2&api_key=a%2Bb`, {
      method: 'PUT',
      headers: {
        Authorization: 'Bearer k',
        'Content-Type': 'application/json',
        'X-Custom': 'yes',
        Cookie: 'session=1',
        Origin: server.http,
        Connection: 'close, X-Hop',
        'X-Hop': '1',
      },
    });
    request.end('{"é":1}');
    const answer = await response;
    expect([answer.statusCode, answer.statusMessage]).toEqual([418, 'Short and stout']);
    expect(answer.headers).toMatchObject({ 'retry-after': '3', 'x-request-id': 'theirs' });
    expect(await bodyOf(answer)).toBe('{"error":"teapot"}');
    const [{ method, url, headers } = {}] = vendor.requests;
    expect([method, url, asked]).toEqual(['PUT', '/prefix/v1/voices?limit=2&api_key=a%2Bb', '{"é":1}']);
    expect(headers).toMatchObject({
      host: vendor.host,
      authorization: 'Bearer k',
      'content-type': 'application/json',
      'x-custom': 'yes',
    });
    for (const name of ['cookie', 'origin', 'x-hop']) expect(headers).not.toHaveProperty(name);
  });

  it('passes an answer on while it grows', async () => {
    let more = (_: string) => {};
    vendor.answer = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: 1\n\n');
      more = (text) => response.end(text);
    };
    const { request, response } = ask(VOICES);
    request.end();
    const answer = await response;
    expect(String((await once(answer, 'data'))[0])).toBe('data: 1\n\n');
    more('data: 2\n\n');
    expect(String((await once(answer, 'data'))[0])).toBe('data: 2\n\n');
  });

  it('passes a body on while it grows', async () => {
    const first = new Promise<string>((resolve) => {
      vendor.answer = async (request, response) => {
        const body = bodyOf(request);
        resolve(String((await once(request, 'data'))[0]));
        response.end(await body);
      };
    });
    const { request, response } = ask(VOICES, { method: 'POST' });
    request.write('one');
    expect(await first).toBe('one');
    request.end(' two');
    expect(await bodyOf(await response)).toBe('one two');
  });

  it('has the answer of a vendor that closes in the middle of a large body', async () => {
    vendor.answer = (_, response) => response.writeHead(413, { Connection: 'close' }).end('too large');
    const { request, response } = ask(VOICES, { method: 'POST' });
    request.end(Buffer.alloc(16 * 1024 * 1024));
    const answer = await response;
    expect([answer.statusCode, await bodyOf(answer)]).toEqual([413, 'too large']);
  });

  describe('after the longest time without a byte', () => {
    const native = ServerResponse.prototype.setTimeout;
    let passed: Promise<void>;
    beforeEach(() => {
      passed = new Promise((resolve) => {
        vi.spyOn(ServerResponse.prototype, 'setTimeout').mockImplementation(function (
          this: ServerResponse,
          timeMs,
          task,
        ) {
          return native.call(this, timeMs / 1000, () => {
            task?.();
            resolve();
          });
        });
      });
    });
    afterEach(() => {
      vi.restoreAllMocks();
    });

    it('is still answered by a vendor that was silent', async () => {
      let more = (_: string) => {};
      vendor.answer = (_, response) => {
        response.writeHead(200).write('1');
        more = (text) => response.end(text);
      };
      const { request, response } = ask(VOICES);
      request.end();
      const body = bodyOf(await response);
      await passed;
      more('2');
      expect(await body).toBe('12');
    });

    it('is cut where the client has not read', async () => {
      const left = new Promise((resolve) => {
        vendor.answer = (_, response) => {
          response.once('close', resolve);
          response.writeHead(200).write(Buffer.alloc(64 * 1024 * 1024));
        };
      });
      const { request, response } = ask(VOICES);
      request.end();
      const answer = await response;
      await left;
      await expect(bodyOf(answer)).rejects.toThrow('aborted');
    });
  });

  it('ends at the vendor when the client leaves before the answer', async () => {
    const left = new Promise((resolve) => {
      vendor.answer = (_, response) => {
        response.once('close', resolve);
        request.destroy();
      };
    });
    const { request, response } = ask(VOICES);
    request.end();
    await expect(response).rejects.toThrow('socket hang up');
    await left;
  });

  it('ends at the vendor when the client leaves', async () => {
    const left = new Promise((resolve) => {
      vendor.answer = (_, response) => {
        response.writeHead(200).write('1');
        response.once('close', resolve);
      };
    });
    const { request, response } = ask(VOICES);
    request.end();
    await once(await response, 'data');
    request.destroy();
    await left;
  });

  it('breaks off for the client where the vendor breaks off', async () => {
    vendor.answer = (_, response) => {
      response.writeHead(200, { 'Content-Length': '10' }).write('half', () => response.destroy());
    };
    const { request, response } = ask(VOICES);
    request.end();
    await expect(bodyOf(await response)).rejects.toThrow('aborted');
  });

  it.each([[204], [304]])('has no body with status %i', async (status) => {
    vendor.answer = (_, response) => response.writeHead(status).end();
    const { request, response } = ask(VOICES);
    request.end();
    const answer = await response;
    expect([answer.statusCode, await bodyOf(answer)]).toEqual([status, '']);
  });

  it('sends a HEAD as one', async () => {
    vendor.answer = (_, response) => response.writeHead(200, { 'X-More': '1' }).end();
    const { request, response } = ask(VOICES, { method: 'HEAD' });
    request.end();
    expect((await response).headers['x-more']).toBe('1');
    expect(vendor.requests.map(({ method }) => method)).toEqual(['HEAD']);
  });

  it('passes on bytes that the vendor has compressed', async () => {
    const { gzipSync } = await import('node:zlib');
    vendor.answer = (_, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('the text'));
    expect(await (await fetch(`${server.http}${VOICES}`)).text()).toBe('the text');
  });

  it('sets no cookie of the vendor', async () => {
    vendor.answer = (_, response) => response.writeHead(200, { 'Set-Cookie': 'a=1' }).end();
    expect((await fetch(`${server.http}${VOICES}`)).headers.get('set-cookie')).toBeNull();
  });

  it('passes on a redirect, which nobody follows', async () => {
    const elsewhere = await startTestVendor();
    vendor.answer = (_, response) =>
      response.writeHead(307, { Location: `http://${elsewhere.host}/x` }).end();
    const answer = await fetch(`${server.http}${VOICES}`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([307, `http://${elsewhere.host}/x`]);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });

  it('is 502 where nothing listens, with the host and without the key', async () => {
    await vendor.stop();
    const answer = await fetch(`${server.http}${VOICES}?api_key=canary-key`);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toEqual({
      error: `the relay's target ${vendor.host} cannot be reached: ECONNREFUSED`,
    });
  });

  it.each(['/relay/other/x', '/relay/kugel/..%2fx', '/relay/kugel//x', '/relay'])(
    '%s reaches nothing',
    async (path) => {
      const answer = await fetch(`${server.http}${path}`);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(vendor.requests).toEqual([]);
    },
  );
});

describe('pages', () => {
  const PAGE = 'http://localhost:9999';

  it('of this machine may read answers, by headers of this server', async () => {
    vendor.answer = (_, response) =>
      response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Retry-After': '1' }).end('[]');
    const { headers } = await fetch(`${server.http}${VOICES}`, { headers: { Origin: PAGE } });
    expect(headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
  });

  it('made by the vendor run no scripts of this origin, which could read captures', async () => {
    vendor.answer = (_, response) =>
      response
        .writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': "default-src 'self'" })
        .end('<script src="/x.js"></script>');
    const { headers } = await fetch(`${server.http}/relay/kugel/docs`);
    expect(headers.get('content-security-policy')).toBe("default-src 'self', sandbox");
  });

  it('get their preflights answered here', async () => {
    const { status, headers } = await fetch(`${server.http}${VOICES}`, {
      method: 'OPTIONS',
      headers: { Origin: PAGE, 'Access-Control-Request-Method': 'POST' },
    });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, PAGE]);
    expect(vendor.requests).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['GET', { Origin: 'https://evil.example' }],
    ['POST', { Origin: 'https://evil.example' }],
    ['GET', { 'Sec-Fetch-Site': 'cross-site' }],
  ])('of another origin reach nothing: %s with %j', async (method, headers) => {
    const { request, response } = ask(VOICES, { method, headers });
    request.end();
    expect((await response).statusCode).toBe(403);
    expect(vendor.requests).toEqual([]);
  });
});
