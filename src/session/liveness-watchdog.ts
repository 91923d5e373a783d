import type { Clock } from '#lib/clock.ts';
import type { Publisher } from './publisher.ts';
import type { ConnectionState, Problem, TurnView } from './views.ts';

/** A vendor's own client stops waiting when no frame came for this time. */
const QUIET_MS = 15_000;

/** A frame or a close that the server owes. */
interface Debt extends Pick<Problem, 'turn' | 'detail' | 'remedy'> {
  /** Since when the server owes it; frames that came since then count as well. */
  sinceMs: number;
}

export interface WatchdogOptions {
  clock: Clock;
  publisher: Publisher;
  /** Null where the server may be silent. */
  debt(): Debt | null;
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
    const { clock, debt, publisher } = this.#options;
    this.#heardMs = clock.nowMs();
    if (this.#problem !== null) publisher.dismissProblems([this.#problem]);
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
    const { clock, publisher, warned } = this.#options;
    this.#stopTimer = clock.after(delayMs, () => {
      this.#stopTimer = null;
      const debt = this.#options.debt();
      if (debt === null || this.isNoticed) return;
      const { sinceMs, ...words } = debt;
      // The timer may have begun for an earlier debt.
      const leftMs = Math.max(sinceMs, this.#heardMs) + QUIET_MS - clock.nowMs();
      if (leftMs > 0) return this.#watch(leftMs);
      this.#problem = publisher.problem({
        severity: 'warning',
        title: `No frame from the server for ${QUIET_MS / 1000} s`,
        ...words,
      });
      warned();
    });
  }
}

/**
 * Returns what the server has not done yet; null where it may be silent.
 * @param connection the one that takes text. `isLeaving`: nothing but its close is awaited
 * @param turn the oldest turn that still needs frames of the server
 */
export function debtOf(
  {
    state,
    sinceMs,
    isReady,
    isLeaving,
  }: { state: ConnectionState; sinceMs: number; isReady: boolean; isLeaving: boolean },
  turn: Pick<TurnView, 'id' | 'flushedMs'> | undefined,
): Debt | null {
  if (isLeaving) {
    const detail = 'It did not close the connection, which was left.';
    return { turn: null, sinceMs, detail, remedy: null };
  }
  if (turn === undefined && (state !== 'open' || isReady)) return null;
  return {
    turn: turn?.id ?? null,
    sinceMs: turn ? (turn.flushedMs ?? 0) : sinceMs,
    detail:
      'It may be slow, or it has vanished and the connection is half open, which a browser does not report.',
    remedy: turn
      ? 'Wait, or cancel the turn and speak again: that opens a new connection. The text is kept.'
      : 'Wait, or disconnect and speak again.',
  };
}
