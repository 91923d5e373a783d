import type { FrameIndex } from './store/frame-index.ts';
import type { PayloadReader, ShownEntry } from './store/payload-reader.ts';
import type { Tail } from './store/tail.ts';

/** The part of a recording that reading its entries needs. */
export interface EntriesOfRecording {
  index: Pick<FrameIndex, 'length'>;
  reader: Pick<PayloadReader, 'entry'>;
}

export interface EntryBatch {
  entries: readonly ShownEntry[];
  isLast: boolean;
  /** State of the recording's end, where it is followed while it grows; null for any other recording. */
  tail: EntryTail | null;
}

export interface EntryTail {
  /** Later batches hold no entry before this time. */
  knownToUs: number;
  /** Wall clock at `atUs` 0. */
  baseMs: number;
}

/** Limits of a batch; the last entry may exceed them. */
const MAX_ENTRIES = 1024;
const MAX_BYTES = 1 << 20;

/** Serves the entries of a recording to another worker. */
export class EntrySource {
  readonly #open: () => Promise<EntriesOfRecording>;
  readonly #tail: Tail | null;
  #opened: Promise<EntriesOfRecording & { length: number }> | null = null;
  /** Reported with the last batch. */
  #knownToUs = 0;

  /** @param tail follows the recording to its end; otherwise it ends where it ended at the first batch */
  constructor(open: () => Promise<EntriesOfRecording>, tail: Tail | null = null) {
    this.#open = open;
    this.#tail = tail;
  }

  /**
   * Reads the next entries. Of a growing recording, waits until there are more or time has passed without any.
   * @param from index of the first
   * @throws Error where the recording cannot be read
   */
  async batch(from: number): Promise<EntryBatch> {
    const { index, length: lengthAtFirst, reader } = await this.#openOnce();
    await this.#hasMore(from, index);
    const tail = this.#tail;
    // Read together, so that no entry of a known time is left out.
    const length = tail ? index.length : lengthAtFirst;
    const { isOver = true, knownToUs = 0, baseMs = null } = tail ?? {};
    const entries: ShownEntry[] = [];
    let bytes = 0;
    for (let at = from; at < length && entries.length < MAX_ENTRIES && bytes < MAX_BYTES; at += 1) {
      const entry = await reader.entry(at);
      entries.push(entry);
      bytes += entry.payload?.length ?? 0;
    }
    const isWhole = from + entries.length >= length;
    this.#knownToUs = isWhole ? knownToUs : (entries.at(-1)?.atUs ?? this.#knownToUs);
    return {
      entries,
      isLast: isWhole && isOver,
      tail: baseMs === null ? null : { knownToUs: this.#knownToUs, baseMs },
    };
  }

  async #hasMore(from: number, index: EntriesOfRecording['index']): Promise<void> {
    const tail = this.#tail;
    while (tail && !tail.isOver && index.length <= from && tail.knownToUs <= this.#knownToUs) {
      await tail.changed();
    }
  }

  #openOnce(): Promise<EntriesOfRecording & { length: number }> {
    this.#opened ??= this.#open().then(
      ({ index, reader }) => ({ index, reader, length: index.length }),
      (error: unknown) => {
        // The next batch opens the recording again, because a database may be blocked for a moment only.
        this.#opened = null;
        throw error;
      },
    );
    return this.#opened;
  }
}
