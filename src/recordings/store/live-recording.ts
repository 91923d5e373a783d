import type { NewEntry, RecordingInfo } from '#record/record.ts';
import type { StoredRecording } from './database.ts';
import { ENTRY_BYTES, FrameIndex } from './frame-index.ts';
import { LiveBlocks, type OutgoingBlock } from './live-blocks.ts';
import { type BlockKind, blockKindOf, PLACE_BYTES, sizeOf } from './payload-block.ts';
import { type BlockSource, PayloadReader } from './payload-reader.ts';
import { type RecordingBatch, RecordingGoneError } from './recording-store.ts';

/** The part of a recording's info that is known at its start. */
export type RecordingStart = Pick<RecordingInfo, 'endpoint' | 'address' | 'startedAtMs'>;

export interface LiveRecordingOptions {
  /** Number of its first entry, among all of the session; null where it is not of the page's own session. */
  firstNumber?: number | null;
  isImport?: boolean;
  /** The store, for payloads that are not in memory; null where nothing reads them. */
  source?: BlockSource | null;
  memoryBytes?: number | undefined;
}

/** Rejects where the batch could not be written. */
export type WriteBatch = (batch: RecordingBatch) => Promise<void>;

/** Why a recording is only in memory. */
export type MemoryReason = 'noDatabase' | 'full' | 'slow' | 'tooLarge' | 'deleted' | 'failed';

/** Memory for a recording that cannot be stored, and for entries that wait for a slow disk. */
export const MEMORY_BYTES = 64 * 2 ** 20;

/** Stored bytes of an entry, beside its payload. */
export const HEAD_BYTES = ENTRY_BYTES + PLACE_BYTES;

/** Entries of a piece of the index, after which it is not written again. */
const SEGMENT_ENTRIES = 1024;

/**
 * A recording in progress. New entries are in memory at once. {@link flush} writes all of them in one transaction, so that
 * the store always contains a whole beginning of the recording.
 *
 * A recording that cannot be written continues in memory, with the payloads of the last {@link MEMORY_BYTES}.
 */
export class LiveRecording {
  readonly index = new FrameIndex();
  readonly blocks = new LiveBlocks();
  readonly #id: string;
  readonly #start: RecordingStart;
  readonly #memoryBytes: number;
  readonly firstNumber: number | null;
  readonly #isImport: boolean;
  readonly #source: BlockSource | null;
  name = '';
  pinned = false;
  #memoryReason: MemoryReason | null = null;
  #isFirst = true;
  /** Stored bytes that will not be written again. */
  #settledBytes = 0;
  /** Stored bytes that the next write replaces, by key. */
  readonly #growing = new Map<string, number>();
  #segmentStart = 0;
  #segmentNames = 0;
  #written = 0;
  #writing: Promise<void> | null = null;

  constructor(
    id: string,
    start: RecordingStart,
    {
      firstNumber = null,
      isImport = false,
      source = null,
      memoryBytes = MEMORY_BYTES,
    }: LiveRecordingOptions = {},
  ) {
    this.#id = id;
    this.#start = start;
    this.firstNumber = firstNumber;
    this.#isImport = isImport;
    this.#source = source;
    this.#memoryBytes = memoryBytes;
  }

  get info(): StoredRecording {
    const { length, durationUs, bytes } = this.index;
    return {
      ...this.#start,
      id: this.#id,
      name: this.name,
      durationUs,
      entries: length,
      bytes,
      pinned: this.pinned,
      storedBytes: this.storedBytes,
    };
  }

