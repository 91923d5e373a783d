import type { NewEntry } from '#record/record.ts';
import type { RecordingEnvironment } from '../environment.ts';
import { movedBack } from '../format/player-entry.ts';
import { isQuotaError, LiveRecording, type MemoryReason, type RecordingStart } from './live-recording.ts';
import type { RecordingBatch, RecordingStore } from './recording-store.ts';

/** Together with the session worker's delay this stays below a second. */
export const FLUSH_MS = 500;

/** Entries of a recording, as many as a file may hold. The next entry begins another one. */
const MAX_ENTRIES = 2_000_000;

/** Limits of all recordings, in bytes and as a share of the browser's quota. */
const MAX_STORED_BYTES = 4 * 2 ** 30;
const SHARE_OF_QUOTA = 0.5;
/** Of an imported recording. */
const ENTRIES_A_WRITE = 512;
/** After this growth of a recording, older ones are evicted if needed. */
const ROOM_EVERY_BYTES = 8 * 2 ** 20;

export interface KeeperHandlers {
  grew(): void;
  /** Reports a change of `live` or `memoryReason`. */
  stateChanged(): void;
  listChanged(): void;
}

export interface KeeperOptions {
  environment: RecordingEnvironment;
  handlers: KeeperHandlers;
  maxEntries?: number;
  maxStoredBytes?: number;
  memoryBytes?: number;
}

/** Writes recorded entries to the store, in order and within limits. */
export class Keeper {
  readonly #environment: RecordingEnvironment;
  readonly #handlers: KeeperHandlers;
  readonly #maxEntries: number;
  readonly #maxStoredBytes: number;
  readonly #memoryBytes: number | undefined;
  #start: RecordingStart | null = null;
  /** Since the last `begin`. Entries of a recording that continues another begin at 0. */
  #offsetUs = 0;
  #live: LiveRecording | null = null;
  #store: RecordingStore | null = null;
  #hasNoStore = false;
  /** Resolves once the database is open or has failed to open. */
  readonly #opened: Promise<void>;
  #isFlushing = false;
  #reportedState = '';
  /** Size of the recording when room was last made for it. */
  readonly #lookedAt = new WeakMap<LiveRecording, number>();

  constructor({ environment, handlers, ...limits }: KeeperOptions) {
    this.#environment = environment;
    this.#handlers = handlers;
    this.#maxEntries = limits.maxEntries ?? MAX_ENTRIES;
    this.#maxStoredBytes = limits.maxStoredBytes ?? MAX_STORED_BYTES;
    this.#memoryBytes = limits.memoryBytes;
    this.#opened = environment
      .openStore(() => this.#lose())
      .then(
        (store) => {
          this.#store = store;
        },
        () => this.#lose(),
      );
  }

  /** The live recording; null before the first entry. */
  get live(): LiveRecording | null {
    return this.#live;
  }

  /** Time that belongs to an earlier recording of the same session, in microseconds. */
  get offsetUs(): number {
    return this.#offsetUs;
  }

  /** Null where there is none. */
  async store(): Promise<RecordingStore | null> {
    await this.#opened;
    return this.#store;
  }

  /** Why the recording is only in memory; null where it is stored, or there is none. */
  get memoryReason(): MemoryReason | null {
    return this.#live?.memoryReason ?? (this.#hasNoStore ? 'noDatabase' : null);
  }

  /** Begins a recording with the next entry. */
  begin(start: RecordingStart): void {
    this.#end();
    this.#start = start;
    this.#offsetUs = 0;
  }

  /** @param first number of the first of them */
  append(entries: readonly NewEntry[], first: number): void {
    entries.forEach((entry, at) => {
      this.#append(entry, first + at);
    });
    this.#noteState();
    this.#handlers.grew();
    this.#flushLater();
  }

  /** Deletes the live recording. The next entry begins another one. */
  async discard(): Promise<void> {
    const live = this.#live;
    if (!live) return;
    this.#live = null;
    live.keepInMemory('deleted');
    // A pending write would restore the recording.
    await live.flush((batch) => this.#write(batch));
    await (await this.store())?.remove(live.info.id);
    this.#environment.claims.release(live.info.id);
    this.#handlers.listChanged();
  }

  /**
   * Stores an imported recording, whole or not at all.
   * @returns its id, or why it could not be stored
   * @throws what the entries throw
   */
  async keep(
    start: RecordingStart,
    name: string,
    entries: AsyncIterable<NewEntry>,
  ): Promise<{ id: string } | { reason: MemoryReason }> {
    await this.#opened;
    const kept = this.#open(start);
    const { id } = kept.info;
    kept.name = name;
    let isWhole = false;
    try {
      for await (const entry of entries) {
        kept.append(entry);
        if (kept.isBehind || kept.index.length % ENTRIES_A_WRITE === 0) await this.#flush(kept);
        if (kept.memoryReason) break;
      }
      await this.#flush(kept);
      isWhole = kept.memoryReason === null;
    } finally {
      if (!isWhole) await this.#store?.remove(id).catch(() => {});
      this.#environment.claims.release(id);
      this.#handlers.listChanged();
    }
    return kept.memoryReason === null ? { id } : { reason: kept.memoryReason };
  }

  /** Writes new entries. Resolves once they are stored, or cannot be. */
  async flush(): Promise<void> {
    const live = this.#live;
    if (live) await this.#flush(live);
  }

  #append(entry: NewEntry, number: number): void {
    const start = this.#start;
    if (!start) return;
    if (this.#live && this.#live.index.length >= this.#maxEntries) this.#end();
    if (!this.#live) {
      this.#offsetUs = entry.atUs;
      this.#live = this.#open({ ...start, startedAtMs: start.startedAtMs + entry.atUs / 1000 }, number);
    }
    const byUs = this.#offsetUs;
    const payload = byUs > 0 && entry.direction === 'player' ? movedBack(entry, byUs) : entry.payload;
    this.#live.append({ ...entry, atUs: entry.atUs - byUs, payload });
  }

  #open(start: RecordingStart, firstNumber: number | null = null): LiveRecording {
    const id = this.#environment.newId();
    const live = new LiveRecording(id, start, firstNumber, this.#memoryBytes);
    if (this.#hasNoStore) live.keepInMemory('noDatabase');
    else this.#environment.claims.hold(id);
    return live;
  }

  #end(): void {
    const live = this.#live;
    if (!live) return;
    this.#live = null;
    const { id } = live.info;
    void this.#flush(live).then(() => {
      this.#environment.claims.release(id);
      this.#handlers.listChanged();
    });
  }

