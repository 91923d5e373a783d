import type { NewEntry, RecordingInfo } from '#trace/entry.ts';
import type { RecordingEnvironment } from '../environment.ts';
import {
  HEAD_BYTES,
  LiveRecording,
  type LiveRecordingOptions,
  type MemoryReason,
  reasonOf,
} from './live-recording.ts';
import type { RecordingStore } from './recording-store.ts';
import type { StorageQuota } from './storage-quota.ts';

const ENTRIES_A_WRITE = 512;
/** After this growth of an import, the room for it is measured again. */
const MEASURE_EVERY_BYTES = 8 * 2 ** 20;

/** A recording of a file. */
export interface ImportedRecording {
  /** Counts are claims of the file. */
  info: RecordingInfo;
  entries: AsyncIterable<NewEntry>;
}

/** Why nothing of a file was stored. */
export interface Unstored {
  reason: MemoryReason;
  /** Stored bytes that the file takes at least. */
  neededBytes: number;
  /** Bytes that it may take; null where the browser does not report them. */
  roomBytes: number | null;
}

export interface RecordingImportOptions {
  environment: Pick<RecordingEnvironment, 'newId' | 'claims'>;
  store: RecordingStore;
  quota: StorageQuota;
  /** Of a recording. Later entries begin further ones. */
  maxEntries: number;
  memoryBytes: number | undefined;
}

/**
 * Stores the recordings of one file, all or none. They are listed once the last one is stored. Nothing is deleted to make
 * room for them.
 */
export class RecordingImport {
  readonly #options: RecordingImportOptions;
  readonly #recordings: LiveRecording[] = [];
  #roomBytes = 0;
  #measuredBytes = Number.NEGATIVE_INFINITY;
  #hasNoRoom = false;

  constructor(options: RecordingImportOptions) {
    this.#options = options;
  }

  /** @returns the ids of the recordings @throws what the entries throw */
  async run(files: readonly ImportedRecording[]): Promise<{ ids: string[] } | Unstored> {
    let reason: MemoryReason | null = null;
    let isStored = false;
    try {
      for (const file of files) {
        reason = await this.#add(file);
        if (reason !== null) break;
      }
      reason ??= await this.#publish();
      isStored = reason === null;
    } finally {
      if (!isStored) await this.#remove();
      for (const id of this.#ids) this.#options.environment.claims.release(id);
    }
    return reason === null ? { ids: this.#ids } : this.#unstored(reason, files);
  }

  /** Ends the import, and deletes what is stored so far, because the live recording needs the room. */
  async giveUp(): Promise<void> {
    for (const recording of this.#recordings) recording.keepInMemory('full');
    await this.#remove();
  }

  get #ids(): string[] {
    return this.#recordings.map(({ info }) => info.id);
  }

  /** Why one of the recordings is not whole; null where all are. */
  get #failure(): MemoryReason | null {
    const [reason = null] = this.#recordings.flatMap(({ memoryReason }) => memoryReason ?? []);
    return reason;
  }

  get #wholeBytes(): number {
    return this.#recordings.reduce((sum, { wholeBytes }) => sum + wholeBytes, 0);
  }

  async #add({ info, entries }: ImportedRecording): Promise<MemoryReason | null> {
    let recording = this.#begin(info, {});
    for await (const entry of entries) {
      if (recording.index.length >= this.#options.maxEntries) {
        await this.#flush(recording);
        if (recording.memoryReason) break;
        const { part, openings } = recording;
        recording = this.#begin(info, { part: part + 1, fromUs: entry.atUs, openings });
      }
      recording.append(entry);
      if (recording.isBehind || recording.index.length % ENTRIES_A_WRITE === 0) await this.#flush(recording);
      if (recording.memoryReason) break;
    }
    await this.#flush(recording);
    return recording.memoryReason;
  }

  #begin(
    { endpoint, address, startedAtMs, name }: RecordingInfo,
    options: Pick<LiveRecordingOptions, 'part' | 'fromUs' | 'openings'>,
  ): LiveRecording {
    const { environment, memoryBytes } = this.#options;
    const id = environment.newId();
    const start = { endpoint, address, startedAtMs };
    const recording = new LiveRecording(id, start, { ...options, isImport: true, memoryBytes });
    recording.name = name;
    this.#recordings.push(recording);
    environment.claims.hold(id);
    return recording;
  }

  async #flush(recording: LiveRecording): Promise<void> {
    if (!recording.isDirty) return;
    await this.#measure();
    if (this.#hasNoRoom) recording.keepInMemory('full');
    await recording.flush((batch) => this.#options.store.write(batch));
  }

  async #measure(): Promise<void> {
    const { store, quota } = this.#options;
    const bytes = this.#wholeBytes;
    const isMeasured = bytes - this.#measuredBytes < MEASURE_EVERY_BYTES && bytes <= this.#roomBytes;
    if (isMeasured) return;
    this.#measuredBytes = bytes;
    this.#roomBytes = await quota.forImport(store, new Set(this.#ids));
    this.#hasNoRoom = bytes > this.#roomBytes;
  }

  async #publish(): Promise<MemoryReason | null> {
    if (this.#failure !== null) return this.#failure;
    try {
      await this.#options.store.publish(this.#ids);
    } catch (error) {
      return this.#failure ?? reasonOf(error);
    }
    // The live recording may have needed the room meanwhile.
    return this.#failure;
  }

  /** Where it fails, the rest is not listed, and is deleted when a page opens next. */
  async #remove(): Promise<void> {
    for (const id of this.#ids) await this.#options.store.remove(id).catch(() => {});
  }

  #unstored(reason: MemoryReason, files: readonly ImportedRecording[]): Unstored {
    const claimedBytes = files.reduce((sum, { info }) => sum + info.bytes + info.entries * HEAD_BYTES, 0);
    return {
      reason,
      neededBytes: Math.max(this.#wholeBytes, claimedBytes),
      roomBytes: this.#hasNoRoom ? this.#roomBytes : null,
    };
  }
}
