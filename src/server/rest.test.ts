import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heapBytes } from '#lib/testing/heap.ts';
import { CallBodies } from './call-bodies.ts';
import { createFakeClock, settle } from './fake-clock.test-helper.ts';
import { ask, bodyOf } from './relay/vendor.test-helper.ts';
import type { RunningServer } from './running-server.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

/** The calls of all vendors share their bounds. */

const clock = createFakeClock();
let server: RunningServer;

beforeAll(async () => {
  server = await startTestServer({ engine: createTestEngine(), clock });
});
afterAll(() => server.stop());

const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
const wide = (values: number) => `{"a":[${Array(values).fill(0).join()}]}`;
const form = (parts: number, headers = '', name = 'a') => {
  const head = `--real\r\n${headers}Content-Disposition: form-data; name="${name}"`;
  return `${`${head}\r\n\r\n0\r\n`.repeat(parts)}--real--\r\n`;
};
const FORM = 'multipart/form-data; boundary=real';

const LEVELS = 'expected a JSON object, got JSON of more than 32 levels';
const VALUES = 'expected a JSON object, got JSON of more than 1000 values';
const PARTS = 'expected at most 100 parts';
const HEADERS = 'expected headers of at most 8192 bytes in each part';

it.each<[string, string, string, number, string]>([
  ['/kugel/v1/tts/generate', 'nested', nested(32), 400, LEVELS],
  ['/murmr/v1/audio/speech', 'nested', nested(100_000), 400, LEVELS],
  ['/kugel/v1/voices', 'wide', wide(1000), 400, VALUES],
  ['/murmr/v1/voices/design', 'wide', wide(1000), 400, VALUES],
  ['/kugel/v1/dictionaries/1/entries', 'wide', wide(60_000), 400, '60000 values'],
  [
    '/kugel/v1/voices',
    'large',
    `"${'a'.repeat(256 * 1024)}"`,
    413,
    'expected a body of at most 262144 bytes',
  ],
  ['/kugel/v1/dictionaries/1/entries', 'large', ' '.repeat(1024 * 1024 + 1), 413, 'at most 1048576 bytes'],
  ['/murmr/v1/voices', 'large', ' '.repeat(16 * 1024 * 1024 + 1), 413, 'at most 16777216 bytes'],
  ['/murmr/v1/audio/speech', 'large', ' '.repeat(1024 * 1024 + 1), 413, 'at most 1048576 bytes'],
  ['/kugel/v1/voices', FORM, form(101), 400, PARTS],
  ['/kugel/v1/voices', 'multipart/form-data; xboundary=foo; boundary=real', form(101), 400, PARTS],
  ['/kugel/v1/voices', 'multipart/form-data; boundary="r\\eal"', form(101), 400, PARTS],
  ['/kugel/v1/voices', FORM, form(1, 'A:\r\n'.repeat(2_600_000)), 400, HEADERS],
  ['/kugel/v1/voices', FORM, form(1, '', '%22'.repeat(5_000_000)), 400, HEADERS],
  ['/kugel/v1/voices', FORM, '--real\r\nContent-Disposition: form-data', 400, HEADERS],
])('%s refuses a body that is %s, and names the limit', async (path, what, body, status, problem) => {
  const type = what.startsWith('multipart') ? what : 'application/json';
  const response = await fetch(`${server.http}${path}`, {
    method: path.includes('entries') ? 'PUT' : 'POST',
    headers: { 'Content-Type': type, Authorization: 'Bearer local' },
    body,
  });
  expect([response.status, JSON.stringify(await response.json())]).toEqual([
    status,
    expect.stringContaining(problem),
  ]);
});

/** A call whose body has begun and does not end. Resolves when the server waits for the rest. */
async function stalledCall(own = clock) {
  const { timers } = own;
  const headers = { Authorization: 'Bearer local', 'Content-Type': 'application/json' };
  const call = ask(`${server.http}/kugel/v1/tts/generate`, { method: 'POST', headers });
  call.request.write('{');
  while (own.timers === timers) await settle();
  return call;
}