  #flushLater(): void {
    if (this.#isFlushing || !this.#live?.isDirty) return;
    this.#isFlushing = true;
    this.#environment.after(FLUSH_MS, () => {
      void this.flush().then(() => {
        this.#isFlushing = false;
        this.#flushLater();
      });
    });
  }

  async #flush(live: LiveRecording): Promise<void> {
    await this.#opened;
    const isNew = live.storedBytes === 0;
    await this.#makeRoomFor(live);
    await live.flush((batch) => this.#write(batch));
    this.#noteState();
    if (isNew && live.storedBytes > 0) this.#handlers.listChanged();
  }

  async #write(batch: RecordingBatch): Promise<void> {
    const store = this.#store;
    if (!store) throw new Error('The database is gone.');
    try {
      await store.write(batch);
    } catch (error) {
      if (!isQuotaError(error)) throw error;
      // The disk has less room than the browser reports, so half of the stored bytes are evicted.
      if (!(await this.#deleteDownTo((all) => all / 2))) throw error;
      await store.write(batch);
    }
  }

  async #makeRoomFor(live: LiveRecording): Promise<void> {
    if (!this.#store || !live.isDirty) return;
    const lookedAt = this.#lookedAt.get(live) ?? Number.NEGATIVE_INFINITY;
    if (live.storedBytes - lookedAt < ROOM_EVERY_BYTES) return;
    this.#lookedAt.set(live, live.storedBytes);
    const space = await this.#environment.space();
    const maxBytes = Math.min(
      this.#maxStoredBytes,
      (space?.quotaBytes ?? Number.POSITIVE_INFINITY) * SHARE_OF_QUOTA,
    );
    try {
      await this.#deleteDownTo(() => maxBytes);
      // Nothing else may be evicted.
      const all = await this.#store.list();
      if (all.reduce((sum, { storedBytes }) => sum + storedBytes, 0) > maxBytes) live.keepInMemory('full');
    } catch {
      // A database that fails is noticed by the write that comes now.
    }
  }

  /** Returns whether anything was deleted. */
  async #deleteDownTo(limit: (allBytes: number) => number): Promise<boolean> {
    const store = this.#store;
    if (!store) return false;
    const all = (await store.list()).reduce((sum, { storedBytes }) => sum + storedBytes, 0);
    const keep = await this.#environment.claims.held();
    const deleted = await store.makeRoom(limit(all), keep);
    if (deleted.length > 0) this.#handlers.listChanged();
    return deleted.length > 0;
  }

  #lose(): void {
    this.#store = null;
    this.#hasNoStore = true;
    this.#live?.keepInMemory('noDatabase');
    this.#noteState();
  }

  #noteState(): void {
    const state = `${this.#live?.info.id} ${this.memoryReason}`;
    if (state === this.#reportedState) return;
    this.#reportedState = state;
    this.#handlers.stateChanged();
  }
}
