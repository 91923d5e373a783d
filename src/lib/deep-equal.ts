/**
 * Compares plain data. Fields may come in any order, an undefined field equals a missing one, and NaN equals NaN.
 *
 * dequal is no substitute, because an undefined field differs from a missing one there, and two copies of JSON with a
 * field called `constructor` differ.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return Number.isNaN(a) && Number.isNaN(b);
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => deepEqual(item, b[at]))
    );
  }
  return containsFields(a, b) && hasNoOthers(b, a);
}

const containsFields = (a: object, b: object): boolean =>
  Object.keys(a).every((key) => deepEqual(fieldOf(a, key), fieldOf(b, key)));

const hasNoOthers = (a: object, b: object): boolean =>
  Object.keys(a).every((key) => Object.hasOwn(b, key) || fieldOf(a, key) === undefined);

/** Ignores inherited fields: data from outside may have a field called `constructor`. */
const fieldOf = (value: object, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key as keyof typeof value] : undefined;

/** Returns the previous value when both are deeply equal, so that subscribers do not render again. */
export const keepSame = <T>(now: T, before: T | undefined): T =>
  before !== undefined && deepEqual(before, now) ? before : now;