describe('a body', () => {
  it('that stalls for 30 s is refused, and its connection closed', async () => {
    const { response } = await stalledCall();
    await clock.advance(30_000);
    const answer = await response;
    expect([answer.statusCode, answer.headers.connection]).toEqual([408, 'close']);
    expect(String(await bodyOf(answer))).toContain('no part of the body within 30 s');
  });

  it('may take longer as long as something comes', async () => {
    const body = new PassThrough();
    const read = new CallBodies(clock).read(body, 3, String);
    for (const part of ['a', 'b', 'c']) {
      body.write(part);
      await clock.advance(29_999);
    }
    body.end();
    expect(await read).toBe('abc');
  });

  it('in single bytes takes no memory for each', async () => {
    const count = 100_000;
    const used: number[] = [];
    async function* bytes() {
      for (let at = 0; at < count; at += 1) {
        if (at % (count / 2) === 10) used.push(heapBytes());
        yield Buffer.from('x');
      }
    }
    const length = await new CallBodies(clock).read(Readable.from(bytes()), count, (body) => body.length);
    expect(length).toBe(count);
    const [before = 0, after = 0] = used;
    expect((after - before) / (count / 2)).toBeLessThan(100);
  });

  it('leaves room for small ones: the largest is refused where all together have too many bytes', async () => {
    const bodies = new CallBodies(clock, 100);
    const sent = [60, 10, 20, 11].map((length) => {
      const body = new PassThrough();
      body.write('x'.repeat(length));
      return { body, read: bodies.read(body, 100, (bytes) => bytes.length) };
    });
    const ends = Promise.allSettled(sent.map(({ read }) => read));
    await settle();
    for (const { body } of sent) body.end();
    const why = 'expected at most 100 bytes in all bodies at a time, try again shortly';
    expect(await ends).toMatchObject([
      { reason: { status: 503, message: why } },
      { value: 10 },
      { value: 20 },
      { value: 11 },
    ]);
  });

  it('of one vendor leaves less room for those of another', async () => {
    const { timers } = clock;
    const open = (path: string, bytes: number) => {
      const headers = { Authorization: 'Bearer local', 'Content-Type': 'application/json' };
      const call = ask(`${server.http}${path}`, { method: 'POST', headers });
      call.request.write(Buffer.alloc(bytes, ' '));
      return call;
    };
    const large = Array.from({ length: 4 }, () => open('/murmr/v1/voices', 15.99 * 1024 * 1024));
    const small = open('/kugel/v1/voices', 255 * 1024);
    const refused = await Promise.race(large.map(({ response }) => response));
    expect(refused.statusCode).toBe(503);
    for (const { request } of [...large, small]) request.on('error', () => {}).destroy();
    while (clock.timers > timers) await settle();
  });

  it('counts until it is read, and no longer', async () => {
    const bodies = new CallBodies(clock, 100);
    const send = (length: number, use: () => unknown = () => 'read') => {
      const body = new PassThrough();
      body.end('x'.repeat(length));
      return bodies.read(body, 100, use);
    };
    let parsed = (_: string) => {};
    const first = send(
      60,
      () =>
        new Promise<string>((resolve) => {
          parsed = resolve;
        }),
    );
    await settle();
    await expect(send(41)).rejects.toMatchObject({ status: 503 });
    parsed('parsed');
    expect(await first).toBe('parsed');
    expect(await send(100)).toBe('read');
  });
});

it.each([
  [{ sockets: 3, socketsOfOne: 2 }, 'at most 2 calls of one address at a time'],
  [{ sockets: 2, socketsOfOne: 3 }, 'at most 2 calls at a time'],
])('with %j, a third call is refused until one of two has ended', async (limits, limit) => {
  const all = server;
  // Timers of earlier calls may end at any moment, and would hide those of these.
  const own = createFakeClock();
  server = await startTestServer({ engine: createTestEngine(), clock: own, limits });
  const calls = [await stalledCall(own), await stalledCall(own)];
  const models = () => fetch(`${server.http}/kugel/v1/models`);
  const refused = await models();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await refused.text()).toContain(`${limit}. VOICEWIRE_SOCKETS raises that.`);
  expect((await fetch(`${server.http}/health`)).status).toBe(200);
  const ofPage = { Origin: server.http };
  expect((await fetch(`${server.http}/kugel/v1/models`, { headers: ofPage })).status).toBe(200);
  calls[0]?.request.end('}');
  await calls[0]?.response;
  await settle();
  expect((await models()).status).toBe(200);
  calls[1]?.request.destroy();
  await server.stop();
  server = all;
});
