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

/** Values whose percentiles are asked for while more are added. They are sorted then, once for all that are new. */
export class SortedValues {
  readonly #values: number[] = [];
  #isSorted = true;
  #sum = 0;
  #largest = Number.NEGATIVE_INFINITY;

  get count(): number {
    return this.#values.length;
  }

  /** NaN while there are no values, like the others. */
  get mean(): number {
    return this.count === 0 ? Number.NaN : this.#sum / this.count;
  }

  get largest(): number {
    return this.count === 0 ? Number.NaN : this.#largest;
  }

  percentile(share: number): number {
    // A sort of values that are sorted but for the last ones takes little more than a pass over them.
    if (!this.#isSorted) this.#values.sort((a, b) => a - b);
    this.#isSorted = true;
    return ofSorted(this.#values, share);
  }

  add(value: number): void {
    this.#isSorted &&= this.count === 0 || value >= this.#largest;
    this.#values.push(value);
    this.#largest = Math.max(this.#largest, value);
    this.#sum += value;
  }
}
