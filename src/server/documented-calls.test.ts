import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createTestEngine } from './test-engine.test-helper.ts';
import { startTestServer } from './test-server.test-helper.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

it.skipIf(!hasCurl).each(['kugel-api.md', 'murmr-api.md'])(
  'every line of docs/%s works on a new server, in their order',
  async (name) => {
    const page = await readFile(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
    const server = await startTestServer({ engine: createTestEngine() });
    const directory = await mkdtemp(join(tmpdir(), 'voicewire-docs-'));
    const lines = page.split('\n').filter((line) => /^(curl|echo) /.test(line));
    expect(lines.length).toBeGreaterThan(10);
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
