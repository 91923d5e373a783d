import type { FrameIndex } from './store/frame-index.ts';
import type { Growth } from './store/growth.ts';
import type { PayloadReader, ShownEntry } from './store/payload-reader.ts';

/** The part of a recording that reading its entries needs. */
export interface EntriesOfRecording {
  index: Pick<FrameIndex, 'length'>;
  reader: Pick<PayloadReader, 'entry'>;
}

export interface EntryBatch {
  entries: readonly ShownEntry[];
  isLast: boolean;
  /** Of a recording that is followed while it grows; null for any other. */
  growth: EntryGrowth | null;
}

export interface EntryGrowth {
  /** No entry before this time follows. */
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
  readonly #growth: Growth | null;
  #opened: Promise<EntriesOfRecording & { length: number }> | null = null;
  /** Reported with the last batch. */
  #knownToUs = 0;

  /** @param growth follows the recording to its end; otherwise it ends where it ended at the first batch */
  constructor(open: () => Promise<EntriesOfRecording>, growth: Growth | null = null) {
    this.#open = open;
    this.#growth = growth;
  }

  /**
   * Reads the next entries. Of a growing recording, waits until there are more or time has passed without any.
   * @param from index of the first
   * @throws Error where the recording cannot be read
   */
  async batch(from: number): Promise<EntryBatch> {
    const { index, length: lengthAtFirst, reader } = await this.#openOnce();
    await this.#hasMore(from, index);
    const growth = this.#growth;
    // Read together, so that no entry of a known time is left out.
    const length = growth ? index.length : lengthAtFirst;
    const { isOver = true, knownToUs = 0, baseMs = null } = growth ?? {};
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
      growth: baseMs === null ? null : { knownToUs: this.#knownToUs, baseMs },
    };
  }

  async #hasMore(from: number, index: EntriesOfRecording['index']): Promise<void> {
    const growth = this.#growth;
    while (growth && !growth.isOver && index.length <= from && growth.knownToUs <= this.#knownToUs) {
      await growth.changed();
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
