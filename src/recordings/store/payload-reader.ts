import { remember } from '#lib/collections/maps.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { RecordEntry } from '#trace/entry.ts';
import type { FrameIndex } from './frame-index.ts';
import type { GrowingNumbers } from './growing.ts';
import { type BlockKind, blockKindOf, type PayloadBlock, payloadIn } from './payload-block.ts';

/** Blocks kept for reads nearby: 8 MB at most. */
const KEPT_BLOCKS = 32;

/** The part of a live recording that reads what is in memory; undefined: it is not there. */
interface PayloadMemory {
  payload(kind: BlockKind, entry: number, isBinary: boolean): Frame | undefined;
  block(kind: BlockKind, entry: number): PayloadBlock | undefined;
}

/** The part of the store that reads blocks. */
export interface BlockSource {
  block(id: string, kind: BlockKind, first: number): Promise<PayloadBlock | undefined>;
}

export interface PayloadReaderOptions {
  id: string;
  index: FrameIndex;
  /** Null where there is no database. */
  source: BlockSource | null;
  /** First entries of all blocks, by kind. Those of a live recording grow. */
  starts: Readonly<Record<BlockKind, GrowingNumbers>>;
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
    const starts = this.#options.starts[kind];
    for (let at = 0; at < starts.length && starts.at(at) < end; at += 1) {
      const block = await this.#fetch(kind, starts.at(at));
      if (block) yield upTo(block, end);
    }
  }

  /** Returns the block of an entry without caching it; null where it cannot be read. */
  async block(kind: BlockKind, entry: number): Promise<PayloadBlock | null> {
    const at = this.#options.starts[kind].lastNotAbove(entry);
    return at < 0 ? null : this.#fetch(kind, this.#options.starts[kind].at(at));
  }

  async #payload(index: number, isBinary: boolean): Promise<Frame | null> {
    const kind = blockKindOf(this.#options.index.isAudio(index));
    const inMemory = this.#options.live?.payload(kind, index, isBinary);
    if (inMemory !== undefined) return inMemory;
    const at = this.#options.starts[kind].lastNotAbove(index);
    if (at < 0) return null;
    const first = this.#options.starts[kind].at(at);
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

/** Reads all payloads in order. One block of each kind is in memory, so that the reader's own cache is not evicted. */
export class PayloadCursor {
  readonly #index: FrameIndex;
  readonly #reader: PayloadReader;
  /** A block is null where it could not be read. */
  readonly #blocks: Record<BlockKind, { block: PayloadBlock | null; last: number }> = {
    0: { block: null, last: -1 },
    1: { block: null, last: -1 },
  };

  constructor(index: FrameIndex, reader: PayloadReader) {
    this.#index = index;
    this.#reader = reader;
  }

  /** The payload of an entry, in ascending order; null: not kept; undefined: {@link fetch} it first. */
  take(entry: number): Frame | null | undefined {
    const { block, last } = this.#blocks[blockKindOf(this.#index.isAudio(entry))];
    if (entry > last) return undefined;
    return block && payloadIn(block, entry, this.#index.isBinary(entry));
  }

  async fetch(entry: number): Promise<void> {
    const kind = blockKindOf(this.#index.isAudio(entry));
    const block = await this.#reader.block(kind, entry);
    // The range of a block that cannot be read is unknown.
    this.#blocks[kind] = { block, last: Math.max(entry, block?.entries.at(-1) ?? -1) };
  }
}

/** Returns the part of the block that belongs to entries before `end`. */
function upTo(block: PayloadBlock, end: number): PayloadBlock {
  const { entries, ends, bytes } = block;
  let count = entries.length;
  while (count > 0 && (entries[count - 1] ?? 0) >= end) count -= 1;
  return count === entries.length ? block : { entries: entries.slice(0, count), ends, bytes };
}
