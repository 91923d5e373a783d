import type { SessionParts } from './session.ts';
import type { Problem } from './views.ts';

/** A vendor's own client stops waiting when no frame came for this time (`facts 2.4`, JavaScript). */
const QUIET_MS = 15_000;

interface Debt extends Pick<Problem, 'turn' | 'detail' | 'remedy'> {
  /** Since when the server owes it; frames that came since then count as well. */
  sinceMs: number;
}

/**
 * Warns when a server that owes frames sends none. A browser reports no connection whose other side has vanished, and
 * has no ping. Nothing is owed while a person writes.
 */
export class QuietServer {
  readonly #parts: SessionParts;
  #heardMs = 0;
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
    if (!this.#parts.isReplay && !this.#stopTimer) this.#watch(QUIET_MS);
  }

  /** Call when a frame has been handled. */
  heard(): void {
    this.#heardMs = this.#parts.network.nowMs();
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
      const { sinceMs, ...words } = debt;
      // The timer may have begun for an earlier debt.
      const leftMs = Math.max(sinceMs, this.#heardMs) + QUIET_MS - this.#parts.network.nowMs();
      if (leftMs > 0) return this.#watch(leftMs);
      const title = `No frame from the server for ${QUIET_MS / 1000} s`;
      this.#problem = this.#parts.publisher.problem({ severity: 'warning', title, ...words });
      if (this.#parts.connection.state === 'closing') this.#leave();
    });
  }

  /** Ends a connection that only the close of the server would end. Text that waits for its end goes to the next one. */
  #leave(): void {
    const { connection, contexts, outbox } = this.#parts;
    const isWanted = outbox.hasUnsentTurns || contexts.hasWanted;
    connection.drop(isWanted ? 'unsent' : 'nothing');
    if (isWanted) connection.open();
  }

  /** Describes what the server has not done yet; null where it may be silent. */
  #debt(): Debt | null {
    const { connection, conversation } = this.#parts;
    const { state, sinceMs } = connection;
    if (state === 'closing') {
      const detail = 'It did not close the connection, which was left.';
      return { turn: null, sinceMs, detail, remedy: null };
    }
    const turn = conversation.owedTurn;
    if (turn === undefined && (state !== 'open' || connection.isReady)) return null;
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
}
