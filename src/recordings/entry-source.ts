import type { FrameIndex } from './store/frame-index.ts';
import type { PayloadReader, ShownEntry } from './store/payload-reader.ts';

/** The part of a recording that reading its entries needs. */
export interface EntriesOfRecording {
  index: Pick<FrameIndex, 'length'>;
  reader: Pick<PayloadReader, 'entry'>;
}

export interface EntryBatch {
  entries: readonly ShownEntry[];
  isLast: boolean;
}

/** Limits of a batch; the last entry may exceed them. */
const MAX_ENTRIES = 1024;
const MAX_BYTES = 1 << 20;

/** Serves the entries of a recording to another worker. A live recording ends where it ended at the first batch. */
export class EntrySource {
  readonly #open: () => Promise<EntriesOfRecording>;
  #opened: Promise<EntriesOfRecording & { length: number }> | null = null;

  constructor(open: () => Promise<EntriesOfRecording>) {
    this.#open = open;
  }

  /**
   * Reads the next entries.
   * @param from index of the first
   * @throws Error where the recording cannot be read
   */
  async batch(from: number): Promise<EntryBatch> {
    const { length, reader } = await this.#openOnce();
    const entries: ShownEntry[] = [];
    let bytes = 0;
    for (let at = from; at < length && entries.length < MAX_ENTRIES && bytes < MAX_BYTES; at += 1) {
      const entry = await reader.entry(at);
      entries.push(entry);
      bytes += entry.payload?.length ?? 0;
    }
    return { entries, isLast: from + entries.length >= length };
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
