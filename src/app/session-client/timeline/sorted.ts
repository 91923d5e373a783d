import { bisect } from '#lib/collections/bisect.ts';

/** The first index in `[from, count)` whose time is `atMs` or later; `count` if none is. */
export const lowerBound = (timeOf: (at: number) => number, count: number, atMs: number, from = 0): number =>
  bisect(from, count, (at) => timeOf(at) < atMs);

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
