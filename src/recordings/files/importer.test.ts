import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { callHere } from '#lib/worker-calls.ts';
import type { NewEntry, RecordEntry, RecordingInfo } from '#trace/entry.ts';
import { ImportError } from '#trace/files/import-error.ts';
import { writeRecording } from '#trace/files/recording-file.ts';
import { joinedText } from '#trace/files/testing/recordings.ts';
import { readHar } from './har-reader.ts';
import { HarThread } from './har-thread.ts';
import { writeHar } from './har-writer.ts';
import { type ImportLimits, type ImportOptions, importFile } from './importer.ts';
import { devToolsHar, socketEntry } from './testing/devtools-har.ts';
import { KeptImports } from './testing/kept-imports.ts';

const open = (
  parts: BlobPart[],
  store = new KeptImports(),
  limits: Partial<ImportLimits> = {},
  more: Partial<ImportOptions> = {},
) =>
  importFile(new Blob(parts), store, {
    name: 'file',
    once: false,
    split: 'endpoint',
    yieldToLoop: async () => {},
    progressed: () => {},
    openHar: () => callHere(new HarThread()),
    limits,
    ...more,
  });

/** What is told of a file that is not taken in; nothing of it may have been kept. */
async function refusal(parts: BlobPart[], limits: Partial<ImportLimits> = {}): Promise<ImportError> {
  const store = new KeptImports();
  const error = await open(parts, store, limits).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ImportError)) throw new Error(`Not refused, or not in words: ${error}`);
  expect(store.kept.size).toBe(0);
  return error;
}

const HEADER =
  '{"format":"voicewire-recording","version":1,"info":{"id":"a","name":"","endpoint":"murmr","address":"","startedAtMs":0,"durationUs":0,"entries":1,"bytes":0,"pinned":false}}\n';
const entry = (more = '') =>
  `{"atUs":0,"direction":"in","connection":1,"opcode":"text","bytes":1,"kind":"audio","text":"x"${more}}\n`;

it('progress moves while a HAR file is parsed', async () => {
  const message = (at: number) => ({ type: 'receive', time: 1_700_000_000 + at, opcode: 1, data: '{}' });
  const messages = Array.from({ length: 5000 }, (_, at) => message(at));
  const steps: number[] = [];
  const yieldToLoop = async (done: number) => void steps.push(done);
  const har = devToolsHar([socketEntry('wss://api.murmr.dev/v1/realtime', messages)]);
  await open([har], new KeptImports(), {}, { yieldToLoop, progressed: (done) => steps.push(done) });
  // The file itself is looked at once before, to find its format.
  const parsing = steps.slice(steps.lastIndexOf(0));
  const jumps = parsing.slice(1).map((done, at) => done - (parsing[at] ?? 0));
  expect(Math.min(...jumps)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...jumps)).toBeLessThan(0.2);
  expect(parsing.at(-1)).toBeCloseTo(1);
});

