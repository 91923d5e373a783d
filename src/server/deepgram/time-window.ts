/** Admits an amount within any time of this length. */
export class TimeWindow {
  readonly #limit: number;
  readonly #withinMs: number;
  #admitted: { atMs: number; amount: number }[] = [];

  constructor(limit: number, withinMs: number) {
    this.#limit = limit;
    this.#withinMs = withinMs;
  }

  /** Counts an amount; false, and counts nothing, where it is too much. */
  take(amount: number, nowMs: number): boolean {
    this.#admitted = this.#admitted.filter(({ atMs }) => nowMs - atMs < this.#withinMs);
    const sum = this.#admitted.reduce((total, each) => total + each.amount, amount);
    if (sum > this.#limit) return false;
    if (amount > 0) this.#admitted.push({ atMs: nowMs, amount });
    return true;
  }
}
