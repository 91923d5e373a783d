import type { FrameIndex } from './frame-index.ts';
import { bytesAt, LANES, type PayloadBlock, textOf } from './payload-block.ts';
import type { PayloadReader } from './payload-reader.ts';

/**
 * What is looked for in payloads. Binary payloads are searched as the panel shows them: pairs of lower-case hex digits
 * with a blank between (`48 65 6c`).
 */
export interface SearchQuery {
  text: string;
  isRegex: boolean;
  matchCase: boolean;
  /** Look into audio entries too. That is nearly all the bytes of a recording, and base64 means nothing to a reader. */
  withAudio: boolean;
}

export interface SearchProgress {
  /** Indexes of entries found since the last report. Ascending, except that audio entries come after all others. */
  hits: Uint32Array<ArrayBuffer>;
  /** Entries looked at, of how many. */
  looked: number;
  of: number;
  /** Entries whose payload was not kept or could not be read. */
  unread: number;
}

/** Finds the query in one text. */
export type Matcher = (text: string) => boolean;

/** The matcher, or what is wrong with the regular expression. */
export function matcherOf({ text, isRegex, matchCase }: SearchQuery): Matcher | { problem: string } {
  if (!isRegex && matchCase) return (payload) => payload.includes(text);
  const source = isRegex ? text : text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  try {
    const regex = new RegExp(source, matchCase ? 'u' : 'iu');
    return (payload) => regex.test(payload);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

export interface SearchOptions {
  query: SearchQuery;
  matcher: Matcher;
  index: FrameIndex;
  reader: PayloadReader;
  /** ms, from any fixed moment on. */
  nowMs(): number;
  /** Lets others have the thread. */
  pause(): Promise<void>;
  /** @param isLast everything has been looked at */
  report(progress: SearchProgress, isLast: boolean): void;
  signal: AbortSignal;
}

/** Longer than that nobody else waits for the thread. */
const SLICE_MS = 10;
/** The first hits are told at once, later ones together. */
const REPORT_EVERY_MS = 100;
/** Entries between two looks at the clock. */
const ENTRIES_A_LOOK = 32;

/** Looks through all payloads there are when it begins, and tells what it finds as it goes; the last report has it all. */
export async function search(options: SearchOptions): Promise<void> {
  const { query, index, reader, nowMs, pause, signal } = options;
  const lanes = LANES.filter((lane) => lane === 0 || query.withAudio);
  const of = index.length;
  let hits: number[] = [];
  let looked = 0;
  let unread = 0;
  let reportedMs = Number.NEGATIVE_INFINITY;
  let sliceEndsMs = nowMs() + SLICE_MS;
  const report = (isLast = false): void => {
    reportedMs = nowMs();
    options.report({ hits: Uint32Array.from(hits), looked, of, unread }, isLast);
    hits = [];
  };
  for (const lane of lanes) {
    for await (const { block } of reader.blocks(lane)) {
      if (signal.aborted) return;
      if (!block) continue;
      const { length } = block.entries;
      for (let place = 0; place < length; place += 1) {
        const entry = block.entries[place] ?? 0;
        if (entry >= of) break;
        if (options.matcher(searchedText(block, place, index, entry))) hits.push(entry);
        looked += 1;
        if (place % ENTRIES_A_LOOK !== 0 || nowMs() < sliceEndsMs) continue;
        if (hits.length > 0 || nowMs() - reportedMs >= REPORT_EVERY_MS) report();
        await pause();
        if (signal.aborted) return;
        sliceEndsMs = nowMs() + SLICE_MS;
      }
      if (hits.length > 0 && nowMs() - reportedMs >= REPORT_EVERY_MS) report();
    }
  }
  unread = countSearched(index, of, query.withAudio) - looked;
  report(true);
}

/** What the matcher sees of a payload. */
function searchedText(block: PayloadBlock, place: number, index: FrameIndex, entry: number): string {
  const bytes = bytesAt(block, place);
  return index.isBinary(entry) ? hexOf(bytes) : textOf(bytes);
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => HEX[byte]).join(' ');

function countSearched(index: FrameIndex, to: number, withAudio: boolean): number {
  if (withAudio) return to;
  let count = 0;
  for (let entry = 0; entry < to; entry += 1) if (!index.isAudio(entry)) count += 1;
  return count;
}
