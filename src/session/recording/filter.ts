import {
  BLOCK_ENTRIES,
  DIRECTION_MASK,
  directionNumber,
  type FrameIndex,
  NO_CHUNK,
  NONE,
  PROBLEM,
} from './frame-index.ts';
import type { GrowingNumbers } from './growing.ts';
import type { Direction } from './record.ts';

/** What of a recording is listed. What is left out does not narrow; each list is an "any of these". */
export interface Filter {
  directions?: readonly Direction[];
  kinds?: readonly string[];
  /** null: entries that belong to no context. */
  contexts?: readonly (string | null)[];
  /** null: entries that belong to no turn. */
  turns?: readonly (number | null)[];
  /** Chunks count anew in each turn. */
  chunks?: readonly number[];
  connections?: readonly number[];
  problemsOnly?: boolean;
}

/** Adds the indexes of entries `from` to `to` (exclusive) that pass the filter, in order. */
export function addMatches(
  { directions, kinds, contexts, turns, chunks, connections, problemsOnly = false }: Filter,
  index: FrameIndex,
  from: number,
  to: number,
  matches: GrowingNumbers,
): void {
  const { names } = index;
  const isWanted = {
    directions: directions && new Set(directions.map(directionNumber)),
    // A name that the recording does not have matches nothing.
    kinds: kinds && new Set(kinds.map((name) => names.find(name))),
    contexts: contexts && new Set(contexts.map((name) => (name === null ? NONE : names.find(name)))),
    turns: turns && new Set(turns.map((turn) => turn ?? NONE)),
    chunks: chunks && new Set(chunks),
    connections: connections && new Set(connections),
  };
  for (let entry = from; entry < to; ) {
    const block = index.block(Math.floor(entry / BLOCK_ENTRIES));
    if (!block) return;
    const start = entry % BLOCK_ENTRIES;
    const end = Math.min(BLOCK_ENTRIES, start + to - entry);
    for (let at = start; at < end; at += 1) {
      const flags = block.flags[at] ?? 0;
      if (problemsOnly && (flags & PROBLEM) === 0) continue;
      if (isWanted.directions && !isWanted.directions.has(flags & DIRECTION_MASK)) continue;
      if (isWanted.kinds && !isWanted.kinds.has(block.kind[at])) continue;
      if (isWanted.contexts && !isWanted.contexts.has(block.context[at])) continue;
      if (isWanted.turns && !isWanted.turns.has(block.turn[at] ?? NONE)) continue;
      if (isWanted.chunks && !isWanted.chunks.has(block.chunk[at] ?? NO_CHUNK)) continue;
      if (isWanted.connections && !isWanted.connections.has(block.connection[at] ?? 0)) continue;
      matches.push(entry + at - start);
    }
    entry += end - start;
  }
}
