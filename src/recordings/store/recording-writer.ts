import { MAX_RECORDED, type NewEntry } from '#trace/entry.ts';
import type { RecordingEnvironment } from '../environment.ts';
import type { StoredRecording } from './database.ts';
import {
  isQuotaError,
  LiveRecording,
  type LiveRecordingOptions,
  type RecordingStart,
} from './live-recording.ts';
import { sizeOf } from './payload-block.ts';
import type { BlockSource } from './payload-reader.ts';
import { type ImportedRecording, RecordingImport, type Unstored } from './recording-import.ts';
import type { RecordingBatch, RecordingStore } from './recording-store.ts';
import { StorageQuota } from './storage-quota.ts';

/** Together with the session worker's delay this stays below a second. */
const FLUSH_MS = 500;

/** Waits between tries after an eviction, because browsers free deleted bytes late. Without them, all would be evicted. */
const FREED_WITHIN_MS: readonly number[] = [250, 1000, 3000];
/** Factor by which more is evicted after writes that found no room again. */
const MORE_ROOM = 4;
/** After this growth of a recording, older ones are evicted if needed. */
const ROOM_EVERY_BYTES = 8 * 2 ** 20;

export interface RecordingWriterHandlers {
  /** A recording may be only in memory from now on. */
  memoryChanged(): void;
  listChanged(): void;
  /** Reports recordings that were deleted to make room for the live one. */
  evicted(recordings: readonly StoredRecording[]): void;
}

export interface RecordingWriterOptions {
  environment: RecordingEnvironment;
  handlers: RecordingWriterHandlers;
  maxEntries?: number;
  maxStoredBytes?: number;
  memoryBytes?: number;
}

/** Stores growing recordings, within limits. */
export class RecordingWriter {
  readonly #environment: RecordingEnvironment;
  readonly #handlers: RecordingWriterHandlers;
  readonly #maxEntries: number;
  readonly #quota: StorageQuota;
  readonly #imports = new Set<RecordingImport>();
  readonly #memoryBytes: number | undefined;
  /** By id: the live one and those beside it, until the last entry is stored. */
  readonly #growing = new Map<string, LiveRecording>();
  /** Id of the last growing recording that has ended and could not be stored. */
  #onlyInMemory: string | null = null;
  #store: RecordingStore | null = null;
  #hasNoStore = false;
  /** Resolves once the database is open or has failed to open. */
  readonly #opened: Promise<void>;
  #isFlushing = false;
  /** Size of each recording when older ones were last evicted for it. */
  readonly #lookedAt = new WeakMap<LiveRecording, number>();

