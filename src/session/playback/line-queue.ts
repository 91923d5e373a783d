import type { Listening } from '#recordings/format/user-actions.ts';
import type { SessionEnvironment } from '../environment.ts';
import type { Turn } from '../turns/turn.ts';
import type { Playback } from './playback.ts';

/** An interrupting line begins after this much of the line before it has been heard. */
const INTERRUPT_AFTER_MS = 1500;

type QueuePlayer = Pick<Playback, 'hold' | 'release' | 'bargeIn' | 'isPaused'>;

/** The order in which lines of a script are heard. In turn, each line is held until the one before it has been heard. */
export class LineQueue {
  readonly #environment: SessionEnvironment;
  readonly #player: QueuePlayer;
  #listening: Listening = 'inTurn';
  #pauseMs = 0;
  /** Lines that are still to be heard, in the order of the script. */
  #lines: Turn[] = [];
  readonly #held = new Set<Turn>();
  readonly #interrupting = new Set<Turn>();
  #callOff: (() => void) | null = null;

  constructor(environment: SessionEnvironment, player: QueuePlayer) {
    this.#environment = environment;
    this.#player = player;
  }

  get listening(): { listening: Listening; pauseMs: number } {
    return { listening: this.#listening, pauseMs: this.#pauseMs };
  }

  /** @param interrupts the line cuts off the one before it instead of waiting for its end */
  add(turn: Turn, interrupts: boolean): void {
    const before = this.#lines.at(-1);
    this.#lines.push(turn);
    // A speaker does not cut off their own line.
    if (interrupts && before?.context !== turn.context) this.#interrupting.add(turn);
    if (this.#listening === 'inTurn' && this.#lines.length > 1) this.#hold(turn);
  }

  /** @param pauseMs between two lines that are heard in turn */
  listen(listening: Listening, pauseMs: number): void {
    this.#pauseMs = pauseMs;
    if (this.#listening === listening) return;
    this.#listening = listening;
    this.advance();
    if (listening === 'together') {
      this.#callOff?.();
      this.#callOff = null;
      for (const turn of [...this.#held]) this.#release(turn);
    } else {
      // The last line is taken out of the ring first, because earlier lines may be queued before it.
      for (const turn of this.#lines.slice(1).reverse()) this.#hold(turn);
    }
  }

  /** Moves on after a line has been heard, or has ended without being heard. */
  advance(): void {
    let last: Turn | null = null;
    for (let line = this.#lines[0]; line && isOver(line); line = this.#lines[0]) {
      last = line;
      this.#drop(line);
    }
    const [first, second] = this.#lines;
    if (first && this.#held.has(first)) {
      if (last) first.afterMs = last.heardToMs;
      this.#releaseAfter(first, this.#pauseMs);
    } else if (second && this.#interrupting.has(second) && this.#held.has(second) && isReady(second)) {
      // A paused line is not heard, so no other line cuts it off.
      if (this.#player.isPaused) return;
      const heardFromMs = first?.heardFromMs ?? null;
      if (first && heardFromMs !== null && this.#environment.nowMs() >= heardFromMs + INTERRUPT_AFTER_MS) {
        this.cutOff(first);
      }
    }
  }

  /** Cuts off the first line for an interrupting line behind it. Returns false where there is none. */
  cutOff(line: Turn): boolean {
    const [first, second] = this.#lines;
    if (first !== line || !second || !this.#interrupting.has(second) || !this.#held.has(second)) return false;
    second.afterMs = this.#environment.nowMs();
    // Both lines leave their old state first, because `bargeIn` calls `advance` again.
    this.#drop(first);
    this.#release(second);
    this.#player.bargeIn(first);
    return true;
  }

  /** Removes the lines of one context, or all (null). */
  clear(context: string | null): void {
    for (const turn of [...this.#lines]) {
      if (context === null || turn.context === context) this.#drop(turn);
    }
    this.advance();
  }

  skip(turn: Turn): void {
    if (this.#lines.includes(turn)) this.#drop(turn);
  }

  #hold(turn: Turn): void {
    if (this.#held.has(turn) || !this.#player.hold(turn)) return;
    this.#held.add(turn);
    turn.held = true;
  }

  #release(turn: Turn): void {
    this.#held.delete(turn);
    turn.held = false;
    turn.releasedMs = this.#environment.nowMs();
    this.#player.release(turn);
  }

  #releaseAfter(turn: Turn, pauseMs: number): void {
    if (this.#callOff) return;
    const dueMs = (turn.afterMs ?? this.#environment.nowMs()) + pauseMs;
    this.#callOff = this.#environment.after(Math.max(0, dueMs - this.#environment.nowMs()), () => {
      this.#callOff = null;
      // The line may have been removed, or released by a change of listening.
      if (this.#lines[0] === turn && this.#held.has(turn)) this.#release(turn);
      else this.advance();
    });
  }

  #drop(turn: Turn): void {
    this.#lines = this.#lines.filter((other) => other !== turn);
    // A removed line must not stay held in the player.
    if (this.#held.delete(turn)) this.#player.release(turn);
    turn.held = false;
    this.#interrupting.delete(turn);
  }
}

/** Nothing more of the line will be heard. */
const isOver = (turn: Turn): boolean =>
  turn.heardToMs !== null || turn.state === 'cancelled' || (turn.isOver && turn.samples === 0);

/** The line can be heard at once. */
const isReady = (turn: Turn): boolean => turn.floorReachedMs !== null;
