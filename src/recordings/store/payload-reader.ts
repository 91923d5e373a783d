import { lastNotAbove } from '#lib/collections/bisect.ts';
import { remember } from '#lib/collections/maps.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { RecordEntry } from '#trace/entry.ts';
import type { FrameIndex } from './frame-index.ts';
import { type BlockKind, blockKindOf, type PayloadBlock, payloadIn } from './payload-block.ts';

/** Blocks kept for reads nearby: 8 MB at most. */
const KEPT_BLOCKS = 32;
/** Blocks that are read together where all are. */
const BLOCKS_AT_ONCE = 16;

/** The part of a live recording that reads what is in memory; undefined: it is not there. */
interface PayloadMemory {
  payload(entry: number): Frame | undefined;
  block(kind: BlockKind, first: number): PayloadBlock | undefined;
}

/** The part of the store that reads blocks. */
export interface BlockSource {
  block(id: string, kind: BlockKind, first: number): Promise<PayloadBlock | undefined>;
}

/** First entries of all blocks, by kind. Those of a live recording grow. A block without entries is not stored. */
export type BlockStarts = Readonly<Record<BlockKind, readonly number[]>>;

export interface PayloadReaderOptions {
  id: string;
  index: FrameIndex;
  /** Null where there is no database. */
  source: BlockSource | null;
  starts: BlockStarts;
  /** Of a live recording. */
  live?: PayloadMemory;
}

/** An entry whose payload is null where it was not kept, or cannot be read any more. */
export type ShownEntry = Omit<RecordEntry, 'payload'> & { payload: Frame | null };

/** Reads the payloads of one recording block by block. */
export class PayloadReader {
  readonly #options: PayloadReaderOptions;
  /** Least recently used first. */
  readonly #kept = new Map<string, PayloadBlock>();

  constructor(options: PayloadReaderOptions) {
    this.#options = options;
  }

  async entry(index: number): Promise<ShownEntry> {
    const head = this.#options.index.head(index);
    return { ...head, payload: await this.#payload(index, head.opcode === 'binary') };
  }

  /** Yields every readable block of a kind, in order, with entries before `end`. The blocks are not cached. */
  async *blocks(kind: BlockKind, end: number): AsyncGenerator<PayloadBlock, void, undefined> {
    const starts = this.#options.starts[kind].filter((first) => first < end);
    for (let at = 0; at < starts.length; at += BLOCKS_AT_ONCE) {
      const some = starts.slice(at, at + BLOCKS_AT_ONCE).map((first) => this.#fetch(kind, first));
      for (const block of await Promise.all(some)) if (block) yield upTo(block, end);
    }
  }

  async #payload(index: number, isBinary: boolean): Promise<Frame | null> {
    const inMemory = this.#options.live?.payload(index);
    if (inMemory !== undefined) return inMemory;
    const kind = blockKindOf(this.#options.index.isAudio(index));
    const starts = this.#options.starts[kind];
    const first = starts[lastNotAbove(starts, index)];
    if (first === undefined) return null;
    const key = `${kind}:${first}`;
    const block = this.#kept.get(key) ?? (await this.#fetch(kind, first));
    if (!block) return null;
    // A payload that fails to decode throws here, so that its block is fetched again.
    const payload = payloadIn(block, index, isBinary);
    remember(this.#kept, key, block, KEPT_BLOCKS);
    return payload;
  }

  async #fetch(kind: BlockKind, first: number): Promise<PayloadBlock | null> {
    const inMemory = this.#options.live?.block(kind, first);
    if (inMemory) return inMemory;
    try {
      return (await this.#options.source?.block(this.#options.id, kind, first)) ?? null;
    } catch {
      // The writer reports a lost database. Here only the payload is missing.
      return null;
    }
  }
}

/** Returns the part of the block that belongs to entries before `end`. */
function upTo(block: PayloadBlock, end: number): PayloadBlock {
  const { entries, ends, bytes } = block;
  let count = entries.length;
  while (count > 0 && (entries[count - 1] ?? 0) >= end) count -= 1;
  return count === entries.length ? block : { entries: entries.slice(0, count), ends, bytes };
}