  constructor({ environment, handlers, ...limits }: RecordingWriterOptions) {
    this.#environment = environment;
    this.#handlers = handlers;
    this.#maxEntries = limits.maxEntries ?? MAX_RECORDED;
    this.#quota = new StorageQuota({
      environment,
      maxStoredBytes: limits.maxStoredBytes,
      evicted: (recordings) => {
        handlers.evicted(recordings);
        handlers.listChanged();
      },
    });
    this.#memoryBytes = limits.memoryBytes;
    this.#opened = environment
      .openStore(() => this.#lose())
      .then(
        (store) => {
          this.#store = store;
          void this.#removeInterrupted(store).catch(() => {});
        },
        () => this.#lose(),
      );
  }

  /** A recording with entries that the store may not have yet; undefined for any other. */
  growing(id: string): LiveRecording | undefined {
    return this.#growing.get(id);
  }

  get allGrowing(): LiveRecording[] {
    return [...this.#growing.values()];
  }

  /** The database has failed to open, or was lost. */
  get hasNoStore(): boolean {
    return this.#hasNoStore;
  }

  /** Null where there is none. */
  async store(): Promise<RecordingStore | null> {
    await this.#opened;
    return this.#store;
  }

  begin(
    start: RecordingStart,
    options: Pick<LiveRecordingOptions, 'firstNumber' | 'part' | 'fromUs' | 'openings'>,
  ): LiveRecording {
    const id = this.#environment.newId();
    const source: BlockSource = { block: async (...place) => (await this.store())?.block(...place) };
    const begun = new LiveRecording(id, start, { ...options, source, memoryBytes: this.#memoryBytes });
    this.#growing.set(id, begun);
    if (this.#hasNoStore) begun.keepInMemory('noDatabase');
    else this.#environment.claims.hold(id);
    return begun;
  }

  /** Begins a recording beside the live one. Returns its id. */
  beginBeside(start: RecordingStart, name: string): string {
    const beside = this.begin(start, {});
    beside.name = name;
    this.#handlers.listChanged();
    return beside.info.id;
  }

  /** Returns the recording of the last entry, another one where this has become full; null where it was deleted. */
  appendBeside(id: string, entries: readonly NewEntry[]): LiveRecording | null {
    let beside = this.#growing.get(id);
    if (!beside) return null;
    for (const entry of entries) {
      beside = this.withRoom(beside, entry.atUs);
      beside.append(entry);
    }
    this.flushLater();
    return beside;
  }

  /**
   * Returns the recording that takes the next entry. Ends a full one, and begins its next part.
   * @param firstNumber number of that entry in its session; null where it has none
   */
  withRoom(live: LiveRecording, atUs: number, firstNumber: number | null = null): LiveRecording {
    if (live.index.length < this.#maxEntries) return live;
    const { start, name, part, openings } = live;
    this.end(live.info.id);
    const next = this.begin(start, { firstNumber, part: part + 1, fromUs: atUs, openings });
    next.name = name;
    return next;
  }

  /** Stores the rest of a recording. Of those beside the live one that could not be stored, the last stays in memory. */
  end(id: string): void {
    const ended = this.#growing.get(id);
    if (!ended) return;
    void this.#flush(ended).then(() => {
      const isBeside = ended.firstNumber === null;
      if (ended.memoryReason !== null && isBeside) this.#keepInMemory(id);
      else this.#growing.delete(id);
      this.#environment.claims.release(id);
      this.#handlers.listChanged();
    });
  }

  /** Deletes a growing recording. */
  async discard(id: string): Promise<void> {
    const growing = this.#growing.get(id);
    if (!growing) return;
    this.#growing.delete(id);
    growing.keepInMemory('deleted');
    // A pending write would restore the recording.
    await growing.flush((batch) => this.#write(batch));
    await (await this.store())?.remove(id);
    this.#environment.claims.release(id);
    this.#handlers.listChanged();
  }

  /**
   * Stores the recordings of a file, all or none.
   * @returns their ids, or why they could not be stored
   * @throws what the entries throw
   */
  async keep(files: readonly ImportedRecording[]): Promise<{ ids: string[] } | Unstored> {
    const store = await this.store();
    if (!store) return { reason: 'noDatabase', neededBytes: 0, roomBytes: null };
    const kept = new RecordingImport({
      environment: this.#environment,
      store,
      quota: this.#quota,
      maxEntries: this.#maxEntries,
      memoryBytes: this.#memoryBytes,
    });
    this.#imports.add(kept);
    try {
      return await kept.run(files);
    } finally {
      this.#imports.delete(kept);
      this.#handlers.listChanged();
    }
  }

  /** Writes new entries. Resolves once they are stored, or cannot be. */
  async flush(): Promise<void> {
    for (const growing of this.#growing.values()) await this.#flush(growing);
  }

  /** Writes new entries soon, as long as there are any. */
  flushLater(): void {
    if (this.#isFlushing || !this.allGrowing.some(({ isDirty }) => isDirty)) return;
    this.#isFlushing = true;
    this.#environment.after(FLUSH_MS, () => {
      void this.flush().then(() => {
        this.#isFlushing = false;
        this.flushLater();
      });
    });
  }

  /** Bounds the memory: only the last such recording stays. */
  #keepInMemory(id: string): void {
    if (this.#onlyInMemory !== null) this.#growing.delete(this.#onlyInMemory);
    this.#onlyInMemory = id;
  }

  async #flush(live: LiveRecording): Promise<void> {
    await this.#opened;
    const isNew = live.storedBytes === 0;
    await this.#makeRoomFor(live);
    await live.flush((batch) => this.#write(batch));
    this.#handlers.memoryChanged();
    if (isNew && live.storedBytes > 0) this.#handlers.listChanged();
  }

  async #write(batch: RecordingBatch): Promise<void> {
    const store = this.#store;
    if (!store) throw new Error('The database is gone.');
    let neededBytes = bytesOf(batch);
    let waitsMs: readonly number[] = [];
    for (;;) {
      try {
        await store.write(batch);
        return;
      } catch (error) {
        // The disk has less room than the browser reports.
        if (!isQuotaError(error)) throw error;
        const [waitMs, ...rest] = waitsMs;
        if (waitMs !== undefined) {
          waitsMs = rest;
          await new Promise<void>((resolve) => this.#environment.after(waitMs, resolve));
          continue;
        }
        if (await this.#giveUpImports()) continue;
        if ((await this.#quota.evict(store, neededBytes)) === 0) throw error;
        neededBytes *= MORE_ROOM;
        waitsMs = FREED_WITHIN_MS;
      }
    }
  }

  async #makeRoomFor(live: LiveRecording): Promise<void> {
    if (!this.#store || !live.isDirty) return;
    const lookedAt = this.#lookedAt.get(live) ?? Number.NEGATIVE_INFINITY;
    if (live.storedBytes - lookedAt < ROOM_EVERY_BYTES) return;
    this.#lookedAt.set(live, live.storedBytes);
    try {
      if (!(await this.#quota.keepLimits(this.#store))) live.keepInMemory('full');
    } catch {
      // A database that fails is noticed by the write that comes now.
    }
  }

  /** Returns false where no import is under way. */
  async #giveUpImports(): Promise<boolean> {
    const imports = [...this.#imports];
    this.#imports.clear();
    await Promise.all(imports.map((one) => one.giveUp()));
    return imports.length > 0;
  }

  /** Deletes imports that ended with their tab. */
  async #removeInterrupted(store: RecordingStore): Promise<void> {
    // Listed before the claims, because an import holds its claim before its first write.
    const importing = await store.importing();
    const held = await this.#environment.claims.held();
    for (const { id } of importing) if (!held.has(id)) await store.remove(id);
  }

  #lose(): void {
    this.#store = null;
    this.#hasNoStore = true;
    for (const growing of this.#growing.values()) growing.keepInMemory('noDatabase');
    this.#handlers.memoryChanged();
  }
}

const bytesOf = ({ segments, blocks }: RecordingBatch): number =>
  segments.reduce((sum, { segment }) => sum + segment.packed.length, 0) +
  blocks.reduce((sum, { block }) => sum + sizeOf(block), 0);
