import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { diffCommand } from './diff.ts';

const sample = (name: string): string =>
  fileURLToPath(new URL(`../../public/recordings/${name}.voicewire.ndjson.gz`, import.meta.url));

const ONE_VOICE = sample('one-voice');

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Runs the command. Resolves with its exit code and its words. */
async function diff(...args: string[]): Promise<{ code: number; words: string }> {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const code = await diffCommand(args);
  const words = written.mock.calls.map(([text]) => String(text)).join('');
  written.mockRestore();
  return { code, words };
}

/** Writes the lines of the sample as another file. */
async function changed(name: string, change: (text: string) => string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, change(gunzipSync(await readFile(ONE_VOICE)).toString()));
  return path;
}

it('finds nothing in a file and itself, packed or not', async () => {
  const { code, words } = await diff(
    '--fail-on',
    'shape,words,timing',
    '--tolerance',
    '0',
    ONE_VOICE,
    await changed('same.ndjson', (text) => text),
  );
  expect(words).toContain('No differences.');
  expect(code).toBe(0);
});

it('prints differences as a table or as JSON, and ends with 1 for the kinds that are asked for', async () => {
  const renamed = await changed('renamed.ndjson', (text) =>
    text.replaceAll('\\"chunk_complete\\":true', '\\"chunk_complete\\":true,\\"voice\\":\\"marta\\"'),
  );
  const table = await diff(ONE_VOICE, renamed);
  expect(table.words).toMatch(/\nevery chunkCompleted +shape +field voice +new +– +string\n/);
  expect(table.words).toContain('1 difference\n');
  expect(table.code).toBe(1);
  expect((await diff('--fail-on', 'words,timing', ONE_VOICE, renamed)).code).toBe(0);
  const json = await diff('--format', 'json', ONE_VOICE, renamed);
  expect(JSON.parse(json.words).rows).toEqual([
    { kind: 'shape', place: 'every chunkCompleted', what: 'field voice', a: null, b: 'string' },
  ]);
  expect(json.code).toBe(1);
});

it('compares a file that was cut off up to there, and says so', async () => {
  const cut = await changed('cut.ndjson', (text) => text.slice(0, text.length / 2));
  const { code, words } = await diff(ONE_VOICE, cut);
  expect(words).toContain(`${cut}: The file was cut off`);
  expect(words).toContain('turnEnded received');
  expect(code).toBe(1);
});

it.each<[string, string[], RegExp]>([
  ['one file', [ONE_VOICE], /Expected two files/],
  [
    'recordings of two endpoints',
    [ONE_VOICE, sample('described-voice')],
    /Expected recordings of the same endpoint: .*kugel-stream.*murmr/,
  ],
  ['a missing file', [ONE_VOICE, 'no-such-file'], /^no-such-file: /],
  [
    'an unknown kind',
    ['--fail-on', 'sound', ONE_VOICE, ONE_VOICE],
    /expected one of shape, words, timing, got sound/,
  ],
  [
    'a tolerance below 0',
    ['--tolerance=-1', ONE_VOICE, ONE_VOICE],
    /expected milliseconds from 0 on, got -1/,
  ],
])('refuses %s', async (_, args, words) => {
  await expect(diffCommand(args)).rejects.toThrow(words);
});