describe('A file from anywhere', () => {
  const changed = (from: string, to: string) => [HEADER, entry().replace(from, to)];
  const noUtf8 = (...bytes: number[]) => [HEADER, entry(), new Uint8Array(bytes)];
  const oursWithout = HEADER.trim().replace('"format":"voicewire-recording",', '');
  it.each<[string, BlobPart[], RegExp]>([
    ['nothing', [], /^Line 1, column 1: .* found nothing/],
    ['HTML', ['<!doctype html><script>alert(1)</script>'], /^Line 1, .* found HTML or XML/],
    ['a sound', ['RIFF....WAVE'], /found a file that is no text/],
    ['a list', ['[1, 2]'], /found a JSON list/],
    ['JSON of something else', ['{"name":"package"}\n'], /found other JSON/],
    ['JSON of something else over lines', ['{\n"name": "package"\n}\n'], /^Line 1, .*log: expected/],
    ['bytes', [new Uint8Array([0xff, 0xfe, 0x41, 0x00])], /^Line 1: expected text in UTF-8/],
    ['bytes further down', noUtf8(0x7b, 0xff, 0x0a), /^Line 3: expected text in UTF-8/],
    ['half a character at its end', noUtf8(0xc3), /^Line 3: expected text in UTF-8/],
    [
      'another version',
      [HEADER.replace('"version":1', '"version":2')],
      /^Line 1, column \d+, version: expected 1/,
    ],
    ['no entries', [HEADER], /^Line 2: expected at least one entry/],
    ['a wrong type', changed('"atUs":0', '"atUs":"0"'), /^Line 2, column \d+, atUs: expected/],
    ['a number beyond all', changed('"bytes":1', '"bytes":1e400'), /^Line 2, column \d+, bytes/],
    ['a line cut short', [HEADER, entry().slice(0, 30), '\n', entry()], /^Line 2, column \d+.*found the end/],
    [
      'great depth',
      [HEADER, entry(`,"x":${'['.repeat(50_000)}${']'.repeat(50_000)}`)],
      /^Line 2, column \d+/,
    ],
    ['great depth in HAR', [`{"log":${'{"a":'.repeat(50_000)}`], /^Line 1, column \d+/],
    ['a huge number of values', [HEADER, entry(`,"x":[${'0,'.repeat(5000)}0]`)], /^Line 2, column \d+/],
    [
      'no base64',
      [HEADER, entry().replace('"text"', '"binary"').replace('"text":', '"base64":')],
      /^Line 2, column \d+, base64/,
    ],
    ['a HAR file without sockets', [devToolsHar([])], /log\.entries: expected a WebSocket with messages/],
    [
      'a HAR file of ours without entries',
      ['{"log":{"entries":[],"_voicewire":', oursWithout, '}}'],
      /^Line 1, column \d+, log\.entries: expected at least one entry/,
    ],
    [
      'a HAR file cut short',
      [devToolsHar([socketEntry('wss://a/', [])]).slice(0, 900)],
      /^Line \d+, column \d+/,
    ],
    ['gzip of something else', [gzipSync('<html>')], /found HTML or XML/],
    [
      'gzip that breaks off',
      [gzipSync(HEADER + entry().repeat(9)).subarray(0, 120)],
      /gzip file that is cut off or damaged/,
    ],
    ['gzip that is damaged', [gzipSync('a').fill(0, 9)], /gzip file that is cut off or damaged/],
  ])('that is %s is refused by its place', async (_, parts, words) => {
    expect((await refusal(parts)).message).toMatch(words);
  });

  it('that is the example of the documented format opens', async () => {
    const page = readFileSync(new URL('../../../docs/recording-format.md', import.meta.url), 'utf8');
    const example = /```jsonl\n(.*?)```/s.exec(page)?.[1] ?? '';
    const store = new KeptImports();
    expect(await open([example], store)).toMatchObject({ notes: [] });
    expect([...store.kept.values()]).toMatchObject([
      [{ kind: 'opening' }, { kind: 'say' }, { kind: 'audio' }],
    ]);
  });

  it('that is made to burst is left before it does', async () => {
    const limits = { unpackedFreeBytes: 100_000 };
    // A first line of ours, so that nothing but the size is wrong with it.
    const bomb = gzipSync(Buffer.concat([Buffer.from(HEADER + entry()), Buffer.alloc(20_000_000, '\n')]));
    expect(bomb.length).toBeLessThan(40_000);
    expect((await refusal([bomb], limits)).message).toMatch(/expected at most 2\.\d MB when unpacked/);
    expect((await refusal([gzipSync(Buffer.alloc(20_000_000, '{'))], limits)).message).toMatch(
      /when unpacked/,
    );
  });

  it('with a line or a whole beyond all measure is left there', async () => {
    expect(
      (await refusal([HEADER, entry(`,"x":"${'a'.repeat(9000)}"`)], { own: { lineChars: 4000 } })).message,
    ).toMatch(/^Line 2: expected at most 4000 characters in a line/);
    expect(
      (await refusal([devToolsHar([socketEntry('wss://a/', [])])], { har: { chars: 1000 } })).message,
    ).toMatch(/expected at most 1,000 characters, found more, in a file of \d\.\d kB/);
  });

  it('names no property that a value inherits', async () => {
    const store = new KeptImports();
    const hostile = entry(
      ',"__proto__":{"kind":"words"},"constructor":{"prototype":{"polluted":1}},"context":"__proto__"',
    );
    await open([HEADER, hostile, '{"end":{"entries":1}}\n'], store);
    expect([...store.kept.values()]).toMatchObject([[{ kind: 'audio', context: '__proto__' }]]);
    expect('polluted' in {}).toBe(false);
  });

  describe('of several connections', () => {
    const KUGEL = 'ws://127.0.0.1:4173/kugel/ws/tts/stream';
    const message = { type: 'send', time: 1_790_000_001, opcode: 1, data: '{}' };
    const har = (...addresses: string[]) =>
      devToolsHar(addresses.map((address) => socketEntry(address, [message])));

    it('becomes one recording, which can be split by address', async () => {
      const store = new KeptImports();
      const imported = await open([har('wss://a/1', 'wss://a/2', 'wss://b/')], store);
      expect(imported).toMatchObject({ notes: ['It has connections to 3 addresses.'], canSplit: true });
      expect(store.names).toEqual(['file']);
      const split = await open([har('wss://a/', 'wss://b/')], store, {}, { split: 'address' });
      expect(split).toMatchObject({
        notes: ['It became 2 recordings, one for each address. All are under Recordings.'],
        canSplit: false,
      });
      expect(store.names.slice(1)).toEqual(['file, wss://a/', 'file, wss://b/']);
    });

    it('becomes one recording for each endpoint, a known one first', async () => {
      const store = new KeptImports();
      const imported = await open([har('wss://a/', KUGEL)], store);
      expect(imported).toMatchObject({ notes: [expect.stringContaining('one for each endpoint')] });
      expect(imported.canSplit).toBe(false);
      expect(store.names).toEqual(['file, kugel-stream', 'file, other endpoints']);
    });
  });
});

