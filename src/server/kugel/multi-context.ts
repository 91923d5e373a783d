import type { ContextConfig, SessionConfig } from '#protocol/kugel/wire/multi-client.ts';
import type { MultiServerFrame, UsageObject } from '#protocol/kugel/wire/server-frames.ts';
import { findVoice, type Voice } from '../speech/voices/voices.ts';
import { bill, roundedSeconds } from './billing.ts';
import { DEFAULT_MODEL, ServerTurn } from './server-turn.ts';
import type { SessionOptions } from './session-options.ts';
import type { StartingLine } from './starting-line.ts';
import { TurnQueue } from './turn-queue.ts';

interface ContextOptions {
  id: string;
  session: SessionOptions;
  /** As they are at its creation; later changes come through `configure`. */
  settings: SessionConfig;
  /** What it has of its own, for all its life (`facts 3.3.8`). */
  own: ContextConfig;
  idleMs: number;
  /** Tells it apart from others at the engine, so that every context has its own place there. */
  engineKey: string;
  startingLine: StartingLine;
  send: (frame: MultiServerFrame) => void;
  /** It is over, and its `context_closed` is sent. */
  ended: (context: MultiContext, why: Ending) => void;
  /** Generation of a turn failed; those behind it are spoken. */
  failed: (context: MultiContext, error: unknown) => void;
}

/** Why a context ends. */
export type Ending = 'asked' | 'inactive';

/**
 * One context of `/ws/tts/multi`, from its `context_created` to its `context_closed`. Text up to a flush is a turn;
 * turns are spoken in order, whatever other contexts do.
 */
export class MultiContext {
  readonly #options: ContextOptions;
  readonly #queue: TurnQueue;
  readonly #voice: Voice | undefined;
  #settings: SessionConfig;
  #idleMs: number;
  /** Why it ends as soon as everything is spoken; null while it takes text. */
  #ending: Ending | null = null;
  /** A turn that was ended without a flush, for which there is no `final`. */
  #unflushed: ServerTurn | undefined;
  #isOver = false;
  /** Something was spoken for which there was no `final` yet. */
  #owesFinal = false;
  /** What is billed: all of its life (`facts 3.3.11`). */
  #hasSpoken = false;
  #audioSeconds = 0;
  #characters = 0;
  #modelId: string = DEFAULT_MODEL;
  #cancelIdleTimer: () => void = () => {};