  get storedBytes(): number {
    let bytes = this.#settledBytes;
    for (const growing of this.#growing.values()) bytes += growing;
    return bytes;
  }

  /** Stored bytes once everything is written. */
  get wholeBytes(): number {
    return this.index.length * HEAD_BYTES + this.blocks.payloadBytes;
  }

  get memoryReason(): MemoryReason | null {
    return this.#memoryReason;
  }

  /** Whether there is anything that {@link flush} would write. */
  get isDirty(): boolean {
    return this.#memoryReason === null && this.#written < this.index.length;
  }

  /** True while so much waits to be written that an importer should pause. */
  get isBehind(): boolean {
    return this.blocks.fullBytes > this.#memoryBytes / 4;
  }

  append(entry: NewEntry): void {
    const index = this.index.length;
    this.index.append(entry);
    this.blocks.add(blockKindOf(this.index.isAudio(index)), index, entry.payload);
    if (this.blocks.fullBytes <= this.#memoryBytes) return;
    const isTooLarge = entry.payload.length > this.#memoryBytes;
    // An importer writes before it goes on, however slow the disk is.
    if (this.#isImport && !isTooLarge) return;
    this.keepInMemory(isTooLarge ? 'tooLarge' : 'slow');
    this.blocks.evictDownTo(this.#memoryBytes);
  }

  /** From now on nothing is written. The first reason stays. */
  keepInMemory(reason: MemoryReason): void {
    this.#memoryReason ??= reason;
  }

  /** Returns a reader of its payloads, with a cache of its own. */
  reader(): PayloadReader {
    const { index, blocks } = this;
    const source = this.#source;
    return new PayloadReader({ id: this.#id, index, source, starts: blocks.starts, live: blocks });
  }

  /** Writes new entries, one batch at a time. Never rejects; a failure is in `memoryReason`. */
  async flush(write: WriteBatch): Promise<void> {
    while (this.#writing) await this.#writing;
    if (!this.isDirty) return;
    this.#writing = this.#write(write);
    await this.#writing;
    this.#writing = null;
  }

  async #write(write: WriteBatch): Promise<void> {
    const to = this.index.length;
    const from = this.#segmentStart;
    const names = this.index.names.since(this.#segmentNames);
    const nameCount = this.index.names.size;
    const segment = { packed: this.index.pack(from, to), names };
    const blocks = this.blocks.outgoing();
    const sizes = new Map([...blocks.map(sizeOfBlock), [INDEX_KEY, segment.packed.length] as const]);
    // A block that has grown replaces its stored version.
    const storedBytes =
      this.#settledBytes + sumOf([...this.#growing].filter(([key]) => !sizes.has(key))) + sumOf(sizes);
    try {
      await write({
        info: { ...this.info, storedBytes },
        isImport: this.#isImport,
        isFirst: this.#isFirst,
        segments: [{ first: from, segment }],
        blocks,
      });
    } catch (error) {
      this.keepInMemory(reasonOf(error));
      return;
    }
    this.#isFirst = false;
    this.#written = to;
    this.blocks.written(blocks);
    for (const [key, size] of sizes) this.#growing.set(key, size);
    const isOpen = new Set([INDEX_KEY, ...this.blocks.open().map(keyOf)]);
    if (to - from >= SEGMENT_ENTRIES) {
      this.#segmentStart = to;
      this.#segmentNames = nameCount;
      isOpen.delete(INDEX_KEY);
    }
    for (const [key, size] of this.#growing) {
      if (isOpen.has(key)) continue;
      this.#settledBytes += size;
      this.#growing.delete(key);
    }
  }
}

const INDEX_KEY = 'index';
const keyOf = ({ kind, first }: { kind: BlockKind; first: number }): string => `${kind}:${first}`;
const sizeOfBlock = (block: OutgoingBlock) => [keyOf(block), sizeOf(block.block)] as const;
const sumOf = (sizes: Iterable<readonly [string, number]>): number => {
  let sum = 0;
  for (const [, size] of sizes) sum += size;
  return sum;
};

/** Why a write failed. */
export function reasonOf(error: unknown): MemoryReason {
  if (error instanceof RecordingGoneError) return 'deleted';
  return isQuotaError(error) ? 'full' : 'failed';
}

/** The disk is full, or its part for this site. The class of the error differs between browsers, its name does not. */
export const isQuotaError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'QuotaExceededError';
