import type { Clock } from '#lib/clock.ts';
import type { Problem } from './views.ts';

/** A vendor's own client stops waiting when no frame came for this time (`facts 2.4`, JavaScript). */
const QUIET_MS = 15_000;

/** A frame or a close that the server owes. */
export interface Debt extends Pick<Problem, 'turn' | 'detail' | 'remedy'> {
  /** Since when the server owes it; frames that came since then count as well. */
  sinceMs: number;
}

export interface WatchdogOptions {
  clock: Clock;
  /** Null where the server may be silent. */
  debt(): Debt | null;
  /** Returns the id of the warning. */
  warn(problem: Pick<Problem, 'severity' | 'title' | 'turn' | 'detail' | 'remedy'>): number;
  dismiss(id: number): void;
  /** The warning was given. */
  warned(): void;
}

/**
 * Warns when a server that owes frames sends none. A browser reports no connection whose other side has vanished, and
 * has no ping. Nothing is owed while a person writes.
 */
export class LivenessWatchdog {
  readonly #options: WatchdogOptions;
  #heardMs = 0;
  #stopTimer: (() => void) | null = null;
  /** Id of the warning. */
  #problem: number | null = null;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  /** The connection may be half open. Nothing that is sent on it is sure to arrive. */
  get isNoticed(): boolean {
    return this.#problem !== null;
  }

  /** Call when something was sent that the server answers, and once it is connected. */
  asked(): void {
    if (!this.#stopTimer) this.#watch(QUIET_MS);
  }

  /** Call when a frame has been handled. */
  heard(): void {
    const { clock, debt, dismiss } = this.#options;
    this.#heardMs = clock.nowMs();
    if (this.#problem !== null) dismiss(this.#problem);
    this.#problem = null;
    if (debt() === null) this.ended();
    else this.asked();
  }

  /** Call when the connection has ended. The warning stays as the reason. */
  ended(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
    this.#problem = null;
  }

  #watch(delayMs: number): void {
    const { clock, warn, warned } = this.#options;
    this.#stopTimer = clock.after(delayMs, () => {
      this.#stopTimer = null;
      const debt = this.#options.debt();
      if (debt === null || this.isNoticed) return;
      const { sinceMs, ...words } = debt;
      // The timer may have begun for an earlier debt.
      const leftMs = Math.max(sinceMs, this.#heardMs) + QUIET_MS - clock.nowMs();
      if (leftMs > 0) return this.#watch(leftMs);
      this.#problem = warn({
        severity: 'warning',
        title: `No frame from the server for ${QUIET_MS / 1000} s`,
        ...words,
      });
      warned();
    });
  }
}
