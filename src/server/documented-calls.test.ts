import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bookPageOf } from '#protocol/book.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { VENDORS } from '#protocol/registry.ts';
import { endpointAt } from '#trace/known-endpoint.ts';
import { SocketClient } from './socket-client.test-helper.ts';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

const PAGES = VENDORS.map((vendor) => ({ vendor, name: `protocols/${bookPageOf(`${vendor}-voice-1`)}.md` }));
const linesOf = async (name: string): Promise<string[]> =>
  (await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8')).split('\n');

/** `wscat` leaves at the end of its input, which has none without a terminal. */
const WSCAT =
  /^sleep \d \| npx wscat -c '?ws:\/\/127\.0\.0\.1:4173([^' ]+)'?(?: -H '([^:']+): ([^']+)')?((?: -x '[^']+')+) -w \d$/;

it.each(PAGES)('every wscat line of docs/$name keeps its input open, and is spoken', async ({ name }) => {
  const lines = (await linesOf(name)).filter((line) => line.includes('wscat -c'));
  expect(lines.length).toBeGreaterThan(0);
  const server = await startTestServer({ engine: createTestEngine() });
  for (const line of lines) {
    expect(line).toMatch(WSCAT);
    const [, path, header, value = '', messages = ''] = WSCAT.exec(line) ?? [];
    const client = new SocketClient(`${server.ws}${path}`, header ? { headers: { [header]: value } } : {});
    const endpoint = endpointAt(`${server.ws}${path}`);
    if (!endpoint) throw new Error(`No endpoint is at ${path}.`);
    const { open, readIntents } = protocolOf(endpoint);
    const dialect = open({ settings: {}, key: '' });
    const heard = new Set<string>();
    const spoken = new Promise<void>((resolve) => {
      client.socket.on('message', (data, isBinary) => {
        const frame = isBinary ? new Uint8Array(data as Buffer) : String(data);
        for (const { type } of dialect.decode(frame)) heard.add(type);
        if (heard.has('turnEnded')) resolve();
      });
    });
    for (const [, message = ''] of messages.matchAll(/'([^']+)'/g)) {
      for (const intent of readIntents(message)) dialect.follow?.(intent);
      await client.send(message);
    }
    await Promise.race([spoken, client.closed]);
    expect([...heard]).toEqual(expect.arrayContaining(['audio', 'turnEnded']));
    client.done();
  }
  await server.stop();
});

const hasCurl = spawnSync('curl', ['--version']).status === 0;

it.skipIf(!hasCurl).each(PAGES)(
  'every line of docs/$name works on a new server, in their order',
  async ({ name }) => {
    const server = await startTestServer({ engine: createTestEngine() });
    const directory = await mkdtemp(join(tmpdir(), 'voicewire-docs-'));
    const page = await linesOf(name);
    const lines = page.filter((line) => /^(curl|echo) /.test(line));
    expect(lines.length).toBeGreaterThan(0);
    // A call in another place of its line would not be tried.
    expect(lines).toEqual(
      expect.arrayContaining(page.filter((line) => /\bcurl .*127\.0\.0\.1:4173/.test(line))),
    );
    const host = new URL(server.http).host;
    // `-f` makes curl fail on an error status.
    const script = lines.map((line) => line.replace(/^curl /, 'curl -f ').replace('127.0.0.1:4173', host));
    await promisify(execFile)('sh', ['-ec', script.join('\n')], { cwd: directory });
    const files = lines.flatMap((line) => / (?:-o|>) (\S+)/.exec(line)?.[1] ?? []);
    expect((await readdir(directory)).sort()).toEqual(files.sort());
    await server.stop();
    await rm(directory, { recursive: true });
  },
  60_000,
);
