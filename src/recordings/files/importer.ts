import type { NewEntry, RecordEntry, RecordingInfo } from '#record/record.ts';
import { ImportError, wrongLine } from '../format/import-error.ts';
import type { ImportedRecording } from '../store/recording-import.ts';
import type { Breathe } from './exporter.ts';
import { readHar } from './har-reader.ts';
import { RecordingReader } from './recording-file.ts';

export interface ImportStore {
  /** Stores the recordings of a file, all or none. Returns their ids. */
  add(files: readonly ImportedRecording[]): Promise<string[]>;
  /** Returns the id of a recording with equal info; null where there is none. */
  find(info: Pick<RecordingInfo, 'name' | 'endpoint' | 'startedAtMs'>): Promise<string | null>;
}

export interface ImportLimits {
  /** Largest ratio of unpacked to packed size, beyond the first free bytes. */
  unpackRatio: number;
  unpackedFreeBytes: number;
  /** Of a HAR file, which is read as a whole. */
  harChars: number;
  /** Of the own format, see `recording-file.ts`. */
  lineChars?: number;
}

/** JSON of frames packs to a twentieth at best, a zip bomb to a thousandth. */
const IMPORT_LIMITS: ImportLimits = {
  unpackRatio: 100,
  unpackedFreeBytes: 16 * 2 ** 20,
  harChars: 256 * 2 ** 20,
};

/** Ids of the recordings in the order of the file, and notes for people. */
interface Imported {
  recordings: string[];
  notes: string[];
}

export interface ImportOptions {
  /** Name of a recording that has none in the file. */
  name: string;
  /** Returns the recording of an earlier import of the same file. */
  once: boolean;
  breathe: Breathe;
  limits?: Partial<ImportLimits>;
}

/**
 * Imports a file of the own format or a HAR file, either also gzipped, whole or not at all. The format is detected by
 * content, which is validated while it is read.
 * @throws ImportError that names the place, or an Error of the store
 */
export async function importFile(
  file: Blob,
  store: ImportStore,
  { name, once, breathe, limits }: ImportOptions,
): Promise<Imported> {
  const bounds = { ...IMPORT_LIMITS, ...limits };
  const texts = textsOf(file, bounds, breathe);
  const beginning = await beginningOf(texts);
  const parts = chained([beginning], texts);
  if (firstLineOf(beginning).includes('"voicewire-recording"')) {
    return importOwn(parts, store, name, once, bounds);
  }
  if (!/^\ufeff?\s*\{/.test(beginning) || isOtherJson(firstLineOf(beginning))) {
    throw new ImportError({ line: 1, column: 1, path: '' }, WANTED, described(beginning));
  }
  return importHar(await wholeText(parts, bounds.harChars), store, name);
}

async function importOwn(
  parts: AsyncGenerator<string>,
  store: ImportStore,
  fileName: string,
  once: boolean,
  { lineChars }: ImportLimits,
): Promise<Imported> {
  const reader = new RecordingReader(lineChars === undefined ? {} : { lineChars });
  // The info is on the first line, and the store needs it before the entries.
  const first: RecordEntry[] = [];
  let ended: ReturnType<RecordingReader['finish']> | null = null;
  while (!reader.info && !ended) {
    const part = await parts.next();
    if (part.done) ended = reader.finish();
    else first.push(...reader.push(part.value));
  }
  const info = reader.info ?? ended?.info;
  if (!info) throw wrongLine(1, WANTED, 'nothing');
  const name = info.name.trim() === '' ? fileName : info.name;
  const known = once ? await store.find({ ...info, name }) : null;
  if (known !== null) {
    await parts.return(undefined);
    return { recordings: [known], notes: [] };
  }
  const notes: string[] = [];
  async function* entries(): AsyncGenerator<NewEntry> {
    yield* first;
    if (!ended) for await (const part of parts) yield* reader.push(part);
    const end = ended ?? reader.finish();
    yield* end.entries;
    if (end.info.entries === 0) throw wrongLine(2, 'at least one entry', 'none');
    notes.push(...end.warnings);
  }
  return { recordings: await store.add([{ info: { ...info, name }, entries: entries() }]), notes };
}

async function importHar(text: string, store: ImportStore, fileName: string): Promise<Imported> {
  const { recordings, notes } = readHar(text);
  const ids = await store.add(
    recordings.map(({ info, entries }) => ({
      info: { ...info, name: nameOf(info, fileName, recordings) },
      entries: chained<NewEntry>(entries),
    })),
  );
  if (recordings.length > 1)
    notes.unshift(`The file held ${recordings.length} recordings, one for each address.`);
  return { recordings: ids, notes };
}

function nameOf(info: RecordingInfo, fileName: string, all: readonly unknown[]): string {
  if (info.name.trim() !== '') return info.name;
  return all.length === 1 ? fileName : `${fileName}, ${info.address}`;
}

const WANTED = 'a Voicewire recording or a HAR file';

/** Enough to detect the format. */
const BEGINNING_CHARS = 1 << 16;

async function beginningOf(texts: AsyncGenerator<string>): Promise<string> {
  let text = '';
  while (text.length < BEGINNING_CHARS && !text.trimStart().includes('\n')) {
    const part = await texts.next();
    if (part.done) break;
    text += part.value;
  }
  return text;
}

async function* chained<T>(...parts: (Iterable<T> | AsyncIterable<T>)[]): AsyncGenerator<T> {
  for (const part of parts) yield* part;
}

const firstLineOf = (text: string): string => text.trimStart().split('\n', 1)[0] ?? '';

/** A line that is a whole JSON value belongs to a format of lines that is not the own one. */
function isOtherJson(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value !== 'object' || value === null || !('log' in value);
  } catch {
    return false;
  }
}

