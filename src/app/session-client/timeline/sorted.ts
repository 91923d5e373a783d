/** The first index in `[from, count)` whose time is `atMs` or later, by bisection; `count` if none is. */
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

/** Returns the same as `lowerBound`, in steps that grow with the logarithm of the result's distance from `from`. */
export function gallop(timeOf: (at: number) => number, count: number, atMs: number, from: number): number {
  let step = 1;
  let low = from;
  while (low + step < count && timeOf(low + step - 1) < atMs) {
    low += step;
    step *= 2;
  }
  return lowerBound(timeOf, Math.min(count, low + step), atMs, low);
}
