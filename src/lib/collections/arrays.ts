/**
 * Arrays of any length. A spread into arguments puts every value on the stack, which overflows at some 100,000 of them.
 * `npm run check` refuses such spreads (`.ci/rooms.ts`).
 */

/** Appends the items of a list to an array. */
export function addAll<T>(to: T[], more: Iterable<T>): void {
  for (const item of more) to.push(item);
}

/** Returns the largest value, at least `least`. */
export const largest = (values: Iterable<number>, least = Number.NEGATIVE_INFINITY): number =>
  extreme(values, least, Math.max);

/** Returns the smallest value, at most `most`. */
export const smallest = (values: Iterable<number>, most = Number.POSITIVE_INFINITY): number =>
  extreme(values, most, Math.min);

function extreme(values: Iterable<number>, start: number, pick: (a: number, b: number) => number): number {
  let found = start;
  for (const value of values) found = pick(found, value);
  return found;
}
