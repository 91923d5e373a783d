import {
  type IndexSegment,
  openDatabase,
  type RecordingRow,
  type RecordingsDatabase,
  type StoredRecording,
} from './database.ts';
import { BLOCK_KINDS, type BlockKind, type PayloadBlock } from './payload-block.ts';
import type { BlockStarts } from './payload-reader.ts';

/** A write in one transaction. */
export interface RecordingBatch {
  /** State after this batch, except for name and pin, which the store keeps. */
  info: StoredRecording;
  /** It is not listed before {@link RecordingStore.publish}. */
  isImport: boolean;
  /** The first batch creates the recording; later ones fail if it was deleted. */
  isFirst: boolean;
  segments: readonly { first: number; segment: IndexSegment }[];
  /** Kind and first entry identify a block. One that has grown replaces its stored version. */
  blocks: readonly { kind: BlockKind; first: number; block: PayloadBlock }[];
}

/** The recording was deleted while it was written, by another tab. */
export class RecordingGoneError extends Error {}

/** Segments that are read at once when an index is loaded. */
const SEGMENTS_AT_ONCE = 64;

/** Recordings in the browser's database. Every method rejects where the database fails. */
export class RecordingStore {
  readonly #database: RecordingsDatabase;
  /** Deleted to make room. The next write remembers them, because nothing can be written before on a full disk. */
  #evicted: StoredRecording[] = [];

  constructor(database: RecordingsDatabase) {
    this.#database = database;
  }

  static async open(lost: () => void): Promise<RecordingStore> {
    return new RecordingStore(await openDatabase(lost));
  }

  dispose(): void {
    this.#database.close();
  }

  /** Newest first, without imports that are not whole. */
  async list(): Promise<StoredRecording[]> {
    const all = await this.#database.getAll('recordings');
    return all.filter(({ isImporting }) => !isImporting).sort(newestFirst);
  }

  /** Imports that are not whole: under way in any tab, or interrupted. */
  async importing(): Promise<StoredRecording[]> {
    return (await this.#database.getAll('recordings')).filter(({ isImporting }) => isImporting);
  }

  /** Lists imported recordings from now on, all or none. @throws RecordingGoneError */
  async publish(ids: readonly string[]): Promise<void> {
    const transaction = this.#database.transaction('recordings', 'readwrite');
    await settled(
      transaction,
      Promise.all(
        ids.map(async (id) => {
          const { isImporting: _, ...whole } = (await transaction.store.get(id)) ?? gone(id);
          await transaction.store.put(whole);
        }),
      ),
    );
  }

  async get(id: string): Promise<StoredRecording | undefined> {
    return this.#database.get('recordings', id);
  }

  /** @throws RecordingGoneError */
  async write({ info, isImport, isFirst, segments, blocks }: RecordingBatch): Promise<void> {
    const stores = ['recordings', 'index', 'payloads', 'evicted'] as const;
    const transaction = this.#database.transaction(stores, 'readwrite');
    const evicted = [...this.#evicted];
    const recordings = transaction.objectStore('recordings');
    const index = transaction.objectStore('index');
    const payloads = transaction.objectStore('payloads');
    const written = async (): Promise<void> => {
      const { name, pinned } = (await recordings.get(info.id)) ?? (isFirst ? info : gone(info.id));
      const row: RecordingRow = { ...info, name, pinned, ...(isImport ? { isImporting: true } : {}) };
      await Promise.all([
        recordings.put(row),
        ...segments.map(({ first, segment }) => index.put(segment, [info.id, first])),
        ...blocks.map(({ kind, first, block }) => payloads.put(block, [info.id, kind, first])),
        ...evicted.map((deleted) => transaction.objectStore('evicted').put(deleted)),
      ]);
    };
    await settled(transaction, written());
    this.#evicted = this.#evicted.filter((deleted) => !evicted.includes(deleted));
  }

  /** Changes name or pin of a recording. Returns false if it does not exist. */
  async change(id: string, change: { name: string } | { pinned: boolean }): Promise<boolean> {
    const transaction = this.#database.transaction('recordings', 'readwrite');
    const stored = await transaction.store.get(id);
    if (stored) await transaction.store.put({ ...stored, ...change });
    await transaction.done;
    return stored !== undefined;
  }

  /** Writes nothing, so that it succeeds on a full disk. */
  async remove(id: string): Promise<void> {
    const transaction = this.#database.transaction(['recordings', 'index', 'payloads'], 'readwrite');
    await Promise.all([
      transaction.objectStore('recordings').delete(id),
      transaction.objectStore('index').delete(rangeOf(id)),
      transaction.objectStore('payloads').delete(rangeOf(id)),
      transaction.done,
    ]);
  }

  /** Recordings that {@link makeRoom} deleted since {@link forgetEvicted}, newest first. */
  async evicted(): Promise<StoredRecording[]> {
    const stored = await this.#database.getAll('evicted');
    const others = this.#evicted.filter(({ id }) => !stored.some((each) => each.id === id));
    return [...others, ...stored].sort(newestFirst);
  }

  async forgetEvicted(): Promise<void> {
    this.#evicted = [];
    await this.#database.clear('evicted');
  }

  /** Deletes that many bytes of the oldest recordings that are neither pinned nor to be kept. Returns them. */
  async makeRoom(neededBytes: number, keep: ReadonlySet<string>): Promise<StoredRecording[]> {
    let missing = neededBytes;
    const deleted: StoredRecording[] = [];
    for (const recording of (await this.list()).reverse()) {
      if (missing <= 0) break;
      if (recording.pinned || keep.has(recording.id)) continue;
      await this.remove(recording.id);
      this.#evicted.push(recording);
      missing -= recording.storedBytes;
      deleted.push(recording);
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

  /** First entries of the recording's blocks, by kind. */
  async blockStarts(id: string): Promise<BlockStarts> {
    const keys = await this.#database.getAllKeys('payloads', rangeOf(id));
    const starts: Record<BlockKind, number[]> = { 0: [], 1: [] };
    for (const [, kind, first] of keys) if (BLOCK_KINDS.includes(kind)) starts[kind].push(first);
    return starts;
  }

  /** @param first index of its first entry */
  async block(id: string, kind: BlockKind, first: number): Promise<PayloadBlock | undefined> {
    return this.#database.get('payloads', [id, kind, first]);
  }
}

const newestFirst = (a: StoredRecording, b: StoredRecording): number =>
  b.startedAtMs - a.startedAtMs || (a.id < b.id ? 1 : -1);

/** All keys that begin with this recording: an empty list sorts behind every number. */
const rangeOf = (id: string): IDBKeyRange => IDBKeyRange.bound([id], [id, []]);

function gone(id: string): never {
  throw new RecordingGoneError(`Recording ${id} was deleted.`);
}

/** Resolves at the end of the transaction. Rejects with the cause where it is aborted. */
async function settled(
  transaction: { abort(): void; readonly done: Promise<void> },
  work: Promise<unknown>,
): Promise<void> {
  const working = work.catch((error: unknown) => {
    if (error instanceof RecordingGoneError) transaction.abort();
    throw error;
  });
  // The end is awaited from the start, because an earlier failure would be an unhandled rejection.
  const [worked, end] = await Promise.allSettled([working, transaction.done]);
  if (worked.status === 'rejected' && worked.reason instanceof RecordingGoneError) throw worked.reason;
  // The transaction names a full disk; the request only fails as aborted.
  if (end.status === 'rejected') throw end.reason;
  if (worked.status === 'rejected') throw worked.reason;
}
