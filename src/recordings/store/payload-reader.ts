import type { Frame } from '#protocol/core/endpoint.ts';
import type { RecordEntry } from '../format/record.ts';
import type { FrameIndex } from './frame-index.ts';
import { GrowingNumbers } from './growing.ts';
import type { LiveBlocks } from './live-blocks.ts';
import { LANES, type Lane, laneOf, type PayloadBlock, payloadIn } from './payload-block.ts';

/** Blocks kept for reads nearby: 8 MB at most. */
const KEPT_BLOCKS = 32;

/** Where blocks are read from; the store's part that is needed here. */
export interface BlockSource {
  block(id: string, lane: Lane, first: number): Promise<PayloadBlock | undefined>;
}

export interface PayloadReaderOptions {
  id: string;
  index: FrameIndex;
  /** Null where there is no database: what has left memory is gone. */
  source: BlockSource | null;
  /** First entries of all blocks, by lane. Those of a live recording grow. */
  starts: Readonly<Record<Lane, GrowingNumbers>>;
  /** The part of a live recording that is in memory. */
  live?: LiveBlocks;
}

/** An entry as it can be shown; `payload` is null where it could not be kept, or cannot be read any more. */
export type ShownEntry = Omit<RecordEntry, 'payload'> & { payload: Frame | null };

/** Reads the payloads of one recording block by block. */
export class PayloadReader {
  readonly #id: string;
  readonly #index: FrameIndex;
  readonly #starts: Readonly<Record<Lane, GrowingNumbers>>;
  readonly #live: LiveBlocks | undefined;
  readonly #source: BlockSource | null;
  /** Least recently used first. */
  readonly #kept = new Map<string, PayloadBlock>();

  constructor({ id, index, source, starts, live }: PayloadReaderOptions) {
    this.#id = id;
    this.#index = index;
    this.#source = source;
    this.#starts = starts;
    this.#live = live;
  }

  async entry(index: number): Promise<ShownEntry> {
    const head = this.#index.head(index);
    return { ...head, payload: await this.#payload(index, head.opcode === 'binary') };
  }

  /** Every block of a lane that can be read, in order and not kept; of entries before `end` only. */
  async *blocks(lane: Lane, end: number): AsyncGenerator<PayloadBlock, void, undefined> {
    const starts = this.#starts[lane];
    for (let at = 0; at < starts.length && starts.at(at) < end; at += 1) {
      const block = await this.#fetch(lane, starts.at(at));
      if (block) yield upTo(block, end);
    }
  }

  /** The block that an entry is in, not kept; null where it cannot be read. */
  async block(lane: Lane, entry: number): Promise<PayloadBlock | null> {
    const at = this.#starts[lane].lastNotAbove(entry);
    return at < 0 ? null : this.#fetch(lane, this.#starts[lane].at(at));
  }

  async #payload(index: number, isBinary: boolean): Promise<Frame | null> {
    const lane = laneOf(this.#index.isAudio(index));
    const inMemory = this.#live?.read(lane, index, isBinary);
    if (inMemory !== undefined) return inMemory;
    const at = this.#starts[lane].lastNotAbove(index);
    if (at < 0) return null;
    const first = this.#starts[lane].at(at);
    const key = `${lane}:${first}`;
    const block = this.#kept.get(key) ?? (await this.#fetch(lane, first));
    if (!block) return null;
    // What cannot be read is not kept, or it would not be fetched anew.
    const payload = payloadIn(block, index, isBinary);
    this.#keep(key, block);
    return payload;
  }

  async #fetch(lane: Lane, first: number): Promise<PayloadBlock | null> {
    const inMemory = this.#live?.block(lane, first);
    if (inMemory) return inMemory;
    try {
      return (await this.#source?.block(this.#id, lane, first)) ?? null;
    } catch {
      // The writer reports a database that has gone; here the payload is only missing.
      return null;
    }
  }

  #keep(key: string, block: PayloadBlock): void {
    this.#kept.delete(key);
    this.#kept.set(key, block);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_BLOCKS) return;
      this.#kept.delete(oldest);
    }
  }
}

/** Reads all payloads in order. One block of each lane is in memory, so that the reader's own cache is not evicted. */
export class PayloadCursor {
  readonly #index: FrameIndex;
  readonly #reader: PayloadReader;
  /** A block is null where it could not be read. */
  readonly #blocks: Record<Lane, { block: PayloadBlock | null; last: number }> = {
    0: { block: null, last: -1 },
    1: { block: null, last: -1 },
  };

  constructor(index: FrameIndex, reader: PayloadReader) {
    this.#index = index;
    this.#reader = reader;
  }

  /** The payload of an entry, in ascending order; null: not kept; undefined: {@link fetch} it first. */
  take(entry: number): Frame | null | undefined {
    const { block, last } = this.#blocks[laneOf(this.#index.isAudio(entry))];
    if (entry > last) return undefined;
    return block && payloadIn(block, entry, this.#index.isBinary(entry));
  }

  async fetch(entry: number): Promise<void> {
    const lane = laneOf(this.#index.isAudio(entry));
    const block = await this.#reader.block(lane, entry);
    // The range of a block that cannot be read is unknown.
    this.#blocks[lane] = { block, last: Math.max(entry, block?.entries.at(-1) ?? -1) };
  }
}

/** Returns the part of the block that belongs to entries before `end`. */
function upTo(block: PayloadBlock, end: number): PayloadBlock {
  const { entries, ends, bytes } = block;
  let count = entries.length;
  while (count > 0 && (entries[count - 1] ?? 0) >= end) count -= 1;
  return count === entries.length ? block : { entries: entries.slice(0, count), ends, bytes };
}

/** The first entries of blocks that are all there. */
export function fixedStarts(starts: Readonly<Record<Lane, readonly number[]>>): Record<Lane, GrowingNumbers> {
  const fixed: Record<Lane, GrowingNumbers> = { 0: new GrowingNumbers(), 1: new GrowingNumbers() };
  for (const lane of LANES) for (const first of starts[lane]) fixed[lane].push(first);
  return fixed;
}
