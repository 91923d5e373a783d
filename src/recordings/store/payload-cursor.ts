import type { Frame } from '#protocol/core/endpoint.ts';
import type { FrameIndex } from './frame-index.ts';
import { type Lane, laneOf, type PayloadBlock, payloadIn } from './payload-block.ts';
import type { PayloadReader } from './payload-reader.ts';

/**
 * The payloads of a recording one after the other, for whoever goes through all of it: a block of each lane is in
 * memory at a time, and none that is looked at elsewhere is pushed out of the reader for it.
 */
export class PayloadCursor {
  readonly #index: FrameIndex;
  readonly #reader: PayloadReader;
  /** Null: there is none that could be read. */
  readonly #blocks: Record<Lane, { block: PayloadBlock | null; last: number }> = {
    0: { block: null, last: -1 },
    1: { block: null, last: -1 },
  };

  constructor(index: FrameIndex, reader: PayloadReader) {
    this.#index = index;
    this.#reader = reader;
  }

  /** The payload of an entry, each behind the one before; null: it is not kept; undefined: {@link fetch} it first. */
  take(entry: number): Frame | null | undefined {
    const { block, last } = this.#blocks[laneOf(this.#index.isAudio(entry))];
    if (entry > last) return undefined;
    return block && payloadIn(block, entry, this.#index.isBinary(entry));
  }

  /** Brings the block of the entry. */
  async fetch(entry: number): Promise<void> {
    const lane = laneOf(this.#index.isAudio(entry));
    const block = await this.#reader.block(lane, entry);
    // Of what cannot be read nothing is known but this entry.
    this.#blocks[lane] = { block, last: Math.max(entry, block?.entries.at(-1) ?? -1) };
  }
}
