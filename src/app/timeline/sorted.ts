/** The first place in `[from, count)` whose time is `atMs` or later, by bisection; `count` where there is none. */
export function lowerBound(timeOf: (at: number) => number, count: number, atMs: number, from = 0): number {
  let low = from;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeOf(middle) < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
