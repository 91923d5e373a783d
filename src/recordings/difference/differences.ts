import { deepEqual } from '#lib/deep-equal.ts';
import { type DifferenceKind, type Fact, MESSAGES } from './facts.ts';
import type { RecordingFacts } from './read-facts.ts';

/** A fact that differs between two recordings. */
export interface Difference {
  kind: DifferenceKind;
  /** Such as `connection 1, turn 2`, with numbers in the order of their first use. */
  place: string;
  /** Of a time the id of its measure, where it has one. */
  what: string;
  /** Null where the recording has none. Times are in ms, and texts are parts of JSON. */
  a: string | number | null;
  b: string | number | null;
}

export interface Differences {
  rows: readonly Difference[];
  /** Sentences about what the recordings lack. */
  notes: readonly string[];
}

/** Times that are closer are equal. */
export const DEFAULT_TOLERANCE_MS = 500;
/** Times and bills that are closer are equal too, as shares of the larger one, unless the tolerance is 0. */
const TIME_SHARE = 0.25;
const BILL_SHARE = 0.1;

/** Compares two recordings of one endpoint. @param toleranceMs 0 reports every difference of times and bills */
export function differencesOf(a: RecordingFacts, b: RecordingFacts, toleranceMs: number): Differences {
  const rows = namesIn(a.places, b.places).flatMap((place) => {
    const [inA, inB] = [a.places.get(place), b.places.get(place)];
    // A place that one side lacks is one difference.
    const names = inA && inB ? namesIn(inA, inB) : [MESSAGES];
    return names.flatMap((what): Difference[] => {
      const [factA, factB] = [inA?.get(what), inB?.get(what)];
      const isLost = (!factA && a.isTorn) || (!factB && b.isTorn);
      const change = isLost ? null : changeOf(factA, factB, toleranceMs);
      return change ? [{ place, what, ...change }] : [];
    });
  });
  const notes = Object.entries({ A: a, B: b }).flatMap(([name, { isTorn }]) =>
    isTorn ? [`Entries are missing in ${name}, so that nothing is listed that only ${name} lacks.`] : [],
  );
  return { rows, notes };
}

type Named = Pick<ReadonlyMap<string, unknown>, 'keys'>;

const namesIn = (a: Named, b: Named): string[] => [...new Set([...a.keys(), ...b.keys()])];

type Change = Pick<Difference, 'kind' | 'a' | 'b'>;

/** Returns null for equal facts. */
function changeOf(a: Fact | undefined, b: Fact | undefined, toleranceMs: number): Change | null {
  const fact = a ?? b;
  if (!fact) return null;
  const { kind, unit } = fact;
  if (a?.value instanceof Set && b?.value instanceof Set) return orderChange(a.value, b.value);
  // A time or an order that one side lacks has a cause among the messages.
  const isSame =
    a && b ? isEqual(unit, a.value, b.value, toleranceMs) : kind === 'timing' || unit === 'order';
  return isSame ? null : { kind, ...excerpts(a, b) };
}

function isEqual(unit: Fact['unit'], a: unknown, b: unknown, toleranceMs: number): boolean {
  if (unit === 'presence') return true;
  const isMeasured = unit === 'ms' || unit === 'ratio' || unit === 'bill';
  if (!isMeasured || typeof a !== 'number' || typeof b !== 'number') return deepEqual(a, b);
  const share = unit === 'bill' ? BILL_SHARE : TIME_SHARE;
  // Of generation, a fifth of that for each second of audio.
  const least = { ms: toleranceMs, ratio: toleranceMs / 5000, bill: 0 }[unit];
  return Math.abs(a - b) <= (toleranceMs === 0 ? 0 : Math.max(least, share * Math.max(a, b)));
}

const SHOWN_NAMES = 4;

/** Compares the order of what both have, and shows it from the first difference on. */
function orderChange(a: ReadonlySet<string>, b: ReadonlySet<string>): Change | null {
  const [inA, inB] = [[...a].filter((name) => b.has(name)), [...b].filter((name) => a.has(name))];
  const from = firstDifference(inA, inB);
  const shown = (names: readonly string[]) => names.slice(from, from + SHOWN_NAMES).join(', ');
  return from === inA.length ? null : { kind: 'shape', a: shown(inA), b: shown(inB) };
}

const EXCERPT_BEFORE = 20;
const EXCERPT_CHARS = 60;

/** Shows numbers, and of other values the parts in which they differ. */
function excerpts(a: Fact | undefined, b: Fact | undefined): Pick<Difference, 'a' | 'b'> {
  const textOf = (fact: Fact | undefined): string =>
    fact ? (fact.unit === 'name' ? String(fact.value) : JSON.stringify(fact.value)) : '';
  const [textA, textB] = [textOf(a), textOf(b)];
  const from = Math.max(0, firstDifference(textA, textB) - EXCERPT_BEFORE);
  const to = from + EXCERPT_CHARS;
  const shown = (fact: Fact | undefined, text: string): string | number | null => {
    if (!fact) return null;
    if (typeof fact.value === 'number') return fact.value;
    return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
  };
  return { a: shown(a, textA), b: shown(b, textB) };
}

/** The index of the first item that differs; the length of the shorter list where none does. */
function firstDifference(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}
