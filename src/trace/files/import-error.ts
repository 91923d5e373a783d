export interface FilePlace {
  /** Counted from 1. */
  line: number;
  /** In UTF-16 units, counted from 1; null: the whole line. */
  column: number | null;
  /** From the root of the line's value, such as `info.name` or `log.entries[3]`; empty for the root itself. */
  path: string;
}

/** The only error that reading a file throws. */
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

/** Returns an error about a whole line, counted from 1. */
export const wrongLine = (line: number, expected: string, found: string): ImportError =>
  new ImportError({ line, column: null, path: '' }, expected, found);
