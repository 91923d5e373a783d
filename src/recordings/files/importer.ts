import { addAll } from '#lib/collections/arrays.ts';
import { count } from '#lib/format.ts';
import type { CallConnection } from '#lib/worker-calls.ts';
import { MAX_RECORDED, type NewEntry, type RecordEntry, type RecordingInfo } from '#trace/entry.ts';
import { ImportError, wrongLine } from '#trace/files/import-error.ts';
import { type ReadLimits, RecordingReader } from '#trace/files/recording-file.ts';
import { endpointFor, notedAnewAs } from '#trace/trace.ts';
import type { ImportedRecording } from '../store/recording-import.ts';
import type { YieldToLoop } from '../yield-to-loop.ts';
import { textPartsOf, UNPACK_LIMITS, type UnpackLimits } from './file-text.ts';
import type { HarLimits } from './har-reader.ts';
import type { HarSplit } from './har-recordings.ts';
import type { HarThread } from './har-thread.ts';

export interface ImportStore {
  /** Stores the recordings of a file, all or none. Returns their ids. */
  add(files: readonly ImportedRecording[]): Promise<string[]>;
  remove(ids: readonly string[]): Promise<void>;
  /** Returns the id of a recording with equal info; null where there is none. */
  find(info: Pick<RecordingInfo, 'name' | 'endpoint' | 'startedAtMs'>): Promise<string | null>;
}

export interface ImportLimits extends UnpackLimits {
  /** Of a HAR file. */
  har: Partial<HarLimits>;
  /** Of the own format, see `recording-file.ts`. */
  own: Partial<ReadLimits>;
}

/** The recordings of a file. */
export interface Imported {
  /** Ids, the one to show first. */
  recordings: string[];
  /** Sentences for people about anything unexpected. */
  notes: string[];
  /** Those about parts of the file that are damaged or cut off; absent for a whole file. */
  missing?: readonly string[];
  /** False where an earlier import of the same file was found. */
  isNew: boolean;
  /** Connections to several addresses share a recording, and each address could have its own. */
  canSplit: boolean;
  /** A recording has no endpoint, so that its frames are not read. {@link ImportOptions.endpoint} names one. */
  hasUnknownEndpoint: boolean;
}

export interface ImportOptions {
  /** Name of a recording that has none in the file. */
  name: string;
  /** Returns the recording of an earlier import of the same file. */
  once: boolean;
  /** Which connections of a HAR file share a recording. */
  split: HarSplit;
  /** Registry name of the endpoint of recordings that have none. */
  endpoint?: string | null;
  yieldToLoop: YieldToLoop;
  progressed: (done: number) => void;
  openHar: () => CallConnection<HarThread>;
  limits?: Partial<ImportLimits>;
}

/**
 * Imports a file of the own format or a HAR file, either also gzipped, whole or not at all. The format is detected by
 * content, which is validated while it is read.
 * @throws ImportError that names the place, or an Error of the store
 */
