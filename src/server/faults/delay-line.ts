import type { Clock } from '#lib/clock.ts';

/** One direction of a slow line. */
export interface LineOptions {
  clock: Clock;
  latencyMs: number;
  /** Largest further delay of a message. */
  jitterMs: number;
  /** Kilobits a second; 0 for any number of them. */
  kbps: number;
  /** Numbers in [0, 1). */
  random: () => number;
}

interface OnTheWay {
  dueMs: number;
  run: () => void;
}

/** Runs tasks later, always in their order. */
export class DelayLine {
  readonly #options: LineOptions;
  #onTheWay: OnTheWay[] = [];
  /** Everything before was sent by then. */
  #sentMs = 0;
  #lastDueMs = 0;
  #stopTimer: (() => void) | null = null;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /**
   * Runs a task when a message of this size has crossed the line. That is at once where nothing delays it.
   * @param holdMs the line stands still for this time before it
   */
  push(bytes: number, run: () => void, holdMs = 0): void {
    const { clock, latencyMs, jitterMs, kbps, random } = this.#options;
    const nowMs = clock.nowMs();
    // A kilobit a second is a bit a millisecond.
    this.#sentMs = Math.max(this.#sentMs, nowMs) + (kbps === 0 ? 0 : (bytes * 8) / kbps);
    const arrivesMs = this.#sentMs + latencyMs + random() * jitterMs;
    this.#lastDueMs = Math.max(this.#lastDueMs, arrivesMs) + holdMs;
    if (this.#onTheWay.length === 0 && this.#lastDueMs <= nowMs) {
      run();
      return;
    }
    this.#onTheWay.push({ dueMs: this.#lastDueMs, run });
    this.#waitForNext();
  }

  /** Drops everything on the way. */
  clear(): void {
    this.#onTheWay = [];
    this.#stopTimer?.();
    this.#stopTimer = null;
  }

  #waitForNext(): void {
    const [next] = this.#onTheWay;
    if (!next || this.#stopTimer) return;
    const { clock } = this.#options;
    this.#stopTimer = clock.after(Math.max(0, next.dueMs - clock.nowMs()), () => {
      this.#stopTimer = null;
      this.#runDue();
    });
  }

  #runDue(): void {
    const nowMs = this.#options.clock.nowMs();
    const due = this.#onTheWay.findIndex(({ dueMs }) => dueMs > nowMs);
    const count = due < 0 ? this.#onTheWay.length : due;
    try {
      for (let at = 0; at < count; at += 1) this.#onTheWay[at]?.run();
    } finally {
      this.#onTheWay.splice(0, count);
      this.#waitForNext();
    }
  }
}
