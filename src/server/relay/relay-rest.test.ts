import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeClock, type FakeClock, settle } from '../fake-clock.test-helper.ts';
import type { RunningServer } from '../running-server.ts';
import { createTestEngine } from '../test-engine.test-helper.ts';
import { startTestServer } from '../test-server.test-helper.ts';
import { ask, bodyOf, startTestVendor, type TestVendor } from './vendor.test-helper.ts';

let vendor: TestVendor;
let server: RunningServer;
let clock: FakeClock;

beforeEach(async () => {
  clock = createFakeClock();
  vendor = await startTestVendor();
  const relays = { kugel: vendor.base, murmr: vendor.base };
  server = await startTestServer({ engine: createTestEngine(), clock, relays });
});
afterEach(async () => {
  await server.stop();
  await vendor.stop();
});

/** An address of the vendor's, relayed. */
const voices = (): string => `${server.http}/relay/kugel/v1/voices`;

describe('a relayed call', () => {
  it('passes its method and its body on while that grows', async () => {
    const first = new Promise<string>((resolve) => {
      vendor.answer = async (request, response) => {
        const body = bodyOf(request);
        resolve(String((await once(request, 'data'))[0]));
        response.end(`${request.method} ${await body}`);
      };
    });
    const { request, response } = ask(voices(), { method: 'PUT' });
    request.write('é');
    expect(await first).toBe('é');
    request.end(' two');
    expect(String(await bodyOf(await response))).toBe('PUT é two');
  });

  it('has the answer of a vendor that closes in the middle of a large body', async () => {
    vendor.answer = (_, response) => response.writeHead(413, { Connection: 'close' }).end('too large');
    const { request, response } = ask(voices(), { method: 'POST' });
    request.end(Buffer.alloc(16 * 1024 * 1024));
    const answer = await response;
    expect([answer.statusCode, String(await bodyOf(answer))]).toEqual([413, 'too large']);
  });

  describe('after 300 s without a byte', () => {
    const SILENT_MS = 300_000;
    /** The call has reached the vendor. */
    const arrived = async () => {
      while (vendor.requests.length === 0) await settle();
    };

    it.each([
      ['the vendor has not answered', ''],
      ['the client stops its upload', 'some'],
    ])('is answered with 504 where %s, and the vendor sees its end', async (_where, upload) => {
      const left = new Promise((resolve) => {
        vendor.answer = (_, response) => response.once('close', resolve);
      });
      const { request, response } = ask(voices(), { method: 'POST' });
      if (upload === '') request.end();
      else request.write(upload);
      await arrived();
      await clock.advance(SILENT_MS);
      const answer = await response;
      expect([answer.statusCode, JSON.parse(String(await bodyOf(answer)))]).toEqual([
        504,
        { error: 'nothing passed for 300 s' },
      ]);
      await left;
    });

    it('is broken off in the middle of an answer, which goes on as long as something comes', async () => {
      let more = (_: string) => {};
      vendor.answer = (_, response) => {
        response.writeHead(200).write('1');
        more = (text) => response.write(text);
      };
      const { request, response } = ask(voices());
      request.end();
      const answer = await response;
      const heard: string[] = [];
      answer.on('data', (part) => heard.push(String(part)));
      const ended = once(answer, 'close').catch(() => {});
      for (const text of ['2', '3']) {
        await clock.advance(SILENT_MS - 1);
        more(text);
        while (heard.at(-1) !== text) await settle();
      }
      await clock.advance(SILENT_MS);
      await ended;
      expect([heard, answer.complete]).toEqual([['1', '2', '3'], false]);
    });

    it('goes on while the client sends', async () => {
      vendor.answer = async (request, response) => response.end(await bodyOf(request));
      const { request, response } = ask(voices(), { method: 'PUT' });
      request.write('0');
      await arrived();
      for (const part of ['1', '2']) {
        await clock.advance(SILENT_MS - 1);
        const read = once(vendor.requests[0] ?? request, 'data');
        request.write(part);
        await read;
      }
      request.end();
      expect(String(await bodyOf(await response))).toBe('012');
    });

    it('is cut where the client has not read', async () => {
      let hasLeft = false;
      vendor.answer = (_, response) => {
        response.once('close', () => {
          hasLeft = true;
        });
        response.writeHead(200).write(Buffer.alloc(64 * 1024 * 1024));
      };
      const { request, response } = ask(voices());
      request.end();
      const answer = await response;
      while (!hasLeft) await clock.advance(SILENT_MS);
      await expect(bodyOf(answer)).rejects.toThrow('aborted');
    });
  });

  it('ends at the vendor when the client leaves', async () => {
    const left = new Promise((resolve) => {
      vendor.answer = (_, response) => {
        response.writeHead(200).write('1');
        response.once('close', resolve);
      };
    });
    const { request, response } = ask(voices());
    request.end();
    await once(await response, 'data');
    request.destroy();
    await left;
  });

  it.each([[204], [304]])('has no body with status %i', async (status) => {
    vendor.answer = (_, response) => response.writeHead(status).end();
    const { request, response } = ask(voices());
    request.end();
    const answer = await response;
    expect([answer.statusCode, String(await bodyOf(answer))]).toEqual([status, '']);
  });

  it('sends a HEAD as one', async () => {
    vendor.answer = (_, response) => response.writeHead(200, { 'X-More': '1' }).end();
    const { request, response } = ask(voices(), { method: 'HEAD' });
    request.end();
    expect((await response).headers['x-more']).toBe('1');
    expect(vendor.requests.map(({ method }) => method)).toEqual(['HEAD']);
  });
});

