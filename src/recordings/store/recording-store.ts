import {
  type IndexSegment,
  openDatabase,
  type RecordingsDatabase,
  type StoredRecording,
} from './database.ts';
import { GrowingNumbers } from './growing.ts';
import type { OutgoingBlock } from './live-blocks.ts';
import { LANES, type Lane, type PayloadBlock } from './payload-block.ts';

/** A write in one transaction. */
export interface RecordingBatch {
  /** State after this batch, except for name and pin, which the store keeps. */
  info: StoredRecording;
  /** The first batch creates the recording; later ones fail if it was deleted. */
  isFirst: boolean;
  segments: readonly { first: number; segment: IndexSegment }[];
  blocks: readonly OutgoingBlock[];
}

/** The recording was deleted while it was written, by another tab. */
export class RecordingGoneError extends Error {}

/** Segments that are read at once when an index is loaded. */
const SEGMENTS_AT_ONCE = 64;

/** Recordings in the browser's database. Every method rejects where the database fails. */
export class RecordingStore {
  readonly #database: RecordingsDatabase;

  constructor(database: RecordingsDatabase) {
    this.#database = database;
  }

  static async open(lost: () => void): Promise<RecordingStore> {
    return new RecordingStore(await openDatabase(lost));
  }

  close(): void {
    this.#database.close();
  }

  /** Newest first. */
  async list(): Promise<StoredRecording[]> {
    const all = await this.#database.getAll('recordings');
    return all.sort((a, b) => b.startedAtMs - a.startedAtMs || (a.id < b.id ? 1 : -1));
  }

  async get(id: string): Promise<StoredRecording | undefined> {
    return this.#database.get('recordings', id);
  }

  /** @throws RecordingGoneError */
  async write({ info, isFirst, segments, blocks }: RecordingBatch): Promise<void> {
    const transaction = this.#database.transaction(['recordings', 'index', 'payloads'], 'readwrite');
    const recordings = transaction.objectStore('recordings');
    const index = transaction.objectStore('index');
    const payloads = transaction.objectStore('payloads');
    // The end is awaited from the start, because an earlier failure would be an unhandled rejection.
    const done = transaction.done;
    const written = (async () => {
      const stored = await recordings.get(info.id);
      if (!stored && !isFirst) {
        transaction.abort();
        throw new RecordingGoneError(`Recording ${info.id} was deleted.`);
      }
      const { name, pinned } = stored ?? info;
      await Promise.all([
        recordings.put({ ...info, name, pinned }),
        ...segments.map(({ first, segment }) => index.put(segment, [info.id, first])),
        ...blocks.map(({ lane, first, block }) => payloads.put(block, [info.id, lane, first])),
      ]);
    })();
    const [write, end] = await Promise.allSettled([written, done]);
    if (write.status === 'rejected' && write.reason instanceof RecordingGoneError) throw write.reason;
    // The transaction names a full disk; the request only fails as aborted.
    if (end.status === 'rejected') throw end.reason;
    if (write.status === 'rejected') throw write.reason;
  }

  /** Changes name or pin of a recording. Returns false if it does not exist. */
  async change(id: string, change: { name: string } | { pinned: boolean }): Promise<boolean> {
    const transaction = this.#database.transaction('recordings', 'readwrite');
    const stored = await transaction.store.get(id);
    if (stored) await transaction.store.put({ ...stored, ...change });
    await transaction.done;
    return stored !== undefined;
  }

  async remove(id: string): Promise<void> {
    const transaction = this.#database.transaction(['recordings', 'index', 'payloads'], 'readwrite');
    await Promise.all([
      transaction.objectStore('recordings').delete(id),
      transaction.objectStore('index').delete(rangeOf(id)),
      transaction.objectStore('payloads').delete(rangeOf(id)),
      transaction.done,
    ]);
  }

  /**
   * Deletes the oldest recordings that are neither pinned nor to be kept, until all together take no more than that.
   * @returns ids of the deleted recordings
   */
  async makeRoom(maxBytes: number, keep: ReadonlySet<string>): Promise<string[]> {
    const all = await this.list();
    let bytes = all.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
    const deleted: string[] = [];
    for (const { id, pinned, storedBytes } of all.reverse()) {
      if (bytes <= maxBytes) break;
      if (pinned || keep.has(id)) continue;
      await this.remove(id);
      bytes -= storedBytes;
      deleted.push(id);
    }
    return deleted;
  }

  /** The index of a recording, piece by piece in order. */
  async *segments(id: string): AsyncGenerator<IndexSegment[], void, undefined> {
    let from = 0;
    // The first piece is shown first, so it does not wait for more.
    for (let count = 1; ; count = SEGMENTS_AT_ONCE) {
      const range = IDBKeyRange.bound([id, from], [id, Number.POSITIVE_INFINITY]);
      const transaction = this.#database.transaction('index');
      const [keys, segments] = await Promise.all([
        transaction.store.getAllKeys(range, count),
        transaction.store.getAll(range, count),
      ]);
      const last = keys.at(-1);
      if (!last) return;
      yield segments;
      from = last[1] + 1;
    }
  }

  /** First entries of the recording's blocks, by lane. */
  async blockStarts(id: string): Promise<Record<Lane, GrowingNumbers>> {
    const keys = await this.#database.getAllKeys('payloads', rangeOf(id));
    const starts = { 0: new GrowingNumbers(), 1: new GrowingNumbers() };
    for (const [, lane, first] of keys) if (LANES.includes(lane)) starts[lane].push(first);
    return starts;
  }

  /** @param first index of its first entry */
  async block(id: string, lane: Lane, first: number): Promise<PayloadBlock | undefined> {
    return this.#database.get('payloads', [id, lane, first]);
  }
}

/** All keys that begin with this recording: an empty list sorts behind every number. */
const rangeOf = (id: string): IDBKeyRange => IDBKeyRange.bound([id], [id, []]);