export async function importFile(file: Blob, store: ImportStore, options: ImportOptions): Promise<Imported> {
  const bounds = { ...UNPACK_LIMITS, har: {}, own: {}, ...options.limits };
  const texts = textPartsOf(file, bounds, options.yieldToLoop);
  try {
    const beginning = await beginningOf(texts);
    if (firstLineOf(beginning).includes('"voicewire-recording"')) {
      return await importOwn(chained([beginning], texts), store, options, bounds);
    }
    if (!/^\ufeff?\s*\{/.test(beginning) || isOtherJson(firstLineOf(beginning))) {
      throw new ImportError({ line: 1, column: 1, path: '' }, WANTED, described(beginning));
    }
  } finally {
    await texts.return(undefined);
  }
  return importHar(file, store, options, bounds);
}

async function importOwn(
  parts: AsyncGenerator<string>,
  store: ImportStore,
  { name: fileName, once, endpoint = null }: ImportOptions,
  { own }: ImportLimits,
): Promise<Imported> {
  const reader = new RecordingReader(own);
  // The info is on the first line, and the store needs it before the entries.
  const first: RecordEntry[] = [];
  let ended: ReturnType<RecordingReader['finish']> | null = null;
  while (!reader.info && !ended) {
    const part = await parts.next();
    if (part.done) ended = reader.finish();
    else addAll(first, reader.push(part.value));
  }
  const written = reader.info ?? ended?.info;
  if (!written) throw wrongLine(1, WANTED, 'nothing');
  const asked = endpointFor(written, endpoint);
  const info = { ...written, name: written.name.trim() === '' ? fileName : written.name };
  if (asked) info.endpoint = asked.id;
  const noted = asked ? notedAnewAs(asked) : (entry: NewEntry) => entry;
  const outcome = { canSplit: false, hasUnknownEndpoint: info.endpoint === '' };
  const known = once ? await store.find(info) : null;
  if (known !== null) return { recordings: [known], notes: [], isNew: false, ...outcome };
  const notes: string[] = [];
  async function* entries(): AsyncGenerator<NewEntry> {
    for (const entry of first) yield noted(entry);
    for await (const part of ended ? [] : readable(parts, reader)) {
      // A `yield*` waits several times for each entry.
      for (const entry of reader.push(part)) yield noted(entry);
    }
    const end = ended ?? reader.finish();
    for (const entry of end.entries) yield noted(entry);
    if (end.info.entries === 0) throw wrongLine(2, 'at least one entry', 'none');
    addAll(notes, end.warnings);
  }
  const recordings = await store.add([{ info, entries: entries() }]);
  if (recordings.length > 1) notes.unshift(partsNote(recordings.length));
  return { recordings, notes, ...missingOf(notes), isNew: true, ...outcome };
}

/** Yields the parts up to where the file can be read, such as to the end of a gzip file that is cut off. */
async function* readable(parts: AsyncIterable<string>, reader: RecordingReader): AsyncGenerator<string> {
  try {
    for await (const part of parts) yield part;
  } catch (error) {
    if (!(error instanceof ImportError && reader.breakOff(error.message))) throw error;
  }
}

/** Part of the progress until the file is read and parsed. The rest is for storing it. */
const READ_SHARE = 0.5;

async function importHar(
  file: Blob,
  store: ImportStore,
  { name, split, endpoint = null, yieldToLoop, progressed, openHar }: ImportOptions,
  { har: limits, own: _, ...unpack }: ImportLimits,
): Promise<Imported> {
  const { calls: har, dispose } = openHar();
  try {
    const task = { split, endpoint, limits: { ...unpack, ...limits } };
    const contents = await har.read(file, task, (done) => progressed(done * READ_SHARE));
    if ('fault' in contents) {
      const { place, expected, found } = contents.fault;
      throw new ImportError(place, expected, found);
    }
    const { recordings: infos, addresses, canSplit } = contents;
    const total = infos.reduce((sum, { entries }) => sum + entries, 0);
    let read = 0;
    async function* entriesOf(recording: number): AsyncGenerator<NewEntry> {
      for (let from = 0; ; ) {
        const batch = await har.entries(recording, from);
        await yieldToLoop(READ_SHARE + (1 - READ_SHARE) * (read / total));
        if (batch.length === 0) return;
        yield* batch;
        from += batch.length;
        read += batch.length;
      }
    }
    const recordings = await store.add(
      infos.map((info, at) => ({
        info: { ...info, name: nameOf(info, name, infos.length, split) },
        entries: entriesOf(at),
      })),
    );
    const notes = [...contents.notes];
    if (recordings.length > infos.length) notes.unshift(partsNote(recordings.length));
    if (infos.length > 1) {
      notes.unshift(`It became ${infos.length} recordings, one for each ${split}. All are under Recordings.`);
    }
    if (addresses > infos.length) notes.unshift(`It has connections to ${count(addresses)} addresses.`);
    const hasUnknownEndpoint = infos.some((info) => info.endpoint === '');
    return {
      recordings,
      notes,
      ...missingOf(contents.missing),
      isNew: true,
      canSplit,
      hasUnknownEndpoint,
    };
  } finally {
    dispose();
  }
}

const partsNote = (recordings: number): string =>
  `It became ${recordings} recordings, because one holds ${count(MAX_RECORDED)} frames. All are under Recordings.`;

const missingOf = (missing: readonly string[]): Pick<Imported, 'missing'> =>
  missing.length > 0 ? { missing } : {};

function nameOf(info: RecordingInfo, fileName: string, recordings: number, split: HarSplit): string {
  if (info.name.trim() !== '') return info.name;
  if (recordings === 1) return fileName;
  return `${fileName}, ${split === 'address' ? info.address : info.endpoint || 'other endpoints'}`;
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
