import type { FrameIndex } from '../store/frame-index.ts';
import { bytesAt, LANES, type PayloadBlock, payloadText } from '../store/payload-block.ts';
import type { PayloadReader } from '../store/payload-reader.ts';

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
  /** Entries whose payload was not kept or could not be read; known at the end. */
  unread: number;
}

/** Finds the query in one text. */
export type Matcher = (text: string) => boolean;

/** Returns the matcher, or the error in the regular expression. */
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

/** One block to look through. */
export interface SearchTask {
  block: PayloadBlock;
  /** 1 for each place in the block whose payload is bytes. */
  isBinary: Uint8Array<ArrayBuffer>;
}

/** Entries of the block whose payload matches. */
export function hitsIn({ block, isBinary }: SearchTask, matcher: Matcher): number[] {
  const hits: number[] = [];
  block.entries.forEach((entry, place) => {
    const bytes = bytesAt(block, place);
    if (matcher(isBinary[place] === 1 ? hexOf(bytes) : payloadText(bytes))) hits.push(entry);
  });
  return hits;
}

/** Looks through blocks for one query, in a thread of its own where there is one. */
export interface Searcher {
  search(task: SearchTask): Promise<readonly number[]>;
  /** Stops at once. A pending search may never be answered. */
  end(): void;
}

export interface SearchOptions {
  query: SearchQuery;
  searcher: Searcher;
  index: FrameIndex;
  reader: PayloadReader;
  nowMs(): number;
  after(delayMs: number, task: () => void): () => void;
  /** @param isLast everything has been looked at */
  report(progress: SearchProgress, isLast: boolean): void;
  signal: AbortSignal;
}

/** The first hits are reported at once, later ones in batches. */
const REPORT_EVERY_MS = 100;
/** A regular expression can take longer than anybody lives; one that takes so long for a block is given up. */
const BLOCK_LIMIT_MS = 5000;

const TOO_SLOW = `The expression takes more than ${BLOCK_LIMIT_MS / 1000} s on a few hundred frames, so the search was given up.`;

/**
 * Searches all payloads that exist when it begins, and reports hits as it finds them.
 * @returns what it was given up for; null where it came to its end or was called off
 */
export async function search(options: SearchOptions): Promise<string | null> {
  const { query, searcher, index, reader, nowMs, signal } = options;
  const of = query.withAudio ? index.length : countOf(index, index.length);
  let hits: number[] = [];
  let looked = 0;
  let reportedMs = Number.NEGATIVE_INFINITY;
  const report = (isLast: boolean): void => {
    reportedMs = nowMs();
    const unread = isLast ? of - looked : 0;
    options.report({ hits: Uint32Array.from(hits), looked, of, unread }, isLast);
    hits = [];
  };
  const end = index.length;
  for (const lane of LANES) {
    if (lane !== 0 && !query.withAudio) continue;
    for await (const block of reader.blocks(lane, end)) {
      if (signal.aborted) return null;
      const isBinary = Uint8Array.from(block.entries, (entry) => (index.isBinary(entry) ? 1 : 0));
      const found = await withinLimit(searcher.search({ block, isBinary }), options);
      if (signal.aborted) return null;
      if (!found) return TOO_SLOW;
      // One by one: a block holds thousands, and so many arguments no function takes everywhere.
      for (const hit of found) hits.push(hit);
      looked += block.entries.length;
      const isFirst = reportedMs === Number.NEGATIVE_INFINITY && hits.length > 0;
      if (isFirst || nowMs() - reportedMs >= REPORT_EVERY_MS) report(false);
    }
  }
  report(true);
  return null;
}

/** The answer; null where it took too long. */
async function withinLimit<T>(
  answer: Promise<T>,
  { after }: Pick<SearchOptions, 'after'>,
): Promise<T | null> {
  let stop = (): void => {};
  const limit = new Promise<null>((resolve) => {
    stop = after(BLOCK_LIMIT_MS, () => resolve(null));
  });
  try {
    return await Promise.race([answer, limit]);
  } finally {
    stop();
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => HEX[byte]).join(' ');

/** Entries that are not audio. */
function countOf(index: FrameIndex, to: number): number {
  let count = 0;
  for (let entry = 0; entry < to; entry += 1) if (!index.isAudio(entry)) count += 1;
  return count;
}
