/** The end of a recording that still grows: how far it is known, and when it belongs on this machine's clock. */
export class Growth {
  /** All entries up to this time are in the recording. */
  knownToUs = 0;
  /** Wall clock of this machine at `atUs` 0, no earlier than the other end means; null until its clock is known. */
  baseMs: number | null = null;
  isOver = false;
  #waiting: (() => void)[] = [];

  /** @param baseMs as far as one message shows it, its time on the way included */
  advance(knownToUs: number, baseMs: number): void {
    this.knownToUs = Math.max(this.knownToUs, knownToUs);
    this.baseMs = Math.min(this.baseMs ?? baseMs, baseMs);
    this.#notify();
  }

  end(): void {
    this.isOver = true;
    this.#notify();
  }

  /** Resolves with the next `advance` or `end`. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
