import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECURITY_HEADERS } from './headers.ts';
import type { RunningServer } from './running-server.ts';
import { staticFiles } from './static-files.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

const SCRIPT = `console.log('${'a long line '.repeat(50)}');\n`;
const LICENCES = 'Licences – in UTF-8\n'.repeat(20);
const ASSET = '/assets/index-Ab12.js';
const SAFETY = Object.fromEntries(
  Object.entries(SECURITY_HEADERS).map(([name, value]) => [name.toLowerCase(), value]),
);
const BROWSER = 'gzip, deflate, br, zstd';

let server: RunningServer;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-files-'));
  await mkdir(join(directory, 'assets'));
  await mkdir(join(directory, 'recordings'));
  await writeFile(join(directory, 'index.html'), '<!doctype html><title>Voicewire</title>');
  await writeCompressed('assets/index-Ab12.js', SCRIPT);
  await writeCompressed('licences.txt', LICENCES);
  await mkdir(join(directory, 'protocols'));
  await writeCompressed('protocols/one.html', '<p>A statement</p>');
  await writeFile(join(directory, 'assets/inter.woff2'), 'a font');
  await writeFile(join(directory, 'recordings/one.ndjson.gz'), gzipSync('{"a":1}\n'));
  server = await startTestServer({ engine: createTestEngine(), files: staticFiles(directory, []) });
});

afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true });
});

/** Writes a file in the three forms that the build writes. */
async function writeCompressed(name: string, text: string): Promise<void> {
  await writeFile(join(directory, name), text);
  await writeFile(join(directory, `${name}.br`), brotliCompressSync(text));
  await writeFile(join(directory, `${name}.gz`), gzipSync(text));
}

/** Sends exactly these headers and returns the bytes as they arrive. `fetch` would decode them. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = httpRequest(`${server.http}${path}`, { method, headers, agent: false }).end();
  const [response] = await once(request, 'response');
  const body = await buffer(response);
  return { status: response.statusCode as number, headers: response.headers as Record<string, string>, body };
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
};
const decoded = ({ headers, body }: Awaited<ReturnType<typeof ask>>): string =>
  String((DECODERS[headers['content-encoding'] ?? ''] ?? ((bytes) => bytes))(body));

describe('the protocol book', () => {
  it('is HTML with a policy, and nothing else is HTML', async () => {
    const page = await ask('/protocols/one.html', { 'Accept-Encoding': BROWSER });
    expect(decoded(page)).toBe('<p>A statement</p>');
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/);
    for (const path of [
      '/protocols/one.html.gz',
      '/protocols/one.html.br',
      '/protocols/../protocols/two.html',
    ])
      expect((await ask(path)).status).toBe(404);
  });
});

describe('encodings', () => {
  it.each([
    [BROWSER, 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.0, gzip;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
  ])('for "%s" a script is sent as %s', async (accepted, encoding) => {
    const answer = await ask(ASSET, accepted === '' ? {} : { 'Accept-Encoding': accepted });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript',
      'content-length': String(answer.body.length),
      vary: 'Accept-Encoding',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(answer.headers['content-encoding']).toBe(encoding);
    expect(answer.headers).toMatchObject(SAFETY);
    expect(answer.headers['content-security-policy']).toBeUndefined();
    expect(answer.body.length < SCRIPT.length).toBe(encoding !== undefined);
    expect(decoded(answer)).toBe(SCRIPT);
  });

  it.each(['br', 'gzip', 'identity'])('HEAD names the length of the %s form without a body', async (name) => {
    const { headers, body } = await ask(ASSET, { 'Accept-Encoding': name }, 'HEAD');
    const { headers: full } = await ask(ASSET, { 'Accept-Encoding': name });
    expect(body).toHaveLength(0);
    for (const field of ['content-length', 'content-encoding', 'etag', 'vary', 'cache-control']) {
      expect(headers[field], field).toBe(full[field]);
    }
  });

  it.each([
    ['/recordings/one.ndjson.gz', { 'content-encoding': 'gzip' }, '{"a":1}\n'],
    ['/assets/inter.woff2', { 'content-encoding': undefined }, 'a font'],
    [
      '/licences.txt',
      {
        'content-encoding': 'br',
        'content-type': 'text/plain; charset=utf-8',
        'cache-control': 'no-cache',
      },
      LICENCES,
    ],
  ])('%s is sent as %j', async (path, headers, text) => {
    const answer = await ask(path, { 'Accept-Encoding': BROWSER });
    for (const [name, value] of Object.entries(headers)) expect(answer.headers[name], name).toBe(value);
    expect(decoded(answer)).toBe(text);
  });

  it('the page is not compressed, and has its policy', async () => {
    const { headers } = await ask('/', { 'Accept-Encoding': BROWSER });
    expect(headers).toMatchObject(SAFETY);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-encoding']).toBeUndefined();
  });
});

describe('validation', () => {
  it('each encoding has its own tag, which a later request may name', async () => {
    const tags = new Set<string>();
    for (const name of ['br', 'gzip', 'identity']) {
      const { headers } = await ask('/licences.txt', { 'Accept-Encoding': name });
      tags.add(String(headers.etag));
      const again = await ask('/licences.txt', {
        'Accept-Encoding': name,
        'If-None-Match': String(headers.etag),
      });
      expect([again.status, again.body.length, again.headers.vary]).toEqual([304, 0, 'Accept-Encoding']);
    }
    expect(tags.size).toBe(3);
  });

  it('sends the file again for the tag of another encoding', async () => {
    const { headers } = await ask('/licences.txt', { 'Accept-Encoding': 'gzip' });
    const other = await ask('/licences.txt', {
      'Accept-Encoding': 'br',
      'If-None-Match': String(headers.etag),
    });
    expect(other.status).toBe(200);
    expect(decoded(other)).toBe(LICENCES);
  });
});

describe('a page that is rebuilt under the server', () => {
  it('serves new names, no old ones, and the new bytes of names that stay', async () => {
    await writeCompressed('assets/old-1.js', 'old();');
    await writeCompressed('theme.js', 'before();');
    const before = await ask('/theme.js', { 'Accept-Encoding': BROWSER });
    expect(decoded(before)).toBe('before();');
    for (const ending of ['', '.br', '.gz']) await rm(join(directory, `assets/old-1.js${ending}`));
    await writeCompressed('assets/new-2.js', 'fresh();');
    await writeCompressed('theme.js', 'afterwards();');
    expect((await ask('/assets/old-1.js', { 'Accept-Encoding': BROWSER })).status).toBe(404);
    expect(decoded(await ask('/assets/new-2.js', { 'Accept-Encoding': BROWSER }))).toBe('fresh();');
    const after = await ask('/theme.js', {
      'Accept-Encoding': BROWSER,
      'If-None-Match': String(before.headers.etag),
    });
    expect(after.status).toBe(200);
    expect(decoded(after)).toBe('afterwards();');
  });

  it('serves a file whose compressed forms are not written yet', async () => {
    await writeFile(join(directory, 'assets/late-3.js'), 'late();');
    const answer = await ask('/assets/late-3.js', { 'Accept-Encoding': BROWSER });
    expect([answer.status, answer.headers['content-encoding'], String(answer.body)]).toEqual([
      200,
      undefined,
      'late();',
    ]);
  });
});
