/**
 * Returns the first index in `[from, to)` that is not before what is searched for; `to` where all are.
 * @param isBefore true up to some index, and false from there on
 */
export function bisect(from: number, to: number, isBefore: (at: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the last place with a value not above this one, in ascending values; -1 for none. */
export const lastNotAbove = (values: readonly number[], value: number): number =>
  bisect(0, values.length, (at) => (values[at] ?? 0) <= value) - 1;
