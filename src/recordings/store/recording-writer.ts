import type { NewEntry } from '#record/record.ts';
import type { BatcherMessage } from '../batcher-messages.ts';
import type { RecordingEnvironment } from '../environment.ts';
import { type HeardRecord, laterBy, movedBack } from '../format/player-entry.ts';
import type { StoredRecording } from './database.ts';
import { isQuotaError, LiveRecording, type MemoryReason, type RecordingStart } from './live-recording.ts';
import { sizeOf } from './payload-block.ts';
import type { BlockSource } from './payload-reader.ts';
import { type ImportedRecording, RecordingImport, type Unstored } from './recording-import.ts';
import type { RecordingBatch, RecordingStore } from './recording-store.ts';
import { StorageQuota } from './storage-quota.ts';

/** Together with the session worker's delay this stays below a second. */
const FLUSH_MS = 500;

/** Entries of a recording, as many as a file may hold. The next entry begins another one. */
const MAX_ENTRIES = 2_000_000;

/** Waits between tries after an eviction, because browsers free deleted bytes late. Without them, all would be evicted. */
const FREED_WITHIN_MS: readonly number[] = [250, 1000, 3000];
/** Factor by which more is evicted after writes that found no room again. */
const MORE_ROOM = 4;
/** After this growth of a recording, older ones are evicted if needed. */
const ROOM_EVERY_BYTES = 8 * 2 ** 20;

export interface RecordingWriterHandlers {
  /** @param id of the recording with new entries; null where it is not known yet */
  grew(id: string | null): void;
  /** Reports a change of `live` or `memoryReason`. */
  stateChanged(): void;
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

/** Writes recorded entries to the store, in order and within limits. */
export class RecordingWriter {
  readonly #environment: RecordingEnvironment;
  readonly #handlers: RecordingWriterHandlers;
  readonly #maxEntries: number;
  readonly #quota: StorageQuota;
  readonly #imports = new Set<RecordingImport>();
  readonly #memoryBytes: number | undefined;
  #start: RecordingStart | null = null;
  /** Start of the live recording since the last `begin`. One that continues another starts later, and its entries at 0. */
  #offsetUs = 0;
  #live: LiveRecording | null = null;
  /** Of turns that are being heard, by turn. */
  readonly #hearing = new Map<number, HeardRecord>();
  /** By id: the live one and those beside it, until the last entry is stored. */
  readonly #growing = new Map<string, LiveRecording>();
  /** Id of the last growing recording that has ended and could not be stored. */
  #onlyInMemory: string | null = null;
  #store: RecordingStore | null = null;
  #hasNoStore = false;
  /** Resolves once the database is open or has failed to open. */
  readonly #opened: Promise<void>;
  #isFlushing = false;
  #reportedState = '';
  /** Size of each recording when older ones were last evicted for it. */
  readonly #lookedAt = new WeakMap<LiveRecording, number>();

  constructor({ environment, handlers, ...limits }: RecordingWriterOptions) {
    this.#environment = environment;
    this.#handlers = handlers;
    this.#maxEntries = limits.maxEntries ?? MAX_ENTRIES;
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

  /** The live recording; null before the first entry. */
  get live(): LiveRecording | null {
    return this.#live;
  }

  /** A recording with entries that the store may not have yet; undefined for any other. */
  growing(id: string): LiveRecording | undefined {
    return this.#growing.get(id);
  }

  get allGrowing(): LiveRecording[] {
    return [...this.#growing.values()];
  }

  /** Returns the samples heard so far of a live turn that goes on; null for any other turn. */
  heardSoFar(turn: number): HeardRecord | null {
    const soFar = this.#hearing.get(turn);
    return soFar ? laterBy(soFar, -this.#offsetUs) : null;
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

  /** Records what the session worker reports. */
  take(message: BatcherMessage): void {
    switch (message.type) {
      case 'begin':
        this.#hearing.clear();
        this.#endLive();
        this.#start = message.start;
        this.#offsetUs = 0;
        break;
      case 'entries':
        message.entries.forEach((entry, at) => {
          this.#append(entry, message.first + at);
        });
        this.#noteState();
        this.#handlers.grew(this.#live?.info.id ?? null);
        this.#flushLater();
        break;
      case 'hearing':
        this.#hearing.clear();
        for (const { turn, soFar } of message.turns) this.#hearing.set(turn, soFar);
        break;
    }
  }

  /** Begins a recording beside the live one. Returns its id. */
  beginBeside(start: RecordingStart, name: string): string {
    const beside = this.#open(start);
    beside.name = name;
    this.#handlers.listChanged();
    return beside.info.id;
  }

  /** Returns false, and takes nothing, where the recording was deleted or is as long as one may be. */
  appendBeside(id: string, entries: readonly NewEntry[]): boolean {
    const beside = this.#growing.get(id);
    if (!beside || beside.index.length + entries.length > this.#maxEntries) return false;
    for (const entry of entries) beside.append(entry);
    this.#handlers.grew(id);
    this.#flushLater();
    return true;
  }

  /** Ends a recording beside the live one. The last one that could not be stored stays in memory. */
  endBeside(id: string): void {
    const beside = this.#growing.get(id);
    if (beside) this.#end(beside);
  }

  /** Deletes a growing recording. After the live one, the next entry begins another. */
  async discard(id: string): Promise<void> {
    const growing = this.#growing.get(id);
    if (!growing) return;
    if (growing === this.#live) this.#live = null;
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

  #append(entry: NewEntry, number: number): void {
    const start = this.#start;
    if (!start) return;
    if (this.#live && this.#live.index.length >= this.#maxEntries) this.#endLive();
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
    const source: BlockSource = { block: async (...place) => (await this.store())?.block(...place) };
    const opened = new LiveRecording(id, start, { firstNumber, source, memoryBytes: this.#memoryBytes });
    this.#growing.set(id, opened);
    if (this.#hasNoStore) opened.keepInMemory('noDatabase');
    else this.#environment.claims.hold(id);
    return opened;
  }

  #endLive(): void {
    const live = this.#live;
    this.#live = null;
    if (live) this.#end(live);
  }

  #end(growing: LiveRecording): void {
    const { id } = growing.info;
    void this.#flush(growing).then(() => {
      const isBeside = growing.firstNumber === null;
      if (growing.memoryReason !== null && isBeside) this.#keepInMemory(id);
      else this.#growing.delete(id);
      this.#environment.claims.release(id);
      this.#handlers.listChanged();
    });
  }

  /** Bounds the memory: only the last such recording stays. */
  #keepInMemory(id: string): void {
    if (this.#onlyInMemory !== null) this.#growing.delete(this.#onlyInMemory);
    this.#onlyInMemory = id;
  }

  #flushLater(): void {
    if (this.#isFlushing || !this.allGrowing.some(({ isDirty }) => isDirty)) return;
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
    this.#noteState();
  }

  #noteState(): void {
    const state = `${this.#live?.info.id} ${this.memoryReason}`;
    if (state === this.#reportedState) return;
    this.#reportedState = state;
    this.#handlers.stateChanged();
  }
}

const bytesOf = ({ segments, blocks }: RecordingBatch): number =>
  segments.reduce((sum, { segment }) => sum + segment.packed.length, 0) +
  blocks.reduce((sum, { block }) => sum + sizeOf(block), 0);
