import { remember } from '#lib/collections/maps.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { isClose, isOpening, KEPT_CONNECTIONS } from '#trace/connection.ts';
import type { NewEntry, RecordingInfo } from '#trace/entry.ts';
import { movedBack } from '#trace/player-entry.ts';
import type { StoredRecording } from './database.ts';
import { ENTRY_BYTES, FrameIndex } from './frame-index.ts';
import {
  asStored,
  BLOCK_KINDS,
  type BlockKind,
  blockKindOf,
  blockOf,
  type PayloadBlock,
  PLACE_BYTES,
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

/** A full piece does not change. */
const MAX_PIECE_BYTES = 256 * 1024;
const MAX_PIECE_ENTRIES = 1024;
/** A smaller piece is written again with later entries, so that there are few pieces. */
const MIN_PIECE_BYTES = 64 * 1024;

/** Entries that are stored together: their part of the index, and a block of payloads of each kind. */
interface Piece {
  /** Index of its first entry. */
  first: number;
  payloads: Frame[];
  /** Of the payloads. */
  bytes: number;
  /** Number of names before its first entry. */
  names: number;
  isFull: boolean;
  /** Of its stored version, which the next write replaces. */
  storedBytes: number;
}

/**
 * A recording in progress. New entries are in memory at once: heads in the index, payloads in pieces. {@link flush} writes
 * all of them in one transaction, so that the store always contains a whole beginning of the recording. Full pieces leave
 * the memory once they are written.
 *
 * A recording that cannot be written continues in memory, with the payloads of the last {@link MEMORY_BYTES}.
 */
export class LiveRecording {
  readonly index = new FrameIndex();
  /** First entries of all pieces, written ones included. */
  readonly #starts: number[] = [];
  /** Those that grow or wait to be written, in order. */
  #pieces: Piece[] = [];
  /** Payload bytes of these. */
  #heldBytes = 0;
  /** Of all payloads so far. */
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
    return this.#pieces.reduce((sum, piece) => sum + piece.storedBytes, this.#settledBytes);
  }

  /** Stored bytes once everything is written, at least. */
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
    return this.#heldBytes > this.#memoryBytes / 4;
  }

  /** @param entry with its time since the start */
  append(entry: NewEntry): void {
    const { fromUs } = this;
    const payload = fromUs > 0 && entry.direction === 'player' ? movedBack(entry, fromUs) : entry.payload;
    const piece = this.#open();
    this.index.append({ ...entry, atUs: entry.atUs - fromUs });
    this.#noteConnection(entry);
    piece.payloads.push(payload);
    piece.bytes += payload.length;
    piece.isFull = piece.bytes >= MAX_PIECE_BYTES || piece.payloads.length >= MAX_PIECE_ENTRIES;
    this.#heldBytes += payload.length;
    this.#payloadBytes += payload.length;
    if (this.#heldBytes <= this.#memoryBytes) return;
    const isTooLarge = payload.length > this.#memoryBytes;
    // An importer writes before it goes on, however slow the disk is.
    if (this.#isImport && !isTooLarge) return;
    this.keepInMemory(isTooLarge ? 'tooLarge' : 'slow');
    for (const oldest of this.#pieces.filter(({ isFull }) => isFull)) {
      if (this.#heldBytes > this.#memoryBytes) this.#forget(oldest);
    }
  }

  /** From now on nothing is written. The first reason stays. */
  keepInMemory(reason: MemoryReason): void {
    this.#memoryReason ??= reason;
  }

  /** Returns a reader of its payloads, with a cache of its own. */
  reader(): PayloadReader {
    const { index } = this;
    const starts = { 0: this.#starts, 1: this.#starts };
    return new PayloadReader({ id: this.#id, index, source: this.#source, starts, live: this });
  }

  /** Returns the payload of an entry; undefined where it is not in memory. */
  payload(entry: number): Frame | undefined {
    const piece = this.#pieces.findLast(({ first }) => first <= entry);
    const payload = piece?.payloads[entry - piece.first];
    return payload === undefined ? undefined : asStored(payload);
  }

  /** Returns the payloads of a kind in the piece that begins there; undefined where they are not in memory. */
  block(kind: BlockKind, first: number): PayloadBlock | undefined {
    const piece = this.#pieces.find((one) => one.first === first);
    return piece && this.#blockOf(piece, kind);
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
    const last = this.#pieces.at(-1);
    if (last && last.bytes >= MIN_PIECE_BYTES) last.isFull = true;
    const outgoing = this.#pieces.map((piece) => {
      const { first, payloads, names } = piece;
      const entries = payloads.length;
      const packed = this.index.pack(first, first + entries);
      const blocks = BLOCK_KINDS.map((kind) => ({ kind, first, block: this.#blockOf(piece, kind) }));
      const bytes = blocks.reduce((sum, { block }) => sum + sizeOf(block), packed.length);
      return { piece, entries, bytes, segment: { packed, names: this.index.names.since(names) }, blocks };
    });
    const growth = outgoing.reduce((sum, { piece, bytes }) => sum + bytes - piece.storedBytes, 0);
    try {
      await write({
        info: { ...this.info, storedBytes: this.storedBytes + growth },
        isImport: this.#isImport,
        isFirst: this.#isFirst,
        segments: outgoing.map(({ piece: { first }, segment }) => ({ first, segment })),
        blocks: outgoing.flatMap(({ blocks }) => blocks.filter(({ block }) => block.entries.length > 0)),
      });
    } catch (error) {
      this.keepInMemory(reasonOf(error));
      return;
    }
    this.#isFirst = false;
    this.#written = to;
    for (const { piece, entries, bytes } of outgoing) {
      piece.storedBytes = bytes;
      // A piece that was filled meanwhile is written again.
      if (piece.isFull && entries === piece.payloads.length) this.#forget(piece);
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

  /** Returns the piece of the next entry. */
  #open(): Piece {
    const last = this.#pieces.at(-1);
    if (last && !last.isFull) return last;
    const first = this.index.length;
    const names = this.index.names.size;
    const piece: Piece = { first, payloads: [], bytes: 0, names, isFull: false, storedBytes: 0 };
    this.#pieces.push(piece);
    this.#starts.push(first);
    return piece;
  }

  #blockOf({ first, payloads }: Piece, kind: BlockKind): PayloadBlock {
    const all = payloads.map((payload, at) => [first + at, payload] as const);
    return blockOf(all.filter(([entry]) => blockKindOf(this.index.isAudio(entry)) === kind));
  }

  #forget(piece: Piece): void {
    // It may have been dropped while it was written.
    if (!this.#pieces.includes(piece)) return;
    this.#pieces = this.#pieces.filter((one) => one !== piece);
    this.#settledBytes += piece.storedBytes;
    this.#heldBytes -= piece.bytes;
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
