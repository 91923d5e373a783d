/**
 * Values kept in order as they come, so that a percentile can be read at any time without sorting again.
 * Percentiles are by nearest rank: always a value that occurred, never one in between.
 */
export class SortedValues {
  readonly #sorted: number[] = [];
  #sum = 0;

  get count(): number {
    return this.#sorted.length;
  }

  /** NaN while there are no values, as are the two below. */
  get mean(): number {
    return this.#sorted.length === 0 ? Number.NaN : this.#sum / this.#sorted.length;
  }

  get largest(): number {
    return this.#sorted.at(-1) ?? Number.NaN;
  }

  /** The smallest value that at least this share (0 to 1) of all values do not exceed. */
  percentile(share: number): number {
    const rank = Math.ceil(Math.min(1, Math.max(0, share)) * this.#sorted.length);
    return this.#sorted[Math.max(1, rank) - 1] ?? Number.NaN;
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
