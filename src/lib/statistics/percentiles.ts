/**
 * The smallest of the values that at least this share (0 to 1) of them do not exceed: nearest rank, so always a value
 * that occurred. NaN of no values.
 */
export const percentile = (values: readonly number[], share: number): number =>
  ofSorted(
    [...values].sort((a, b) => a - b),
    share,
  );

function ofSorted(sorted: readonly number[], share: number): number {
  const rank = Math.ceil(Math.min(1, Math.max(0, share)) * sorted.length);
  return sorted[Math.max(1, rank) - 1] ?? Number.NaN;
}

/**
 * Values kept in order as they come, so that a percentile can be read at any time without sorting again.
 */
export class SortedValues {
  readonly #sorted: number[] = [];
  #sum = 0;

  get count(): number {
    return this.#sorted.length;
  }

  /** NaN while there are no values, as are the others. */
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
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] ?? 0) <= value) low = middle + 1;
      else high = middle;
    }
    this.#sorted.splice(low, 0, value);
    this.#sum += value;
  }
}
