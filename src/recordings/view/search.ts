import { type Clock, within } from '#lib/clock.ts';
import { hexPairs } from '#lib/hex.ts';
import { messageOf } from '#lib/message-of.ts';
import type { CallConnection, Remote } from '#lib/worker-calls.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import { BLOCK_KINDS, bytesAt, type PayloadBlock, payloadText } from '../store/payload-block.ts';
import type { PayloadReader } from '../store/payload-reader.ts';

/** A search in payloads. Binary payloads are searched as lower-case hex digits in pairs (`48 65 6c`). */
export interface SearchQuery {
  text: string;
  isRegex: boolean;
  matchCase: boolean;
  /** Searches audio entries too, which are nearly all bytes of a recording and mean nothing to a reader. */
  withAudio: boolean;
}

export interface SearchProgress {
  /** Indexes of entries found since the last report. Ascending, except that audio entries come after all others. */
  hits: Uint32Array<ArrayBuffer>;
  /** Searched entries, and all to be searched. */
  looked: number;
  of: number;
  /** Entries whose payload was not kept or could not be read; known at the end. */
  unread: number;
}

/** Finds the query in one text. */
type Matcher = (text: string) => boolean;

/** Returns the matcher, or the error in the regular expression. */
function matcherOf({ text, isRegex, matchCase }: SearchQuery): Matcher | { problem: string } {
  if (!isRegex && matchCase) return (payload) => payload.includes(text);
  const source = isRegex ? text : text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  try {
    const regex = new RegExp(source, matchCase ? 'u' : 'iu');
    return (payload) => regex.test(payload);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

export interface SearchTask {
  block: PayloadBlock;
  /** 1 for each place in the block whose payload is bytes. */
  isBinary: Uint8Array<ArrayBuffer>;
}

/** Returns the entries of the block whose payload matches; none where the query is not valid. */
function hitsIn({ block, isBinary }: SearchTask, query: SearchQuery): readonly number[] {
  const matcher = matcherOf(query);
  if (typeof matcher === 'object') return [];
  const hits: number[] = [];
  block.entries.forEach((entry, place) => {
    const bytes = bytesAt(block, place);
    if (matcher(isBinary[place] === 1 ? hexPairs(bytes).join(' ') : payloadText(bytes))) hits.push(entry);
  });
  return hits;
}

/** Methods of the worker that searches. */
export const SEARCHER = { hitsIn };

/** `refused`: the regular expression is not valid. `failed`: the search was given up. */
export type SearchState = 'running' | 'done' | 'cancelled' | 'refused' | 'failed';

export interface SearchEnd {
  state: Exclude<SearchState, 'running'>;
  /** The last hits; null where nothing was searched, or not to the end. */
  progress: SearchProgress | null;
  problem: string | null;
}

interface SearchOptions {
  /** Null where nothing is shown. */
  recording: { index: FrameIndex; reader: PayloadReader } | null;
  environment: Clock & { openSearcher(): CallConnection<typeof SEARCHER> };
  progressed(progress: SearchProgress): void;
  signal: AbortSignal;
}

/** The first hits are reported at once, later ones in batches. */
const REPORT_EVERY_MS = 100;
/** A regular expression may take exponential time, so that a search of one block has a limit. */
const BLOCK_LIMIT_MS = 5000;

const TOO_SLOW = `The expression takes more than ${BLOCK_LIMIT_MS / 1000} s on a few hundred frames, so the search was given up.`;

/** Searches all payloads that exist when it begins, and reports hits as it finds them. Never rejects. */
export async function search(query: SearchQuery, options: SearchOptions): Promise<SearchEnd> {
  const { recording, environment, signal } = options;
  const matcher = matcherOf(query);
  if (typeof matcher === 'object') return { state: 'refused', progress: null, problem: matcher.problem };
  if (!recording) return { state: 'done', progress: NOTHING_TO_SEARCH, problem: null };
  let progress: SearchProgress | null = null;
  let problem: string | null = null;
  let searcher: CallConnection<typeof SEARCHER> | null = null;
  try {
    searcher = environment.openSearcher();
    // A searcher that is stuck must not delay the answer to a cancelled search.
    signal.addEventListener('abort', () => searcher?.dispose());
    progress = await searchBlocks(query, searcher.calls, recording, options);
    if (!progress) problem = TOO_SLOW;
  } catch (error) {
    problem = messageOf(error);
  } finally {
    searcher?.dispose();
  }
  if (signal.aborted) return { state: 'cancelled', progress: null, problem: null };
  return { state: problem === null ? 'done' : 'failed', progress, problem };
}

const NOTHING_TO_SEARCH: SearchProgress = { hits: new Uint32Array(), looked: 0, of: 0, unread: 0 };

/** Returns the last hits; null where the search was given up or cancelled. */
async function searchBlocks(
  query: SearchQuery,
  searcher: Remote<typeof SEARCHER>,
  { index, reader }: NonNullable<SearchOptions['recording']>,
  { environment, progressed, signal }: SearchOptions,
): Promise<SearchProgress | null> {
  const of = query.withAudio ? index.length : countOf(index, index.length);
  let hits: number[] = [];
  let looked = 0;
  let reportedMs = Number.NEGATIVE_INFINITY;
  const end = index.length;
  for (const kind of BLOCK_KINDS) {
    if (kind !== 0 && !query.withAudio) continue;
    for await (const block of reader.blocks(kind, end)) {
      if (signal.aborted) return null;
      const isBinary = Uint8Array.from(block.entries, (entry) => (index.isBinary(entry) ? 1 : 0));
      const found = await within(environment, BLOCK_LIMIT_MS, searcher.hitsIn({ block, isBinary }, query));
      if (signal.aborted || !found) return null;
      // One by one, because engines limit the number of arguments.
      for (const hit of found) hits.push(hit);
      looked += block.entries.length;
      const isFirst = reportedMs === Number.NEGATIVE_INFINITY && hits.length > 0;
      if (!isFirst && environment.nowMs() - reportedMs < REPORT_EVERY_MS) continue;
      reportedMs = environment.nowMs();
      progressed({ hits: Uint32Array.from(hits), looked, of, unread: 0 });
      hits = [];
    }
  }
  return { hits: Uint32Array.from(hits), looked, of, unread: of - looked };
}

/** Entries that are not audio. */
function countOf(index: FrameIndex, to: number): number {
  let count = 0;
  for (let entry = 0; entry < to; entry += 1) if (!index.isAudio(entry)) count += 1;
  return count;
}
