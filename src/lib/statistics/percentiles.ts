import { bisect } from '../collections/bisect.ts';

/** Returns a percentile by nearest rank, so that it is one of the values; NaN for none. @param share 0 to 1 */
export const percentile = (values: readonly number[], share: number): number =>
  ofSorted(
    [...values].sort((a, b) => a - b),
    share,
  );

function ofSorted(sorted: readonly number[], share: number): number {
  const rank = Math.ceil(Math.min(1, Math.max(0, share)) * sorted.length);
  return sorted[Math.max(1, rank) - 1] ?? Number.NaN;
}

/** Keeps values sorted on insertion, so that percentiles need no sorting. */
export class SortedValues {
  readonly #sorted: number[] = [];
  #sum = 0;

  get count(): number {
    return this.#sorted.length;
  }

  /** NaN while there are no values, like the others. */
  get mean(): number {
    return this.#sorted.length === 0 ? Number.NaN : this.#sum / this.#sorted.length;
  }

  get largest(): number {
    return this.#sorted.at(-1) ?? Number.NaN;
  }

  percentile(share: number): number {
    return ofSorted(this.#sorted, share);
  }

  add(value: number): void {
    const place = bisect(0, this.#sorted.length, (at) => (this.#sorted[at] ?? 0) <= value);
    this.#sorted.splice(place, 0, value);
    this.#sum += value;
  }
}
