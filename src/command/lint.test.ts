import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { diffCommand } from './diff.ts';
import { lintCommand } from './lint.ts';
import { readWhole } from './read-recordings.ts';

const sample = (name: string): string =>
  fileURLToPath(new URL(`../../public/recordings/${name}.voicewire.ndjson.gz`, import.meta.url));

let directory: string;
/** A recording without findings, and one with some. */
let clean: string;
let broken: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'voicewire-'));
  const textOf = async (name: string) => gunzipSync(await readFile(sample(name))).toString();
  clean = await textOf('one-voice');
  broken = await textOf('broken-rules');
});
afterAll(() => rm(directory, { recursive: true }));

async function file(content: string | Uint8Array, name = 'talk.voicewire.ndjson'): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

async function run(command: typeof lintCommand, ...args: string[]): Promise<{ code: number; words: string }> {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const code = await command(args);
  const words = written.mock.calls.map(([text]) => String(text)).join('');
  written.mockRestore();
  return { code, words };
}

const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const isAt = (part: number) => (text: string) => Math.floor(linesOf(text).length * part);

/** Ways in which a file loses a part, and the words of all commands about it. */
const CUTS: [string, (text: string) => string | Uint8Array, RegExp][] = [
  [
    'in the middle of its last line',
    (text) => text.slice(0, -5),
    /The file breaks off in the middle of line \d+/,
  ],
  [
    'in the middle of an entry',
    (text) => text.slice(0, text.length * 0.6),
    /breaks off in the middle of line/,
  ],
  [
    'behind an entry',
    (text) => `${linesOf(text).slice(0, isAt(0.95)(text)).join('\n')}\n`,
    /The file was cut off: its last line is missing\. \d+ entries could be read\./,
  ],
  [
    'of an entry',
    (text) => `${linesOf(text).toSpliced(-2, 1).join('\n')}\n`,
    /The file says that it holds \d+ entries; there are \d+\./,
  ],
  [
    'by a damaged line',
    (text) => linesOf(text).with(isAt(0.9)(text), '{"atUs":').join('\n'),
    /Line \d+.*That line and everything behind it are left out\./,
  ],
  [
    'of its packed bytes',
    (text) => gzipSync(text).subarray(0, gzipSync(text).length * 0.8),
    /expected a whole file, found a gzip file that is cut off or damaged\. That line and everything behind it are left out\./,
  ],
  [
    'by bytes that are no text',
    (text) => Buffer.concat([Buffer.from(`${linesOf(text).slice(0, -1).join('\n')}\n`), Buffer.of(0xff)]),
    /expected text in UTF-8, found other bytes\. That line and everything behind it are left out\./,
  ],
];

describe.each(CUTS)('a file that is cut %s', (_, cut, words) => {
  it('is no clean file to lint, which ends with 2 and has the findings of the part that is there', async () => {
    const paths = [await file(cut(clean), 'clean.ndjson'), await file(cut(broken), 'broken.ndjson')];
    const { code, words: all } = await run(lintCommand, ...paths);
    const [ofClean = '', ofBroken = ''] = all.split(/^(?=\S*broken\.ndjson)/m);
    expect(ofClean).toMatch(words);
    expect(ofClean).toContain('nothing found');
    expect(ofBroken).toMatch(words);
    expect(ofBroken).toMatch(/(?:violation|warning) [\w-]+, entry \d+/);
    expect(code).toBe(2);
  });

  it('is named alike by diff and by the commands that serve it', async () => {
    const path = await file(cut(clean));
    const compared = await run(diffCommand, path, path);
    expect(compared.words).toMatch(words);
    expect(compared.code).toBe(2);
    const read = await readWhole([path], null, async () => null);
    expect(read.notes.join('\n')).toMatch(words);
  });
});

it.each([
  ['json', /"missing": \[\n\s+"/],
  ['sarif', /"executionSuccessful": false/],
  ['junit', /errors="[12]"/],
])('a file without its last line is not whole in a report as %s', async (format, mark) => {
  const path = await file(`${linesOf(clean).slice(0, -1).join('\n')}\n`);
  const { code, words: all } = await run(lintCommand, '--format', format, path);
  expect(all).toMatch(mark);
  expect(code).toBe(2);
});

it('a whole file ends with 0', async () => {
  const { code, words } = await run(lintCommand, await file(clean));
  expect(words).toContain('nothing found');
  expect(code).toBe(0);
});

it('reads the WebSockets of a HAR file as those of the endpoint that is asked for', async () => {
  const message = (type: string, data: object) => ({ type, time: 1, opcode: 1, data: JSON.stringify(data) });
  const socket = {
    request: { url: 'wss://gateway.example/v1/realtime' },
    _webSocketMessages: [message('send', { type: 'no-such-message' })],
  };
  const path = await file(JSON.stringify({ log: { entries: [socket] } }), 'gateway.har');
  const unasked = await run(lintCommand, path);
  expect(unasked.words).toContain('unknown endpoint, 2 entries, not checked');
  expect(unasked.code).toBe(2);
  const asked = await run(lintCommand, '--endpoint', 'murmr', path);
  expect(asked.words).toContain('murmr, 2 entries, ');
  expect(asked.words).toContain('violation ');
  await expect(lintCommand(['--endpoint', 'openai', path])).rejects.toThrow(
    /--endpoint: expected one of kugel-stream/,
  );
});

/** More entries than a call takes as arguments. */
const MANY = 130_000;

describe('a long file', () => {
  it('is read whole', async () => {
    const [head = '', opening = '', ...rest] = linesOf(clean);
    const played =
      '{"atUs":0,"direction":"player","connection":1,"opcode":"none","bytes":0,"kind":"played","text":""}';
    const entries = [opening, ...Array<string>(MANY).fill(played), ...rest.slice(0, -1)];
    const end = JSON.stringify({ end: { entries: entries.length } });
    const { code, words } = await run(lintCommand, await file([head, ...entries, end, ''].join('\n')));
    expect(words).toMatch(/130,\d{3} entries/);
    expect(code).toBe(0);
  });

  it('that unpacks to no recording is refused at its bound', async () => {
    const path = await file(gzipSync('{'.repeat(40_000_000)));
    await expect(lintCommand([path])).rejects.toThrow(/expected at most \S+ MB when unpacked, found more/);
  });
});