it.each(['ü', '€', '😀'])(
  'keeps %s where it lies on the edge of two parts, and the lines before damage',
  async (character) => {
    const lines = [HEADER, entry().repeat(2000), entry().replace('"x"', `"${character}"`).repeat(500)];
    const bytes = new TextEncoder().encode(lines.join(''));
    const store = new KeptImports();
    const damaged = [bytes, new TextEncoder().encode(`{"text":"${character}`), new Uint8Array([0xff, 0x0a])];
    const { missing } = await open(damaged, store, { own: { salvages: true } });
    expect(missing).toEqual([
      'Line 2502: expected text in UTF-8, found other bytes. That line and everything behind it are left out.',
    ]);
    const kept = store.kept.get('1') ?? [];
    expect(kept).toHaveLength(2500);
    expect(kept.slice(2000).every(({ payload }) => payload === character)).toBe(true);
  },
);

it.each([
  ['own format', writeRecording],
  ['HAR file', (info: RecordingInfo, entries: readonly RecordEntry[]) => writeHar(info, () => entries)],
])('of an unknown endpoint is read anew as traffic of the one that is asked for: %s', async (_, write) => {
  const said = { type: 'send', time: 1_790_000_001, opcode: 1, data: '{"text":"Hi.","flush":true}' };
  const heard = {
    type: 'receive',
    time: 1_790_000_002,
    opcode: 1,
    data: '{"audio":"AAAAAAAAAAA=","enc":"pcm_s16le","idx":0,"sr":8000,"samples":4,"chunk_id":3}',
  };
  const at = (url: string) => readHar(devToolsHar([socketEntry(url, [said, heard])])).recordings[0];
  const [unknown, known] = [at('wss://gate.example/speak'), at('wss://gate.example/kugel/ws/tts/stream')];
  if (!unknown || !known) throw new Error('no recording');
  const file = await joinedText(write(unknown.info, unknown.entries));
  const store = new KeptImports();
  expect(await open([file], store)).toMatchObject({ hasUnknownEndpoint: true });
  expect(await open([file], store, {}, { endpoint: 'kugel-stream' })).toMatchObject({
    hasUnknownEndpoint: false,
  });
  const noted = (entries: readonly NewEntry[] = []) => entries.map(({ kind, turn }) => [kind, turn]);
  expect(noted(known.entries).slice(1)).toEqual([
    ['say', 1],
    ['audio', 1],
  ]);
  expect(noted(store.kept.get('1'))).not.toEqual(noted(known.entries));
  expect(noted(store.kept.get('2'))).toEqual(noted(known.entries));
});

it('keeps lines with a replacement character before damage', async () => {
  const store = new KeptImports();
  const line = entry().replace('"x"', '"\ufffd"');
  await open([HEADER + line.repeat(3), new Uint8Array([0xff, 0x0a])], store, { own: { salvages: true } });
  expect(store.kept.get('1')).toHaveLength(3);
});
