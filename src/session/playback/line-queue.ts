import type { Listening } from '#trace/user-actions.ts';
import type { SessionTurn } from '../turns/session-turn.ts';

/** An interrupting line begins after this much of the line before it has been heard. */
const INTERRUPT_AFTER_MS = 1500;

/** A change of the playback. A hold of a line that is already heard, and a release of one that is not held, do nothing. */
export interface LineStep {
  kind: 'hold' | 'release' | 'cutOff';
  turn: SessionTurn;
}

const steps = (kind: LineStep['kind'], turns: readonly SessionTurn[]): LineStep[] =>
  turns.map((turn) => ({ kind, turn }));

/**
 * Decides the order in which lines of a script are heard. In turn, each line is held until the one before it has been
 * heard. Every change returns steps, which the owner executes when the queue has its new state.
 */
export class LineQueue {
  #listening: Listening = 'inTurn';
  #pauseMs = 0;
  /** Lines that are still to be heard, in the order of the script. */
  #lines: SessionTurn[] = [];
  readonly #interrupting = new Set<SessionTurn>();
  #dueMs: number | null = null;

  get listening(): { listening: Listening; pauseMs: number } {
    return { listening: this.#listening, pauseMs: this.#pauseMs };
  }

  /** When `advance` releases the first line; null where none waits for the end of a pause. */
  get dueMs(): number | null {
    return this.#dueMs;
  }

  /** @param interrupts the line cuts off the one before it instead of waiting for its end */
  add(turn: SessionTurn, interrupts: boolean): LineStep[] {
    const before = this.#lines.at(-1);
    this.#lines.push(turn);
    // A speaker does not cut off their own line.
    if (interrupts && before?.context !== turn.context) this.#interrupting.add(turn);
    return before && this.#listening === 'inTurn' ? steps('hold', [turn]) : [];
  }

  /** @param pauseMs between two lines that are heard in turn */
  listen(listening: Listening, pauseMs: number): LineStep[] {
    this.#pauseMs = pauseMs;
    if (this.#listening === listening) return [];
    this.#listening = listening;
    const over = this.#removeOver();
    if (listening === 'together') {
      this.#dueMs = null;
      return [...over, ...steps('release', this.#lines)];
    }
    // The last line is taken out of the ring first, because earlier lines may be queued before it.
    return [...over, ...steps('hold', this.#lines.slice(1).reverse())];
  }

  /** Moves on after a line has been heard, or has ended without being heard. */
  advance(nowMs: number, isPaused: boolean): LineStep[] {
    const over = this.#removeOver();
    const [first, second] = this.#lines;
    if (first?.heard.held) {
      this.#dueMs ??= (first.heard.afterMs ?? nowMs) + this.#pauseMs;
      if (nowMs < this.#dueMs) return over;
      this.#dueMs = null;
      return [...over, ...steps('release', [first])];
    }
    const isDue = first !== undefined && first.heard.msUntil(nowMs) >= INTERRUPT_AFTER_MS;
    // A paused line is not heard, so no other line cuts it off.
    if (!first || !second || !isReady(second) || !isDue || isPaused) return over;
    return [...over, ...this.cutOff(first, nowMs)];
  }

  /** Cuts off the first line for an interrupting line behind it. No steps where there is none. */
  cutOff(line: SessionTurn, nowMs: number): LineStep[] {
    const [first, second] = this.#lines;
    if (first !== line || !second?.heard.held || !this.#interrupting.has(second)) return [];
    second.heard.afterMs = nowMs;
    return [...this.remove([first]), ...steps('release', [second]), ...steps('cutOff', [first])];
  }

  /** Removes the lines of one context, or all (null). */
  clear(context: string | null): LineStep[] {
    return this.remove(this.#lines.filter((turn) => context === null || turn.context === context));
  }

  remove(turns: readonly SessionTurn[]): LineStep[] {
    const [first] = this.#lines;
    this.#lines = this.#lines.filter((line) => !turns.includes(line));
    for (const turn of turns) this.#interrupting.delete(turn);
    if (this.#lines[0] !== first) this.#dueMs = null;
    // A removed line must not stay held in the player.
    return steps('release', turns);
  }

  #removeOver(): LineStep[] {
    const end = this.#lines.findIndex((line) => !isOver(line));
    const over = this.#lines.slice(0, end < 0 ? undefined : end);
    const removed = this.remove(over);
    const [first] = this.#lines;
    const last = over.at(-1);
    if (last && first?.heard.held) first.heard.afterMs = last.heard.toMs;
    return removed;
  }
}

/** Nothing more of the line will be heard. */
const isOver = (turn: SessionTurn): boolean =>
  turn.heard.toMs !== null || turn.state === 'cancelled' || (turn.isOver && turn.samples === 0);

/** The line can be heard at once. */
const isReady = (turn: SessionTurn): boolean => turn.heard.targetReachedMs !== null;