  constructor(options: ContextOptions) {
    const { id, session, settings, own, idleMs, engineKey, startingLine, send } = options;
    this.#options = options;
    this.#settings = settings;
    this.#idleMs = idleMs;
    this.#voice = findVoice(own.voice_id ?? '');
    this.#queue = new TurnQueue({
      connection: session.connection,
      engine: session.engine,
      engineKey,
      startingLine,
      send: (frame) => {
        this.#owesFinal = true;
        send({ ...frame, context_id: id });
      },
      // Generation counts as activity (`facts 10`, 16).
      spoken: () => this.touch(),
      finished: (turn) => this.#finish(turn),
      failed: (error) => this.#fail(error),
    });
    send({ context_created: true, context_id: id });
    this.touch();
  }

  get id(): string {
    return this.#options.id;
  }

  get hasVoice(): boolean {
    return this.#voice !== undefined;
  }

  /** Whether text is still taken. */
  get isOpen(): boolean {
    return this.#ending === null;
  }

  /** Whether text would begin another turn. */
  get isBetweenTurns(): boolean {
    return this.#queue.open === undefined;
  }

  get waitingTurns(): number {
    return this.#queue.length;
  }

  get unspokenCharacters(): number {
    return this.#queue.unspokenCharacters;
  }

  /** Audio that it has sent, once it is over. */
  get audioSeconds(): number {
    return this.#audioSeconds;
  }

  /** Session-level settings changed; they apply from its next turn on (decision 7). */
  configure(settings: SessionConfig, idleMs: number): void {
    this.#settings = { ...this.#settings, ...settings };
    this.#idleMs = idleMs;
  }

  /** Something happened here: the time of inactivity begins anew (`facts 3.3.3`, `3.3.4`). */
  touch(): void {
    this.#cancelIdleTimer();
    if (this.#ending) return;
    this.#cancelIdleTimer = this.#options.session.connection.clock.after(this.#idleMs, () => {
      if (this.#queue.isBusy) this.touch();
      else this.#end('inactive');
    });
  }

  /** Blank text begins nothing (`facts 3.3.6`). */
  say(text: string): void {
    if (!this.#queue.open) {
      if (text.trim() === '' || !this.#begin()) return;
    }
    this.#queue.add(text);
  }

  /** Each one is answered by a `final` of its own, also where there is nothing to speak. */
  flush(): void {
    if (this.#queue.open || this.#begin()) this.#queue.endOpen();
    else this.#sendFinal();
  }

  /** Ends as `facts 3.3.11` has it: everything is spoken, then `final`, then `context_closed`. */
  close(): void {
    if (!this.#ending) this.#end('asked');
  }

  /** `facts 3.3.12`: nothing more is spoken, there is no `final`, and `context_closed` follows at once. */
  closeNow(): void {
    this.abandon();
    this.#ending ??= 'asked';
    this.#finishEnding();
  }

  /** Barge-in: everything is dropped; what was sent of it is billed all the same. */
  abandon(): void {
    for (const turn of this.#queue.drop()) this.#bill(turn, turn.sentSeconds, turn.framer.count > 0);
    this.#owesFinal = false;
    this.#unflushed = undefined;
    this.touch();
  }

  /** Ends it now where it was closing, and nothing is left to speak. */
  endIfDone(): void {
    if (this.#ending && this.#queue.length === 0) this.#finishEnding();
  }

  /** The client is gone. */
  forget(): void {
    this.#isOver = true;
    this.#cancelIdleTimer();
    this.#queue.drop();
  }

  #begin(): boolean {
    if (!this.#voice) return false;
    this.#queue.begin(new ServerTurn({ ...this.#settings, ...this.#options.own }, this.#voice, this.id));
    return true;
  }

  #end(why: Ending): void {
    this.#cancelIdleTimer();
    this.#ending = why;
    // On a graceful close there is a final in any case (seed); without anyone asking, only where one is missing.
    if (why === 'asked') this.#owesFinal = true;
    this.#unflushed = this.#queue.open;
    this.#queue.endOpen();
    this.endIfDone();
  }

  #finish(turn: ServerTurn): void {
    this.#bill(turn, turn.audioSeconds, turn.textChunks > 0);
    // The final of a turn that the close has ended is that of the close.
    if (turn !== this.#unflushed) this.#sendFinal();
    this.touch();
    this.endIfDone();
  }

  /** It ends the turn, of which nothing is charged and for which there is no `final`, and no other (decision 2.11). */
  #fail(error: unknown): void {
    this.#queue.dropFirst();
    const isLast = this.#queue.length === 0;
    this.#owesFinal = !isLast && this.#ending === 'asked';
    if (isLast) this.#unflushed = undefined;
    this.#options.failed(this, error);
    this.touch();
    this.endIfDone();
  }

  #sendFinal(): void {
    this.#owesFinal = this.#ending === 'asked';
    this.#options.send({ final: true, context_id: this.id });
  }

  #finishEnding(): void {
    if (this.#isOver || !this.#ending) return;
    this.#isOver = true;
    this.#cancelIdleTimer();
    if (this.#owesFinal) this.#options.send({ final: true, context_id: this.id });
    this.#options.send({
      context_closed: true,
      context_id: this.id,
      ...(this.#hasSpoken ? { usage: this.#usage() } : {}),
    });
    this.#options.ended(this, this.#ending);
  }

  #bill(turn: ServerTurn, audioSeconds: number, hasSpoken: boolean): void {
    this.#audioSeconds += audioSeconds;
    this.#characters += turn.characters;
    if (!hasSpoken) return;
    this.#hasSpoken = true;
    this.#modelId = turn.modelId;
  }

  #usage(): UsageObject {
    return bill(this.#options.session.account, {
      audioSeconds: roundedSeconds(this.#audioSeconds),
      characters: this.#characters,
      modelId: this.#modelId,
    });
  }
}
