import type { Frame } from '../../protocol/endpoint.ts';
import type { FrameIndex } from './frame-index.ts';
import { GrowingNumbers } from './growing.ts';
import type { LiveBlocks } from './live-blocks.ts';
import { LANES, type Lane, laneOf, type PayloadBlock, payloadIn } from './payload-block.ts';
import type { RecordEntry } from './record.ts';

/** Blocks kept for whoever looks at their neighbourhood next: 8 MB at most. */
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
  /** Of a live recording: what is still in memory. */
  live?: LiveBlocks;
}

/** An entry as it can be shown; `payload` is null where it could not be kept, or cannot be read any more. */
export type ShownEntry = Omit<RecordEntry, 'payload'> & { payload: Frame | null };

/** Payloads of one recording, fetched block by block as they are asked for. */
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

  /** Every block of a lane in order, each with the index of its first entry; not kept. Null: it cannot be read. */
  async *blocks(lane: Lane): AsyncGenerator<{ first: number; block: PayloadBlock | null }, void, undefined> {
    const starts = this.#starts[lane];
    // What is added while this goes on belongs to the next time.
    const { length } = starts;
    for (let at = 0; at < length; at += 1) {
      const first = starts.at(at);
      yield { first, block: await this.#fetch(lane, first) };
    }
  }

  async #payload(index: number, isBinary: boolean): Promise<Frame | null> {
    const lane = laneOf(this.#index.isAudio(index));
    const inMemory = this.#live?.read(lane, index, isBinary);
    if (inMemory !== undefined) return inMemory;
    const at = this.#starts[lane].lastNotAbove(index);
    if (at < 0) return null;
    const first = this.#starts[lane].at(at);
    const key = `${lane}:${first}`;
    const kept = this.#kept.get(key);
    const block = kept ?? (await this.#fetch(lane, first));
    if (!block) return null;
    const payload = payloadIn(block, index, isBinary);
    // A block that has grown since it was read does not have it yet, and is not kept for that reason.
    if (payload === null) {
      this.#kept.delete(key);
      const again = kept ? await this.#fetch(lane, first) : null;
      return again ? payloadIn(again, index, isBinary) : null;
    }
    this.#keep(key, block);
    return payload;
  }

  async #fetch(lane: Lane, first: number): Promise<PayloadBlock | null> {
    const inMemory = this.#live?.block(lane, first);
    if (inMemory) return inMemory;
    try {
      return (await this.#source?.block(this.#id, lane, first)) ?? null;
    } catch {
      // A database that has gone is told by whoever writes to it; here there is only nothing to show.
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

/** The first entries of blocks that are all there. */
export function fixedStarts(starts: Readonly<Record<Lane, readonly number[]>>): Record<Lane, GrowingNumbers> {
  const fixed: Record<Lane, GrowingNumbers> = { 0: new GrowingNumbers(), 1: new GrowingNumbers() };
  for (const lane of LANES) for (const first of starts[lane]) fixed[lane].push(first);
  return fixed;
}
