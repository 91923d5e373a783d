import type { Direction } from '#trace/entry.ts';
import { ANY_FINDING, GRAVE_FINDING } from '../store/finding-marks.ts';
import {
  BLOCK_ENTRIES,
  DIRECTION_MASK,
  directionNumber,
  type FrameIndex,
  type IndexBlock,
  NONE,
  PROBLEM,
} from '../store/frame-index.ts';
import type { GrowingNumbers } from '../store/growing.ts';

/** Selects entries of a recording. A missing field matches everything; a list matches any of its values. */
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
  /** Entries with a problem as their kind, and entries with findings. */
  problemsOnly?: boolean;
  /** Advice does not count as a problem. */
  withoutAdvice?: boolean;
}

/** Adds the indexes of entries `from` to `to` (exclusive) that pass the filter, in order. */
export function addMatches(
  {
    directions,
    kinds,
    contexts,
    turns,
    chunks,
    connections,
    problemsOnly = false,
    withoutAdvice = false,
  }: Filter,
  index: FrameIndex,
  from: number,
  to: number,
  matches: GrowingNumbers,
): void {
  const { names } = index;
  const named = (list: readonly (string | null)[]): number[] =>
    // A name that the recording does not have matches nothing.
    list.flatMap((name) => (name === null ? NONE : (names.find(name) ?? [])));
  const wanted = {
    directions: directions && tableOf(directions.map(directionNumber), DIRECTION_MASK + 1),
    kinds: kinds && tableOf(named(kinds), names.size),
    contexts: contexts && new Set(named(contexts)),
    turns: turns && new Set(turns.map((turn) => turn ?? NONE)),
    chunks: chunks && new Set(chunks),
    connections: connections && new Set(connections),
  };
  // A loop for each condition is ten times as fast as one loop that checks all conditions of an entry.
  const passes = new Uint8Array(BLOCK_ENTRIES);
  const passed = new Uint32Array(BLOCK_ENTRIES);
  index.eachBlock(from, to, (block, start, end, first) => {
    const places = { passes, start, end };
    passes.fill(1, start, end);
    if (problemsOnly) narrowToProblems(places, block, withoutAdvice ? GRAVE_FINDING : ANY_FINDING);
    if (wanted.directions) narrowByTable(places, block.flags, DIRECTION_MASK, wanted.directions);
    if (wanted.kinds) narrowByTable(places, block.kind, ALL_BITS, wanted.kinds);
    if (wanted.contexts) narrowBySet(places, block.context, wanted.contexts);
    if (wanted.turns) narrowBySet(places, block.turn, wanted.turns);
    if (wanted.chunks) narrowBySet(places, block.chunk, wanted.chunks);
    if (wanted.connections) narrowBySet(places, block.connection, wanted.connections);
    matches.append(passed.subarray(0, listPassed(passed, places, first)));
  });
}

/** Places of a block; `passes` is 1 for each that no condition has excluded. */
interface Places {
  passes: Uint8Array;
  start: number;
  end: number;
}

type Column = Uint8Array | Uint32Array | Int32Array;

const ALL_BITS = -1;

/** @returns how many there are */
function listPassed(passed: Uint32Array, { passes, start, end }: Places, first: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) {
    // Writes always and keeps passing entries, because an unpredictable branch costs more.
    passed[count] = first + at;
    count += passes[at] ?? 0;
  }
  return count;
}

function narrowToProblems(
  { passes, start, end }: Places,
  { flags, findings }: IndexBlock,
  marks: number,
): void {
  for (let at = start; at < end; at += 1) {
    if (((flags[at] ?? 0) & PROBLEM) === 0 && ((findings[at] ?? 0) & marks) === 0) passes[at] = 0;
  }
}

function narrowByTable(
  { passes, start, end }: Places,
  column: Column,
  mask: number,
  table: Uint8Array,
): void {
  for (let at = start; at < end; at += 1) if (table[(column[at] ?? 0) & mask] !== 1) passes[at] = 0;
}

function narrowBySet({ passes, start, end }: Places, column: Column, wanted: ReadonlySet<number>): void {
  for (let at = start; at < end; at += 1) {
    if (passes[at] === 1 && !wanted.has(column[at] ?? 0)) passes[at] = 0;
  }
}

/** A table with 1 for each of the numbers; its lookup is faster than that of a set. */
function tableOf(numbers: readonly number[], size: number): Uint8Array {
  const table = new Uint8Array(size);
  for (const number of numbers) table[number] = 1;
  return table;
}
