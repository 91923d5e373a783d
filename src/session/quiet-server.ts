import type { SessionParts } from './session.ts';
import type { Problem } from './views.ts';

/** A vendor's own client stops waiting when no frame came for this time (`facts 2.4`, JavaScript). */
const QUIET_MS = 15_000;

/**
 * Warns when a server that owes frames sends none. A browser reports no connection whose other side has vanished, and
 * has no ping. Nothing is owed while a person writes.
 */
export class QuietServer {
  readonly #parts: SessionParts;
  #sinceMs = 0;
  #stopTimer: (() => void) | null = null;
  /** Id of the warning. */
  #problem: number | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** The connection may be half open. Nothing that is sent on it is sure to arrive. */
  get isNoticed(): boolean {
    return this.#problem !== null;
  }

  /** Call when something was sent that the server answers, and once it is connected. */
  asked(): void {
    if (this.#parts.isReplay || this.#stopTimer) return;
    this.#sinceMs = this.#parts.network.nowMs();
    this.#watch(QUIET_MS);
  }

  /** Call when a frame has been handled. */
  heard(): void {
    this.#sinceMs = this.#parts.network.nowMs();
    if (this.#problem !== null) this.#parts.publisher.dismissProblems([this.#problem]);
    this.#problem = null;
    if (this.#debt() === null) this.ended();
    else this.asked();
  }

  /** Call when the connection has ended. The warning stays as the reason. */
  ended(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
    this.#problem = null;
  }

  #watch(delayMs: number): void {
    this.#stopTimer = this.#parts.network.after(delayMs, () => {
      this.#stopTimer = null;
      const debt = this.#debt();
      if (debt === null || this.isNoticed) return;
      const leftMs = this.#sinceMs + QUIET_MS - this.#parts.network.nowMs();
      if (leftMs > 0) return this.#watch(leftMs);
      this.#problem = this.#parts.publisher.problem({
        severity: 'warning',
        title: `No frame from the server for ${QUIET_MS / 1000} s`,
        ...debt,
      });
      // Only the close of the server would end this wait.
      if (this.#parts.connection.state === 'closing') this.#parts.connection.drop('nothing');
    });
  }

  /** Describes what the server has not done yet; null where it may be silent. */
  #debt(): Pick<Problem, 'turn' | 'detail' | 'remedy'> | null {
    const { connection, conversation } = this.#parts;
    if (connection.state === 'closing') {
      return { turn: null, detail: 'It did not close the connection, which was left.', remedy: null };
    }
    const turn = conversation.inFlight.find(({ isOwed }) => isOwed);
    if (turn === undefined && (connection.state !== 'open' || connection.isReady)) return null;
    return {
      turn: turn?.id ?? null,
      detail:
        'It may be slow, or it has vanished and the connection is half open, which a browser does not report.',
      remedy: turn
        ? 'Wait, or cancel the turn and speak again: that opens a new connection. The text is kept.'
        : 'Wait, or disconnect and speak again.',
    };
  }
}