async function wholeText(parts: AsyncIterable<string>, maxChars: number): Promise<string> {
  const pieces: string[] = [];
  let chars = 0;
  let lines = 0;
  for await (const part of parts) {
    chars += part.length;
    if (chars > maxChars) throw wrongLine(lines + 1, `at most ${maxChars} characters`, 'more');
    lines += linesIn(part);
    pieces.push(part);
  }
  return pieces.join('');
}

const GZIP = [0x1f, 0x8b];

/** Yields the text of a file, unpacked if it is gzipped. @throws ImportError */
async function* textsOf(file: Blob, limits: ImportLimits, breathe: Breathe): AsyncGenerator<string> {
  const head = new Uint8Array(await file.slice(0, GZIP.length).arrayBuffer());
  const isPacked = GZIP.every((byte, i) => head[i] === byte);
  let read = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(bytes, controller) {
        read += bytes.length;
        controller.enqueue(bytes);
      },
    }),
  );
  const bytes = isPacked ? counted.pipeThrough(new DecompressionStream('gzip')) : counted;
  const reader = bytes.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const maxBytes = isPacked
    ? limits.unpackedFreeBytes + file.size * limits.unpackRatio
    : Number.POSITIVE_INFINITY;
  let unpacked = 0;
  let line = 1;
  const wrong = (expected: string, found: string) => wrongLine(line, expected, found);
  try {
    for (;;) {
      await breathe(file.size === 0 ? 1 : Math.min(1, read / file.size));
      const part = await reader.read().catch(() => {
        throw wrong(
          'a whole file',
          isPacked ? 'a gzip file that is cut off or damaged' : 'one that cannot be read',
        );
      });
      if (part.done) break;
      unpacked += part.value.length;
      if (unpacked > maxBytes) throw wrong(`at most ${maxBytes} bytes when unpacked`, 'more');
      let text: string;
      try {
        text = decoder.decode(part.value, { stream: true });
      } catch {
        line += linesBeforeDamage(part.value);
        throw wrong('text in UTF-8', 'other bytes');
      }
      yield text;
      line += linesIn(text);
    }
    try {
      yield decoder.decode();
    } catch {
      throw wrong('text in UTF-8', 'the beginning of a character');
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

const linesIn = (text: string): number => text.split('\n').length - 1;

const REPLACED = '\ufffd';

/** The beginning may be the rest of a character that was split between two parts. */
function linesBeforeDamage(bytes: Uint8Array): number {
  const text = new TextDecoder().decode(bytes);
  const start = text.search(/[^\ufffd]/u);
  const at = text.indexOf(REPLACED, Math.max(0, start));
  return linesIn(text.slice(0, at < 0 ? 0 : at));
}

/** Describes a file of another format by its beginning. */
function described(text: string): string {
  const start = text.replace(/^\ufeff/, '').trimStart();
  if (start === '') return 'nothing';
  if (start.startsWith('<')) return 'HTML or XML';
  if (start.startsWith('[')) return 'a JSON list';
  if (start.startsWith('{')) return 'other JSON';
  if (/^(?:PK|RIFF|OggS|ID3)/.test(start)) return 'a file that is no text';
  return 'other text';
}
