import { deepEqual } from '#lib/deep-equal.ts';
import type { FieldTypes } from './field-types.ts';
import type { DifferenceKind, Fact, FrameGroup } from './frame-group.ts';
import type { Outline } from './outline.ts';

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
  /** Sentences about parts that are not compared. */
  notes: readonly string[];
}

/** The part of {@link Differences} that a page shows. */
export interface FirstDifferences extends Differences {
  /** All differences. */
  of: number;
}

/** Times that are closer are equal. */
export const DEFAULT_TOLERANCE_MS = 500;
/** Times and bills that are closer are equal too, as shares of the larger one, unless the tolerance is 0. */
const TIME_SHARE = 0.25;
const BILL_SHARE = 0.1;

/** Compares two recordings of one endpoint. @param toleranceMs 0 reports every difference of times and bills */
export function differencesOf(a: Outline, b: Outline, toleranceMs: number): Differences {
  const at = (place: string, changes: readonly Change[]): Difference[] =>
    changes.map((change) => ({ place, ...change }));
  const inPlaces = [...namesIn(a.groups, b.groups)].flatMap((place) => {
    const [ofA, ofB] = [a.groups.get(place), b.groups.get(place)];
    const connection = (ofA ?? ofB)?.connection ?? 0;
    const isTornIn = ({ torn }: Outline, of?: FrameGroup): boolean => of?.isTorn ?? torn.has(connection);
    return isTornIn(a, ofA) || isTornIn(b, ofB) ? [] : at(place, groupChanges(ofA, ofB, toleranceMs));
  });
  const ofFields = [...a.fields].flatMap(([kind, types]) => {
    const others = b.fields.get(kind);
    // Kinds that one side lacks are reported in their places.
    return others ? at(`every ${kind}`, fieldChanges(types, others)) : [];
  });
  return { rows: [...inPlaces, ...ofFields], notes: [...tornIn('A', a), ...tornIn('B', b)] };
}

/** The names in either of two maps. */
const namesIn = <T>(a: ReadonlyMap<T, unknown>, b: ReadonlyMap<T, unknown>): Set<T> =>
  new Set([...a.keys(), ...b.keys()]);

const tornIn = (name: string, { torn }: Outline): string[] =>
  [...torn].map(
    (connection) =>
      `Entries of connection ${connection} are missing in ${name}. Turns that may contain them are not compared.`,
  );

type Change = Omit<Difference, 'place'>;

function groupChanges(a: FrameGroup | undefined, b: FrameGroup | undefined, toleranceMs: number): Change[] {
  if (!a || !b) return [changed('shape', 'messages', a?.messages, b?.messages)];
  const [factsA, factsB] = [a.facts(), b.facts()];
  const changes = [...namesIn(factsA, factsB)].flatMap((what) => {
    const [ofA, ofB] = [factsA.get(what), factsB.get(what)];
    const { kind = 'shape', unit } = ofA ?? ofB ?? {};
    // A time that one side lacks has a cause among the messages.
    const isSame = ofA && ofB ? isEqual(ofA.value, ofB.value, unit, toleranceMs) : kind === 'timing';
    return isSame ? [] : [changed(kind, what, ofA?.value, ofB?.value)];
  });
  return [
    ...changes,
    ...orderChange('order sent', a.order.sent, b.order.sent),
    ...orderChange('order received', a.order.received, b.order.received),
  ];
}

function isEqual(a: unknown, b: unknown, unit: Fact['unit'], toleranceMs: number): boolean {
  if (unit === undefined || typeof a !== 'number' || typeof b !== 'number') return deepEqual(a, b);
  if (unit === 'pieces') return true;
  const share = unit === 'bill' ? BILL_SHARE : TIME_SHARE;
  // Of a ratio, that much a second.
  const least = { ms: toleranceMs, ratio: toleranceMs / 1000, bill: 0 }[unit];
  return Math.abs(a - b) <= (toleranceMs === 0 ? 0 : Math.max(least, share * Math.max(a, b)));
}

const SHOWN_KINDS = 4;

/** Compares the order of what both have. */
function orderChange(what: string, a: ReadonlySet<string>, b: ReadonlySet<string>): Change[] {
  const [ofA, ofB] = [[...a].filter((one) => b.has(one)), [...b].filter((one) => a.has(one))];
  const at = firstDifference(ofA, ofB);
  const shown = (all: readonly string[]): string => all.slice(at, at + SHOWN_KINDS).join(', ');
  return at === ofA.length ? [] : [{ kind: 'shape', what, a: shown(ofA), b: shown(ofB) }];
}

function fieldChanges(a: FieldTypes, b: FieldTypes): Change[] {
  const typesAt = (path: string, types: FieldTypes): string | null =>
    [...(types.get(path) ?? [])].sort().join(' or ') || null;
  return [...namesIn(a, b)].flatMap((path) => {
    const [ofA, ofB] = [typesAt(path, a), typesAt(path, b)];
    const what = path === '' ? 'frame' : `field ${path.replace(/^\./, '')}`;
    return ofA === ofB ? [] : [{ kind: 'shape', what, a: ofA, b: ofB }];
  });
}

const EXCERPT_BEFORE = 20;
const EXCERPT_CHARS = 60;

/** Shows the parts in which values differ. */
function changed(kind: DifferenceKind, what: string, a: unknown, b: unknown): Change {
  const textOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
  const [textA, textB] = [textOf(a), textOf(b)];
  const from = Math.max(0, firstDifference(textA ?? '', textB ?? '') - EXCERPT_BEFORE);
  const to = from + EXCERPT_CHARS;
  const shown = (value: unknown, text: string | null): string | number | null =>
    typeof value === 'number'
      ? value
      : text && `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
  return { kind, what, a: shown(a, textA), b: shown(b, textB) };
}

/** The index of the first item that differs; the length of the shorter list where none does. */
function firstDifference(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  return at;
}
