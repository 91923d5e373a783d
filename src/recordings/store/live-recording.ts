import { remember } from '#lib/collections/maps.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { isClose, isOpening } from '#trace/connection.ts';
import type { NewEntry, RecordingInfo } from '#trace/entry.ts';
import { movedBack } from '#trace/player-entry.ts';
import type { StoredRecording } from './database.ts';
import { ENTRY_BYTES, FrameIndex } from './frame-index.ts';
import { GrowingNumbers } from './growing.ts';
import {
  BLOCK_KINDS,
  BlockBuilder,
  type BlockKind,
  blockKindOf,
  type PayloadBlock,
  PLACE_BYTES,
  payloadIn,
  sizeOf,
} from './payload-block.ts';
import { type BlockSource, PayloadReader } from './payload-reader.ts';
import { type RecordingBatch, RecordingGoneError } from './recording-store.ts';

/** The part of a recording's info that is known at its start. */
export type RecordingStart = Pick<RecordingInfo, 'endpoint' | 'address' | 'startedAtMs'>;

export interface LiveRecordingOptions {
  /** Number of its first entry behind `openings`, among all of the session; null where it is not of the page's own session. */
  firstNumber?: number | null;
  isImport?: boolean;
  /** See {@link StoredRecording.part}. */
  part?: number;
  /** Time of its first entry since the start. */
  fromUs?: number;
  /** Entries that it begins with, at that time: {@link LiveRecording.openings} of the recording that it continues. */
  openings?: readonly NewEntry[];
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

/** Full blocks do not change. */
const MAX_BLOCK_BYTES = 256 * 1024;
const MAX_BLOCK_ENTRIES = 4096;
/** A smaller block is written again with later payloads, so that there are few blocks. */
const MIN_BLOCK_BYTES = 64 * 1024;

/** A file may claim any number of open connections. */
const KEPT_CONNECTIONS = 64;

/** Payloads that are in memory: they still grow, or wait to be written. */
interface LiveBlock {
  kind: BlockKind;
  /** Index of its first entry. */
  first: number;
  /** Null once it is full. */
  builder: BlockBuilder | null;
  /** Null until it is full. */
  block: PayloadBlock | null;
  /** Of its stored version, which the next write replaces. */
  storedEntries: number;
  storedBytes: number;
}

/**
 * A recording in progress. New entries are in memory at once: heads in the index, payloads in blocks. {@link flush} writes
 * all of them in one transaction, so that the store always contains a whole beginning of the recording. Written blocks
 * leave the memory.
 *
 * A recording that cannot be written continues in memory, with the payloads of the last {@link MEMORY_BYTES}.
 */
export class LiveRecording {
  readonly index = new FrameIndex();
  /** First entries of all blocks, written ones included, by kind. */
  readonly #starts = { 0: new GrowingNumbers(), 1: new GrowingNumbers() };
  readonly #open: Record<BlockKind, LiveBlock | null> = { 0: null, 1: null };
  /** In the order in which they were filled. */
  readonly #full = new Set<LiveBlock>();
  #fullBytes = 0;
  /** Of all payloads so far, text in UTF-8. */
  #payloadBytes = 0;
  readonly #id: string;
  readonly start: RecordingStart;
  readonly fromUs: number;
  readonly part: number;
  readonly #memoryBytes: number;
  /** Session-wide number at index 0, as if `openings` came right before the first other entry; null as in the options. */
  readonly firstNumber: number | null;
  readonly #isImport: boolean;
  readonly #source: BlockSource | null;
  name = '';
  pinned = false;
  /** The entries with which each open connection began, by its number. */
  readonly #connections = new Map<number, NewEntry[]>();
  #memoryReason: MemoryReason | null = null;
  #isFirst = true;
  /** Stored bytes that will not be written again. */
  #settledBytes = 0;
  /** Stored bytes of the piece of the index that the next write replaces. */
  #segmentBytes = 0;
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
      part = 1,
      fromUs = 0,
      openings = [],
      source = null,
      memoryBytes = MEMORY_BYTES,
    }: LiveRecordingOptions = {},
  ) {
    this.#id = id;
    this.start = start;
    this.part = part;
    this.fromUs = fromUs;
    this.firstNumber = firstNumber === null ? null : firstNumber - openings.length;
    this.#isImport = isImport;
    this.#source = source;
    this.#memoryBytes = memoryBytes;
    for (const entry of openings) this.append({ ...entry, atUs: fromUs });
  }

  /** What opened its connections that have not ended. Frames behind it cannot be read without. */
  get openings(): readonly NewEntry[] {
    return [...this.#connections.values()].flat();
  }

  get info(): StoredRecording {
    const { length, durationUs, bytes } = this.index;
    return {
      ...this.start,
      startedAtMs: this.start.startedAtMs + this.fromUs / 1000,
      id: this.#id,
      name: this.name,
      durationUs,
      entries: length,
      bytes,
      pinned: this.pinned,
      storedBytes: this.storedBytes,
      ...(this.part > 1 && { part: this.part }),
    };
  }

  get storedBytes(): number {
    let bytes = this.#settledBytes + this.#segmentBytes;
    for (const { storedBytes } of [...this.#full, ...this.#growing]) bytes += storedBytes;
    return bytes;
  }

  /** Stored bytes once everything is written. */
  get wholeBytes(): number {
    return this.index.length * HEAD_BYTES + this.#payloadBytes;
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
    return this.#fullBytes > this.#memoryBytes / 4;
  }

  /** @param entry with its time since the start */
  append(entry: NewEntry): void {
    const index = this.index.length;
    const { fromUs } = this;
    const payload = fromUs > 0 && entry.direction === 'player' ? movedBack(entry, fromUs) : entry.payload;
    this.index.append({ ...entry, atUs: entry.atUs - fromUs });
    this.#noteConnection(entry);
    this.#add(blockKindOf(this.index.isAudio(index)), index, payload);
    // Growing blocks are small.
    if (this.#fullBytes <= this.#memoryBytes) return;
    const isTooLarge = payload.length > this.#memoryBytes;
    // An importer writes before it goes on, however slow the disk is.
    if (this.#isImport && !isTooLarge) return;
    this.keepInMemory(isTooLarge ? 'tooLarge' : 'slow');
    for (const oldest of this.#full) {
      if (this.#fullBytes <= this.#memoryBytes) return;
      this.#forget(oldest);
    }
  }

  /** From now on nothing is written. The first reason stays. */
  keepInMemory(reason: MemoryReason): void {
    this.#memoryReason ??= reason;
  }

  /** Returns a reader of its payloads, with a cache of its own. */
  reader(): PayloadReader {
    const { index } = this;
    return new PayloadReader({ id: this.#id, index, source: this.#source, starts: this.#starts, live: this });
  }

  /** Returns the payload of an entry; undefined where it is not in memory. */
  payload(kind: BlockKind, entry: number, isBinary: boolean): Frame | undefined {
    const found = this.#find(kind, entry);
    const block = found?.builder?.view ?? found?.block;
    return block ? (payloadIn(block, entry, isBinary) ?? undefined) : undefined;
  }

  /** Returns the block that the entry is in; undefined where it is not in memory. */
  block(kind: BlockKind, entry: number): PayloadBlock | undefined {
    const found = this.#find(kind, entry);
    return found?.block ?? found?.builder?.build();
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
    const first = this.#segmentStart;
    const names = this.index.names.since(this.#segmentNames);
    const nameCount = this.index.names.size;
    const segment = { packed: this.index.pack(first, to), names };
    const blocks = this.#outgoing();
    let storedBytes = this.storedBytes + segment.packed.length - this.#segmentBytes;
    for (const { block, live } of blocks) storedBytes += sizeOf(block) - live.storedBytes;
    try {
      await write({
        info: { ...this.info, storedBytes },
        isImport: this.#isImport,
        isFirst: this.#isFirst,
        segments: [{ first, segment }],
        blocks: blocks.map(({ block, live: { kind, first } }) => ({ kind, first, block })),
      });
    } catch (error) {
      this.keepInMemory(reasonOf(error));
      return;
    }
    this.#isFirst = false;
    this.#written = to;
    this.#segmentBytes = segment.packed.length;
    if (to - first >= SEGMENT_ENTRIES) {
      this.#settledBytes += this.#segmentBytes;
      this.#segmentBytes = 0;
      this.#segmentStart = to;
      this.#segmentNames = nameCount;
    }
    for (const { block, live } of blocks) {
      live.storedEntries = block.entries.length;
      live.storedBytes = sizeOf(block);
      // A block that was filled meanwhile is written again.
      if (live.block === block) this.#forget(live);
    }
  }

  #noteConnection(entry: NewEntry): void {
    const { connection, direction, kind } = entry;
    if (direction !== 'connection') return;
    if (isOpening(entry)) remember(this.#connections, connection, [entry], KEPT_CONNECTIONS);
    else if (isClose(entry)) this.#connections.delete(connection);
    else if (kind === 'opened') {
      const begun = this.#connections.get(connection);
      if (begun?.length === 1) begun.push(entry);
    }
  }

  get #growing(): LiveBlock[] {
    return BLOCK_KINDS.flatMap((kind) => this.#open[kind] ?? []);
  }

  #add(kind: BlockKind, entry: number, payload: Frame): void {
    const open = this.#open[kind]?.builder;
    if (open && open.bytes + payload.length > MAX_BLOCK_BYTES) this.#close(kind);
    const builder = this.#open[kind]?.builder ?? this.#begin(kind, entry);
    const before = builder.bytes;
    builder.add(entry, payload);
    this.#payloadBytes += builder.bytes - before;
    if (builder.bytes >= MAX_BLOCK_BYTES || builder.entries >= MAX_BLOCK_ENTRIES) this.#close(kind);
  }

  #begin(kind: BlockKind, first: number): BlockBuilder {
    const builder = new BlockBuilder();
    this.#open[kind] = { kind, first, builder, block: null, storedEntries: 0, storedBytes: 0 };
    this.#starts[kind].push(first);
    return builder;
  }

  #close(kind: BlockKind): void {
    const full = this.#open[kind];
    if (!full?.builder) return;
    full.block = full.builder.build();
    full.builder = null;
    this.#full.add(full);
    this.#fullBytes += sizeOf(full.block);
    this.#open[kind] = null;
  }

  #find(kind: BlockKind, entry: number): LiveBlock | null {
    const starts = this.#starts[kind];
    const at = starts.lastNotAbove(entry);
    const first = at < 0 ? undefined : starts.at(at);
    const open = this.#open[kind];
    if (open?.first === first) return open;
    for (const full of this.#full) if (full.kind === kind && full.first === first) return full;
    return null;
  }

  /** Returns the blocks with payloads that are not stored. */
  #outgoing(): { live: LiveBlock; block: PayloadBlock }[] {
    for (const { kind, builder } of this.#growing) {
      if (builder && builder.bytes >= MIN_BLOCK_BYTES) this.#close(kind);
    }
    return [...this.#full, ...this.#growing].flatMap((live) => {
      const { block, builder, storedEntries } = live;
      if (block) return { live, block };
      return builder && builder.entries > storedEntries ? { live, block: builder.build() } : [];
    });
  }

  #forget(full: LiveBlock): void {
    // It may have been dropped while it was written.
    if (!this.#full.delete(full)) return;
    this.#settledBytes += full.storedBytes;
    if (full.block) this.#fullBytes -= sizeOf(full.block);
  }
}

/** Why a write failed. */
export function reasonOf(error: unknown): MemoryReason {
  if (error instanceof RecordingGoneError) return 'deleted';
  return isQuotaError(error) ? 'full' : 'failed';
}

/** The disk is full, or its part for this site. The class of the error differs between browsers, its name does not. */
export const isQuotaError = (error: unknown): boolean =>
  error instanceof Error && error.name === 'QuotaExceededError';
