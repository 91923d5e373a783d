import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import { JsonSession, type JsonSessionOptions } from './json-session.ts';
import type { SpeakTurn } from './speak-turn.ts';

/** A session without contexts: turns between flushes, spoken one after another, and a close once all have ended. */
export abstract class TurnsSession<O extends JsonSessionOptions> extends JsonSession<O> {
  /** The first one is spoken. The last one takes text, unless it is ending. */
  #turns: SpeakTurn[] = [];
  /** The client has asked for the close. */
  protected isClosing = false;

  protected started(_: SpeakTurn): void {}
  protected abstract ended(turn: SpeakTurn): void;
  /** The last words before the close that the client asked for. */
  protected leaving(): void {}

  protected get contexts(): readonly SpeakTurn[] {
    return this.#turns;
  }

  override text(message: string): void {
    if (!this.isClosing) super.text(message);
  }

  /** The turn that is spoken. */
  protected get current(): SpeakTurn | undefined {
    return this.#turns[0];
  }

  /** The turn that takes text. */
  protected get openTurn(): SpeakTurn | undefined {
    const last = this.#turns.at(-1);
    return last?.isEnding ? undefined : last;
  }

  /** Drops turns without a word. */
  protected drop(dropped: readonly SpeakTurn[]): void {
    for (const turn of dropped) turn.stop();
    this.#turns = this.#turns.filter(({ isOver }) => !isOver);
  }

  /** Starts the next turn after one has ended or was dropped. */
  protected proceed(): void {
    const [next] = this.#turns;
    if (next) this.#start(next);
    else this.#closeIfDone();
  }

  /** Adds a turn, which begins at once where no other one is spoken. */
  protected add(turn: SpeakTurn): SpeakTurn {
    this.#turns.push(turn);
    if (this.#turns.length === 1) this.#start(turn);
    return turn;
  }

  /** The first turn has sent its last frame. */
  protected finished(turn: SpeakTurn): void {
    this.#turns.shift();
    this.ended(turn);
    this.proceed();
  }

  /** Reads nothing more, speaks the rest and closes. */
  protected closeBehindTurns(): void {
    this.isClosing = true;
    this.openTurn?.end();
    this.#closeIfDone();
  }

  #start(turn: SpeakTurn): void {
    this.started(turn);
    turn.open();
  }

  #closeIfDone(): void {
    if (!this.isClosing || this.#turns.length > 0) return;
    this.leaving();
    this.close(CLOSE_CODES.normal, '');
  }
}
