import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ask, bodyOf, startTestVendor, type TestVendor } from '../relay/vendor.test-helper.ts';
import { type Recorded, recorded, served } from '../served/served.test-helper.ts';

/** The length in the head of an answer; null for none. */
async function lengthOf(address: string, method = 'GET'): Promise<string | null> {
  const { request, response } = ask(address, { method, headers: { 'X-API-Key': 'local' } });
  request.end();
  const answer = await response;
  await bodyOf(answer);
  return answer.headers['content-length'] ?? null;
}

type Lengths = Record<'direct' | 'captured' | 'served', string | null>;

/** Asks a server with a capture, and then its recording. */
async function lengths(
  path: string,
  { method = 'GET', vendor }: { method?: string; vendor?: TestVendor } = {},
): Promise<Lengths> {
  let direct: string | null = null;
  const recordings = await recorded(
    async ({ http }) => {
      direct = await lengthOf(`${http}${path}`, method);
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    },
    vendor && { relays: { kugel: vendor.base } },
  );
  const { result } = await served(recordings, ({ http }) =>
    lengthOf(`${http}${path.replace(/^(\/faults\/[^/]*)?(\/relay)?/, '')}`, method),
  );
  return { direct, captured: capturedLength(recordings), served: result };
}

function capturedLength(recordings: readonly Recorded[]): string | null {
  const head = recordings[0]?.entries.find(({ kind }) => kind === 'response' || kind === 'error');
  return JSON.parse(String(head?.payload ?? '{}')).headers?.['content-length'] ?? null;
}

const whole = (bytes: number): Lengths => {
  const length = `${bytes}`;
  return { direct: length, captured: length, served: length };
};
const NONE: Lengths = { direct: null, captured: null, served: null };
const BODY = 'Good morning, Zoë.';
const BYTES = Buffer.byteLength(BODY);

describe('the length of an answer', () => {
  it.each([
    '/kugel/v1/models',
    '/kugel/v1/nothing',
    '/faults/refuse=503/kugel/v1/models',
    '/faults/latency=1/murmr/v1/voices',
  ])('of the local server is captured and served: %s', async (path) => {
    const { direct, ...kept } = await lengths(path);
    expect(direct).toMatch(/^\d+$/);
    expect(kept).toEqual({ captured: direct, served: direct });
  });

  it.each<
    [
      what: string,
      head: [number, Record<string, string>],
      parts: (string | Buffer)[],
      method: string,
      Lengths,
    ]
  >([
    ['that the vendor sends', [200, { 'content-length': `${BYTES}` }], [BODY], 'GET', whole(BYTES)],
    ['of a refusal', [418, { 'content-length': `${BYTES}` }], [BODY], 'GET', whole(BYTES)],
    ['of an empty body', [200, { 'content-length': '0' }], [], 'GET', whole(0)],
    ['of the answer to HEAD', [200, { 'content-length': '1234' }], [], 'HEAD', whole(1234)],
    ['in a transfer coding is none', [200, {}], [BODY, BODY], 'GET', NONE],
    [
      'of a body that is served without its compression is none there',
      [200, { 'content-encoding': 'gzip', 'content-length': `${gzipSync(BODY).length}` }],
      [gzipSync(BODY)],
      'GET',
      { ...whole(gzipSync(BODY).length), served: null },
    ],
  ])(
    '%s is relayed, captured and served, also through faults',
    async (_, [status, headers], parts, method, expected) => {
      const vendor = await startTestVendor();
      vendor.answer = (_, response) => {
        response.writeHead(status, headers);
        for (const part of parts) response.write(part);
        response.end();
      };
      const seen = [
        await lengths('/relay/kugel/v1/models', { method, vendor }),
        await lengths('/faults/latency=1/relay/kugel/v1/models', { method, vendor }),
      ];
      await vendor.stop();
      expect(seen).toEqual([expected, expected]);
    },
  );
});
