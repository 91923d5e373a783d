/** Where a dotted path leads in a decoded JSON value. */
export interface JsonPlace {
  /** JSON pointer (RFC 6901) of the value, or of the innermost one on the way that is there. */
  pointer: string;
  /** Pointers of all that it is in, from the root on. */
  above: readonly string[];
  /** Whether the path leads to its end. */
  isThere: boolean;
}

/** One step of a JSON pointer. */
export const pointerStep = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** A name may itself have dots in it, so of the rest of the path the longest name that is there counts. */
export function placeIn(root: unknown, path: string): JsonPlace {
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
