import type { Clock } from '#lib/clock.ts';

/** A program that calls again within this time is the same client. */
const GAP_MS = 60_000;

/** The calls of one client. */
export class CallCount {
  /** Calls so far, which is also the number of the newest. */
  all = 0;
  running = 0;
  failed = 0;
  readonly #clock: Pick<Clock, 'nowMs'>;
  #lastMs: number;
  #isClosed = false;

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
    this.#lastMs = clock.nowMs();
  }

  /** Whether the client has ended, so that the next call of its program begins another one. */
  get isOver(): boolean {
    return this.running === 0 && (this.#isClosed || this.#clock.nowMs() - this.#lastMs > GAP_MS);
  }

  /** @returns the number of the call */
  begin(): number {
    this.running += 1;
    this.all += 1;
    return this.all;
  }

  end(hasFailed: boolean): void {
    this.running -= 1;
    if (hasFailed) this.failed += 1;
    this.#lastMs = this.#clock.nowMs();
  }

  /** Lets no further call join. */
  close(): void {
    this.#isClosed = true;
  }
}
