import { loadProtocols } from '#protocol/protocols.ts';
import { endpointNamed } from '#protocol/registry.ts';
import type { RecordEntry, RecordingInfo } from '#trace/entry.ts';
import { ImportError } from '#trace/files/import-error.ts';
import { type UnpackLimits, wholeTextOf } from './file-text.ts';
import { HAR_LIMITS, type HarLimits, readHar } from './har-reader.ts';
import type { HarRecording, HarSplit } from './har-recordings.ts';

export interface HarTask {
  split: HarSplit;
  /** Registry name of the endpoint of recordings that have none; null: they stay without one. */
  endpoint: string | null;
  limits: UnpackLimits & Partial<HarLimits>;
}

/** What a HAR file holds, without its entries; or its fault, because errors lose their fields between threads. */
export type HarContents =
  | {
      recordings: readonly RecordingInfo[];
      /** Different addresses of its connections. */
      addresses: number;
      /** A recording for each address would be more recordings, and no more than the limit. */
      canSplit: boolean;
      notes: readonly string[];
      /** Those about parts that are damaged. */
      missing: readonly string[];
    }
  | { fault: Pick<ImportError, 'place' | 'expected' | 'found'> };

/** Limits of a batch; the last entry may exceed them. */
const BATCH_ENTRIES = 1024;
const BATCH_CHARS = 1 << 20;

/** Part of the progress until the text is in memory. Parsing it takes longer. */
const TEXT_SHARE = 0.2;

/** Methods of the worker that reads a HAR file: the file first, then its entries in batches. */
export class HarThread {
  #recordings: readonly HarRecording[] = [];

  /** @param progressed receives how much of the file is read, from 0 to 1 */
  async read(
    file: Blob,
    { split, endpoint, limits }: HarTask,
    progressed: (done: number) => void,
  ): Promise<HarContents> {
    const bounds = { ...HAR_LIMITS, ...limits };
    try {
      const text = await wholeTextOf(file, bounds, async (done) => progressed(done * TEXT_SHARE));
      await loadProtocols();
      const {
        recordings,
        addresses,
        notes,
        missing = [],
      } = readHar(
        text,
        bounds,
        split,
        (done) => progressed(TEXT_SHARE + (1 - TEXT_SHARE) * done),
        endpointNamed(endpoint),
      );
      this.#recordings = recordings;
      const canSplit = addresses > recordings.length && addresses <= bounds.recordings;
      return { recordings: recordings.map(({ info }) => info), addresses, canSplit, notes, missing };
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      const { place, expected, found } = error;
      return { fault: { place, expected, found } };
    }
  }

  /** Returns the next entries of a recording; none behind the last. */
  entries(recording: number, from: number): RecordEntry[] {
    const { entries = [] } = this.#recordings[recording] ?? {};
    let chars = 0;
    let to = from;
    for (; to < entries.length && to - from < BATCH_ENTRIES && chars < BATCH_CHARS; to += 1) {
      chars += entries[to]?.payload.length ?? 0;
    }
    return entries.slice(from, to);
  }
}
