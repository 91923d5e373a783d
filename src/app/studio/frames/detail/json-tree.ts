import { count, counted, bytes as sizeOf } from '#lib/format.ts';
import { DATA_CHARS, isBase64, readable } from './readable.ts';

/** A decoded JSON value as rows of a tree, with its keyboard moves. Folded values have no rows. */

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

export interface TreeState {
  /** Rows that are not in their initial state. */
  toggled: ReadonlySet<string>;
  /** Entries shown of a list or an object, where it is not the first page. */
  shown: ReadonlyMap<string, number>;
}

const INITIAL_TREE: TreeState = { toggled: new Set(), shown: new Map() };

/** Longer texts are cut until unfolded. */
const MAX_TEXT_CHARS = 120;
const PAGE = 100;
/** Levels that are open initially: the frame, and its fields if these are short. */
const OPEN_LEVELS = 2;
const MAX_OPEN_ENTRIES = 12;

export function treeRows(root: unknown, state: TreeState = INITIAL_TREE): TreeRow[] {
  const rows: TreeRow[] = [];
  add(rows, state, root, { id: '', parent: null, level: 1, place: 1, siblings: 1, name: null });
  return rows;
}

const opensFirst = (level: number, entries: number): boolean =>
  level === 1 || (level <= OPEN_LEVELS && entries <= MAX_OPEN_ENTRIES);

/** Returns the initial state of the tree, with the rows unfolded that lead to these values. */
export function revealing(root: unknown, paths: readonly string[]): TreeState {
  const toggled = new Set<string>();
  const shown = new Map<string, number>();
  for (const path of paths) {
    const { pointer, above } = placeIn(root, path);
    const steps = [...above.slice(1), ...(above.length > 0 ? [pointer] : [])];
    let value = root;
    for (const [at, holder] of above.entries()) {
      if (typeof value !== 'object' || value === null) break;
      const entries = Object.entries(value);
      const place = entries.findIndex(([name]) => holder + pointerStep(name) === steps[at]);
      if (!opensFirst(at + 1, entries.length)) toggled.add(holder);
      if (place >= PAGE) shown.set(holder, Math.max(shown.get(holder) ?? PAGE, place + 1));
      value = entries[place]?.[1];
    }
  }
  return { toggled, shown };
}

const LEAF = { note: '', isOpen: null, whole: null };
type Place = Omit<TreeRow, 'kind' | 'value' | keyof typeof LEAF>;

function add(rows: TreeRow[], state: TreeState, value: unknown, place: Place): void {
  const isToggled = state.toggled.has(place.id);
  if (typeof value === 'string') {
    rows.push({ ...place, ...textRow(value, isToggled) });
    return;
  }
  if (typeof value !== 'object' || value === null) {
    rows.push({ ...place, ...LEAF, kind: 'figure', value: String(value) });
    return;
  }
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  const isOpen = entries.length === 0 ? null : opensFirst(place.level, entries.length) !== isToggled;
  rows.push({
    ...place,
    kind: isList ? 'list' : 'object',
    value: isOpen === true ? '' : isList ? (isOpen === null ? '[]' : '[…]') : isOpen === null ? '{}' : '{…}',
    note: isList ? counted(entries.length, 'entry', 'entries') : counted(entries.length, 'key'),
    isOpen,
    whole: null,
  });
  if (isOpen !== true) return;
  const shown = Math.min(entries.length, state.shown.get(place.id) ?? PAGE);
  const siblings = entries.length > shown ? shown + 1 : shown;
  const inside = { parent: place.id, level: place.level + 1, siblings };
  for (const [at, [name, child]] of entries.slice(0, shown).entries()) {
    const id = `${place.id}${pointerStep(name)}`;
    add(rows, state, child, { ...inside, id, place: at + 1, name });
  }
  if (siblings === shown) return;
  rows.push({
    ...inside,
    id: `${place.id}/…`,
    place: siblings,
    name: null,
    ...LEAF,
    kind: 'rest',
    value: `show ${Math.min(PAGE, entries.length - shown)} more`,
    note: `${count(entries.length - shown)} not shown`,
  });
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
      ? `${length}, ${sizeOf(Math.floor((text.replace(/=+$/, '').length * 3) / 4))} in base64`
      : length,
    isOpen,
    whole: isOpen ? quoted(text) : null,
  };
}

const quoted = (text: string): string => readable(JSON.stringify(text));

/** Returns the state after a press on a row: it folds, unfolds, or shows more siblings. */
export function pressed(state: TreeState, row: TreeRow): TreeState {
  if (row.kind === 'rest') {
    const of = row.parent ?? '';
    const shown = new Map(state.shown);
    return { ...state, shown: shown.set(of, (shown.get(of) ?? PAGE) + PAGE) };
  }
  if (row.isOpen === null) return state;
  const toggled = new Set(state.toggled);
  if (!toggled.delete(row.id)) toggled.add(row.id);
  return { ...state, toggled };
}

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
      return row.isOpen !== null || row.kind === 'rest' ? { press: row } : null;
    default:
      return null;
  }
}

const pointerStep = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/**
 * Returns the end of a dotted path as a JSON pointer (RFC 6901) of the innermost value that exists, with the pointers of
 * the values around it, from the root on. A name may contain dots, so the longest existing name counts at each step.
 */
export function placeIn(root: unknown, path: string) {
  const above: string[] = [];
  let pointer = '';
  let value = root;
  let steps = path === '' ? [] : path.split('.');
  while (steps.length > 0) {
    if (typeof value !== 'object' || value === null) break;
    const holder: object = value;
    const taken = steps.findLastIndex((_, at) => Object.hasOwn(holder, steps.slice(0, at + 1).join('.')));
    if (taken < 0) break;
    const name = steps.slice(0, taken + 1).join('.');
    above.push(pointer);
    pointer += pointerStep(name);
    value = (holder as Readonly<Record<string, unknown>>)[name];
    steps = steps.slice(taken + 1);
  }
  return { pointer, above, isThere: steps.length === 0 };
}
