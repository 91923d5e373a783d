import { count, counted, bytes as sizeOf } from '#lib/format.ts';
import { DATA_CHARS, isBase64, readable } from './readable.ts';

/**
 * A decoded JSON value as rows of a tree, with its keyboard moves. Folded values have no rows.
 *
 * react-json-view-lite is no substitute, because a value has no path there, so that findings cannot mark or unfold it,
 * and a long list or text is rendered whole.
 */

export interface TreeRow {
  /** JSON pointer of the value (RFC 6901); that of the rest of a long list ends in `/…`. */
  id: string;
  /** Id of the holder; null for the root. */
  parent: string | null;
  level: number;
  /** Counted from 1, of the number of siblings. */
  place: number;
  siblings: number;
  /** Name of the field or place in the list; null for the root. */
  name: string | null;
  kind: 'object' | 'list' | 'text' | 'figure' | 'rest';
  /** On one line; empty if the value is unfolded below. */
  value: string;
  note: string;
  /** Null where there is nothing to unfold. */
  isOpen: boolean | null;
  /** All of a long text, where it is unfolded. */
  whole: string | null;
}

/** Number of presses of each row. Each one folds or unfolds it, and shows more of a long list. */
export type TreePresses = ReadonlyMap<string, number>;

/** Longer texts are cut until unfolded. */
const MAX_TEXT_CHARS = 120;
const PAGE = 100;
/** Levels that are open initially: the frame, and its fields if these are short. */
const OPEN_LEVELS = 2;
const MAX_OPEN_ENTRIES = 12;

/** @param marked pointers of values that are shown at first, with the values around them unfolded */
export const treeRows = (
  root: unknown,
  presses: TreePresses = new Map(),
  marked: readonly string[] = [],
): TreeRow[] =>
  rowsOf({ presses, marked }, root, { id: '', parent: null, level: 1, place: 1, siblings: 1, name: null });

const LEAF = { note: '', isOpen: null, whole: null };
type Place = Omit<TreeRow, 'kind' | 'value' | keyof typeof LEAF>;

interface Shape {
  presses: TreePresses;
  marked: readonly string[];
}

function rowsOf(shape: Shape, value: unknown, place: Place): TreeRow[] {
  const { id, level } = place;
  const pressesOf = (row: string): number => shape.presses.get(row) ?? 0;
  const isPressed = pressesOf(id) % 2 === 1;
  if (typeof value === 'string') return [{ ...place, ...textRow(value, isPressed) }];
  if (typeof value !== 'object' || value === null) {
    return [{ ...place, ...LEAF, kind: 'figure', value: String(value) }];
  }
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  const marked = shape.marked.filter((pointer) => isBelow(pointer, id));
  const opensFirst =
    level === 1 || (level <= OPEN_LEVELS && entries.length <= MAX_OPEN_ENTRIES) || marked.length > 0;
  const isOpen = entries.length === 0 ? null : opensFirst !== isPressed;
  const row: TreeRow = {
    ...place,
    kind: isList ? 'list' : 'object',
    value: isOpen === true ? '' : isList ? (isOpen === null ? '[]' : '[…]') : isOpen === null ? '{}' : '{…}',
    note: isList ? counted(entries.length, 'entry', 'entries') : counted(entries.length, 'key'),
    isOpen,
    whole: null,
  };
  if (isOpen !== true) return [row];
  const rest = `${id}/…`;
  const idOf = (name: string): string => id + pointerStep(name);
  const lastMarked = entries.findLastIndex(([name]) =>
    marked.some((pointer) => pointer === idOf(name) || isBelow(pointer, idOf(name))),
  );
  const shown = Math.min(entries.length, Math.max(PAGE, lastMarked + 1) + PAGE * pressesOf(rest));
  const siblings = entries.length > shown ? shown + 1 : shown;
  const inside = { parent: id, level: level + 1, siblings };
  const rows = entries
    .slice(0, shown)
    .flatMap(([name, child], at) =>
      rowsOf({ ...shape, marked }, child, { ...inside, id: idOf(name), place: at + 1, name }),
    );
  if (siblings === shown) return [row, ...rows];
  const more: TreeRow = {
    ...inside,
    id: rest,
    place: siblings,
    name: null,
    ...LEAF,
    kind: 'rest',
    value: `show ${Math.min(PAGE, entries.length - shown)} more`,
    note: `${count(entries.length - shown)} not shown`,
  };
  return [row, ...rows, more];
}

function textRow(text: string, isOpen: boolean): Omit<TreeRow, keyof Place> {
  const isData = isBase64(text);
  if (!isData && text.length <= MAX_TEXT_CHARS) return { ...LEAF, kind: 'text', value: quoted(text) };
  const chars = isData ? DATA_CHARS : MAX_TEXT_CHARS;
  const length = counted(text.length, 'character');
  return {
    kind: 'text',
    value: isOpen ? '' : `${quoted(text.slice(0, chars)).slice(0, -1)}…`,
    note: isData
      ? `${length}, ${sizeOf(Math.floor((text.replace(/(?<!=)=+$/, '').length * 3) / 4))} in base64`
      : length,
    isOpen,
    whole: isOpen ? quoted(text) : null,
  };
}

const quoted = (text: string): string => readable(JSON.stringify(text));

/** Whether a press folds or unfolds the row, or shows more siblings. */
export const isPressable = ({ isOpen, kind }: TreeRow): boolean => isOpen !== null || kind === 'rest';

type TreeMove = { to: string } | { press: TreeRow };

/** Returns the effect of a key in a tree (ARIA practices, tree view); null if it has none. */
export function treeMove(rows: readonly TreeRow[], current: string, key: string): TreeMove | null {
  const at = rows.findIndex(({ id }) => id === current);
  const row = rows[at];
  if (!row) return rows[0] ? { to: rows[0].id } : null;
  const go = (to: TreeRow | undefined): TreeMove | null => (to && to !== row ? { to: to.id } : null);
  switch (key) {
    case 'ArrowDown':
      return go(rows[at + 1]);
    case 'ArrowUp':
      return go(rows[at - 1]);
    case 'Home':
      return go(rows[0]);
    case 'End':
      return go(rows.at(-1));
    case 'ArrowRight':
      if (row.isOpen === false) return { press: row };
      return rows[at + 1]?.parent === row.id ? go(rows[at + 1]) : null;
    case 'ArrowLeft':
      return row.isOpen === true ? { press: row } : go(rows.find(({ id }) => id === row.parent));
    case 'Enter':
    case ' ':
      return isPressable(row) ? { press: row } : null;
    default:
      return null;
  }
}

const isBelow = (pointer: string, holder: string): boolean => pointer.startsWith(`${holder}/`);

const pointerStep = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/**
 * Returns the end of a dotted path as a JSON pointer (RFC 6901) of the innermost value that exists. A name may contain
 * dots, so the longest existing name counts at each step.
 */
export function placeIn(root: unknown, path: string): { pointer: string; isThere: boolean } {
  let pointer = '';
  let value = root;
  let steps = path === '' ? [] : path.split('.');
  while (steps.length > 0) {
    if (typeof value !== 'object' || value === null) break;
    const holder: object = value;
    const taken = steps.findLastIndex((_, at) => Object.hasOwn(holder, steps.slice(0, at + 1).join('.')));
    if (taken < 0) break;
    const name = steps.slice(0, taken + 1).join('.');
    pointer += pointerStep(name);
    value = (holder as Readonly<Record<string, unknown>>)[name];
    steps = steps.slice(taken + 1);
  }
  return { pointer, isThere: steps.length === 0 };
}
