import type { Frame } from '#protocol/core/frame.ts';
import { GrowingNumbers } from './growing.ts';
import {
  BLOCK_KINDS,
  BlockBuilder,
  type BlockKind,
  type PayloadBlock,
  payloadIn,
  sizeOf,
} from './payload-block.ts';

/** Full blocks do not change. */
const MAX_BLOCK_BYTES = 256 * 1024;
const MAX_BLOCK_ENTRIES = 4096;
/** A smaller block is written again with later payloads, so that there are few blocks. */
const MIN_BLOCK_BYTES = 64 * 1024;

export interface OutgoingBlock {
  kind: BlockKind;
  /** Index of its first entry, which with the kind identifies it. */
  first: number;
  block: PayloadBlock;
}

interface OpenBlock {
  builder: BlockBuilder;
  /** Entries in it when it was last written. */
  written: number;
}

/** Payloads of a live recording, from their arrival until they are written. */
export class LiveBlocks {
  /** First entries of all blocks, written ones included, by kind. */
  readonly starts: Readonly<Record<BlockKind, GrowingNumbers>> = {
    0: new GrowingNumbers(),
    1: new GrowingNumbers(),
  };
  readonly #open: Record<BlockKind, OpenBlock | null> = { 0: null, 1: null };
  /** In the order in which they were filled. */
  readonly #full = new Set<OutgoingBlock>();
  #fullBytes = 0;
  #payloadBytes = 0;

  /** Bytes of all payloads so far, text in UTF-8. */
  get payloadBytes(): number {
    return this.#payloadBytes;
  }

  /** Bytes of full blocks in memory. Open blocks are smaller than a block each. */
  get fullBytes(): number {
    return this.#fullBytes;
  }

  add(kind: BlockKind, entry: number, payload: Frame): void {
    let open = this.#open[kind];
    if (open && open.builder.bytes + payload.length > MAX_BLOCK_BYTES) {
      this.#close(kind);
      open = null;
    }
    if (!open) {
      open = { builder: new BlockBuilder(entry), written: 0 };
      this.#open[kind] = open;
      this.starts[kind].push(entry);
    }
    const before = open.builder.bytes;
    open.builder.add(entry, payload);
    this.#payloadBytes += open.builder.bytes - before;
    if (open.builder.bytes >= MAX_BLOCK_BYTES || open.builder.entries >= MAX_BLOCK_ENTRIES) this.#close(kind);
  }

  /** The payload of an entry; undefined where it is not in memory. */
  read(kind: BlockKind, entry: number, isBinary: boolean): Frame | undefined {
    const first = this.#firstOf(kind, entry);
    if (first === undefined) return undefined;
    const open = this.#open[kind]?.builder;
    const block = open?.first === first ? open.view : this.#fullBlock(kind, first);
    return block ? (payloadIn(block, entry, isBinary) ?? undefined) : undefined;
  }

  /** The block that the entry is in; undefined where it is not in memory. */
  block(kind: BlockKind, entry: number): PayloadBlock | undefined {
    const first = this.#firstOf(kind, entry);
    if (first === undefined) return undefined;
    const open = this.#open[kind]?.builder;
    return open?.first === first ? open.build() : this.#fullBlock(kind, first);
  }

  /** Returns the first entry of the block that holds the entry. */
  #firstOf(kind: BlockKind, entry: number): number | undefined {
    const starts = this.starts[kind];
    const at = starts.lastNotAbove(entry);
    return at < 0 ? undefined : starts.at(at);
  }

  #fullBlock(kind: BlockKind, first: number): PayloadBlock | undefined {
    for (const full of this.#full) if (full.kind === kind && full.first === first) return full.block;
    return undefined;
  }

  outgoing(): OutgoingBlock[] {
    for (const kind of BLOCK_KINDS) {
      if ((this.#open[kind]?.builder.bytes ?? 0) >= MIN_BLOCK_BYTES) this.#close(kind);
    }
    const growing = BLOCK_KINDS.flatMap((kind) => {
      const open = this.#open[kind];
      if (!open || open.builder.entries === open.written) return [];
      return [{ kind, first: open.builder.first, block: open.builder.build() }];
    });
    return [...this.#full, ...growing];
  }

  written(blocks: readonly OutgoingBlock[]): void {
    for (const written of blocks) {
      if (this.#full.has(written)) {
        this.#forget(written);
        continue;
      }
      const open = this.#open[written.kind];
      if (open?.builder.first === written.first) open.written = written.block.entries.length;
    }
  }

  /** Identifies the blocks that later payloads will change. */
  open(): { kind: BlockKind; first: number }[] {
    return BLOCK_KINDS.flatMap((kind) => {
      const open = this.#open[kind];
      return open ? [{ kind, first: open.builder.first }] : [];
    });
  }

  evictDownTo(maxBytes: number): void {
    for (const full of this.#full) {
      if (this.#fullBytes <= maxBytes) return;
      this.#forget(full);
    }
  }

  #close(kind: BlockKind): void {
    const open = this.#open[kind];
    if (!open) return;
    const full = { kind, first: open.builder.first, block: open.builder.build() };
    this.#full.add(full);
    this.#fullBytes += sizeOf(full.block);
    this.#open[kind] = null;
  }

  #forget(full: OutgoingBlock): void {
    this.#full.delete(full);
    this.#fullBytes -= sizeOf(full.block);
  }
}
