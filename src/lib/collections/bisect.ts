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
