import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openCommand } from './open.ts';

vi.mock('./start.ts', () => ({ PAGE_OPTIONS: {}, startPage: async () => 'http://127.0.0.1:4173' }));

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
});
afterAll(() => rm(directory, { recursive: true }));

it('says which connections of the file are not served', async () => {
  const info = { id: 'a', name: 'A talk', endpoint: 'kugel-stream', address: '', pinned: false };
  const counts = { startedAtMs: 0, durationUs: 0, entries: 1, bytes: 2 };
  const entry = {
    atUs: 0,
    direction: 'out',
    connection: 1,
    opcode: 'text',
    bytes: 2,
    kind: 'text',
    text: '{}',
  };
  const lines = [
    { format: 'voicewire-recording', version: 1, info: { ...info, ...counts } },
    entry,
    { end: { entries: 1 } },
  ];
  const file = join(directory, 'talk.voicewire.ndjson');
  await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  expect(await openCommand(['--no-open', file])).toBe(0);
  expect(printed.mock.calls.join('')).toMatch(/opens at http:\/\/127\.0\.0\.1:4173\/\?recording=\S+\n$/);
  expect(said.mock.calls.join('')).toBe(`${file}: A talk: no frames of a server, left out.\n`);
  vi.restoreAllMocks();
});