/** Sends bytes as they are, on a connection of their own. Resolves with the answer, which ends the connection. */
async function answerTo(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(server.http).port), '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  await once(socket, 'close');
  return String(Buffer.concat(parts));
}

it('any headers and bodies of any method reach the vendor as one request', async () => {
  vendor.answer = async (request, response) => {
    const body = await bodyOf(request);
    response.end(`${request.method} ${request.url} ${body}.`);
  };
  const smuggled = 'GET /prefix/stolen HTTP/1.1\r\nHost: vendor\r\n\r\n';
  const names = [
    'Content-Length',
    'content-length',
    'Transfer-Encoding',
    'Host',
    'Authorization',
    'X-Mine',
    'close',
  ];
  const headers = fc.record({
    named: fc.subarray(names),
    length: fc.constantFrom('length', 'chunked', 'Chunked', 'gzip, chunked', 'both', 'none'),
    more: fc.subarray([
      'Expect: 100-continue',
      'Upgrade: h2c',
      'Content-Encoding: gzip',
      'Trailer: Host',
      'TE: trailers',
    ]),
  });
  const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND');
  const bodies = fc.constantFrom('', smuggled, `0\r\n\r\n${smuggled}`, smuggled.repeat(3));
  await fc.assert(
    fc.asyncProperty(methods, headers, bodies, async (method, { named, length, more }, body) => {
      const isChunked = /chunked|both/i.test(length);
      const framing = [
        ...(isChunked ? [`Transfer-Encoding: ${length === 'both' ? 'chunked' : length}`] : []),
        ...(length === 'length' || length === 'both' ? [`Content-Length: ${body.length}`] : []),
      ];
      const before = vendor.requests.length;
      const chunks = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`;
      const sent = length === 'none' ? '' : isChunked ? `${chunks}0\r\n\r\n` : body;
      const lines = [
        `${method} /relay/kugel/v1/mine HTTP/1.1`,
        'Host: localhost',
        `Connection: ${[...named, 'close'].join(', ')}`,
        ...framing,
        ...more,
      ];
      const answer = await answerTo(`${lines.join('\r\n')}\r\n\r\n${sent}`);
      // Another client, on the connection that the relay keeps to the vendor.
      expect(await (await fetch(voices())).text()).toBe('GET /prefix/v1/voices .');
      const arrived = vendor.requests.slice(before).map(({ method: by, url }) => `${by} ${url}`);
      const isPassed = answer.includes('HTTP/1.1 200');
      expect(arrived).toEqual([...(isPassed ? [`${method} /prefix/v1/mine`] : []), 'GET /prefix/v1/voices']);
      if (isPassed && method !== 'HEAD') {
        expect(answer).toContain(`${method} /prefix/v1/mine ${length === 'none' ? '' : body}.`);
      }
    }),
    { numRuns: 60 },
  );
});

describe('pages', () => {
  const PAGE = 'http://localhost:9999';

  it('of this machine may read answers, by headers of this server', async () => {
    vendor.answer = (_, response) =>
      response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Retry-After': '1' }).end('[]');
    const { headers } = await fetch(voices(), { headers: { Origin: PAGE } });
    expect(headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(headers.get('access-control-expose-headers')).toBe('*');
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
    const { status, headers } = await fetch(voices(), {
      method: 'OPTIONS',
      headers: {
        Origin: PAGE,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-sdk-of-vendor',
      },
    });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, PAGE]);
    expect(headers.get('access-control-allow-headers')).toBe('x-sdk-of-vendor');
    expect(vendor.requests).toEqual([]);
  });

  it('of another origin reach nothing, also by an image', async () => {
    const { request, response } = ask(voices(), { headers: { 'Sec-Fetch-Site': 'cross-site' } });
    request.end();
    expect((await response).statusCode).toBe(403);
    expect(vendor.requests).toEqual([]);
  });
});
