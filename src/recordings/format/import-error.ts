/** Where in a file something is wrong. */
export interface FilePlace {
  /** Counted from 1. */
  line: number;
  /** In UTF-16 units, counted from 1; null where the whole line is meant. */
  column: number | null;
  /** From the root of the line's value, such as `info.name` or `log.entries[3]`; empty for the root itself. */
  path: string;
}

/** Why a file from outside is not taken in. The only thing that reading one throws, whatever is in it. */
export class ImportError extends Error {
  readonly place: FilePlace;
  readonly expected: string;
  readonly found: string;

  constructor(place: FilePlace, expected: string, found: string) {
    const where = [`Line ${place.line}`];
    if (place.column !== null) where.push(`column ${place.column}`);
    if (place.path !== '') where.push(place.path);
    super(`${where.join(', ')}: expected ${expected}, found ${found}.`);
    this.name = 'ImportError';
    this.place = place;
    this.expected = expected;
    this.found = found;
  }
}

/** A path as people write it: `log.entries[3].request.url`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (PLAIN_KEY.test(String(key))) text += text === '' ? String(key) : `.${String(key)}`;
    else text += `[${JSON.stringify(shortened(String(key)))}]`;
  }
  return text;
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]{0,79}$/;
const MAX_KEY_CHARS = 40;

const shortened = (key: string): string =>
  key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key;
