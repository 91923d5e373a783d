/** Follows the end of a growing recording: up to when it is complete, and what its times are on this machine's clock. */
export class Tail {
  /** All entries up to this time are in the recording. */
  knownToUs = 0;
  /** Wall clock of this machine at `atUs` 0, late by the shortest delay of a message so far; null before the first message. */
  baseMs: number | null = null;
  isOver = false;
  #waiting: (() => void)[] = [];

  /** @param baseMs estimate from one message, late by the delay of that message */
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
