/** Sums up amounts within any time of this length. What is beyond the limit is refused and does not count. */
export class TimeWindow {
  readonly #limit: number;
  readonly #withinMs: number;
  #admitted: { atMs: number; amount: number }[] = [];

  constructor(limit: number, withinMs: number) {
    this.#limit = limit;
    this.#withinMs = withinMs;
  }

  /** Returns the sum with this amount, which is refused beyond the limit. */
  take(amount: number, nowMs: number): number {
    this.#admitted = this.#admitted.filter(({ atMs }) => nowMs - atMs < this.#withinMs);
    const sum = this.#admitted.reduce((total, each) => total + each.amount, amount);
    if (amount > 0 && sum <= this.#limit) this.#admitted.push({ atMs: nowMs, amount });
    return sum;
  }
}
