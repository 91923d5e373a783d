import type { ContextConfig, SessionConfig } from '#protocol/kugel/wire/multi-client.ts';
import type { MultiServerFrame, UsageObject } from '#protocol/kugel/wire/server-frames.ts';
import { DEFAULT_MODEL } from '#protocol/kugel/wire/settings.ts';
import type { EngineVoice } from '../speech/voices/voices.ts';
import { bill, roundedSeconds, ServerTurn } from './server-turn.ts';
import type { SessionOptions } from './store.ts';
import { type StartBarrier, TurnQueue } from './turn-queue.ts';

interface ContextOptions {
  id: string;
  session: SessionOptions;
  /** Settings at creation; `configure` changes them. */
  settings: SessionConfig;
  /** Settings of this context alone, fixed for its life. */
  own: ContextConfig;
  idleMs: number;
  /** Number of the context on its connection, because an id may be used again. */
  number: number;
  startBarrier: StartBarrier;
  send: (frame: MultiServerFrame) => void;
  /** Called after `context_closed` was sent. */
  ended: (context: MultiContext, why: Ending) => void;
  /** Called when generation of a turn failed. Later turns are still spoken. */
  failed: (context: MultiContext, error: unknown) => void;
}

export type Ending = 'asked' | 'inactive';

/**
 * One context of `/ws/tts/multi`, from its `context_created` to its `context_closed`. Text up to a flush is a turn.
 * Turns are spoken in order, independently of other contexts.
 */
export class MultiContext {
  readonly id: string;
  readonly #options: ContextOptions;
  readonly queue: TurnQueue;
  readonly #voice: EngineVoice | undefined;
  #settings: SessionConfig;
  #idleMs: number;
  /** Why the context ends once everything is spoken; null while it accepts text. */
  #ending: Ending | null = null;
  /** A turn that ended without a flush and therefore gets no `final`. */
  #unflushed: ServerTurn | undefined;
  #isOver = false;
  /** Audio was sent that no `final` has covered yet. */
  #owesFinal = false;
  /** Billed for the whole life of the context. */
  #hasSpoken = false;
  /** Seconds of audio sent, once the context is over. */
  audioSeconds = 0;
  #characters = 0;
  #modelId: string = DEFAULT_MODEL;
  #cancelIdleTimer: () => void = () => {};

  constructor(options: ContextOptions) {
    const { id, session, settings, own, idleMs, number, startBarrier, send } = options;
    this.id = id;
    this.#options = options;
    this.#settings = settings;
    this.#idleMs = idleMs;
    this.#voice = session.services.store.voices.current.find(own.voice_id ?? '');
    this.queue = new TurnQueue({
      session,
      context: String(number),
      startBarrier,
      send: (frame) => {
        this.#owesFinal = true;
        send({ ...frame, context_id: id });
      },
      // Generation counts as activity.
      spoken: () => this.touch(),
      finished: (turn) => this.#finish(turn),
      failed: (error) => this.#fail(error),
    });
    send({ context_created: true, context_id: id });
    this.touch();
  }

  get hasVoice(): boolean {
    return this.#voice !== undefined;
  }

  /** Accepts text. */
  get isOpen(): boolean {
    return this.#ending === null;
  }

  get isBusy(): boolean {
    return this.queue.length > 0;
  }

  /** Applies changed session settings from the next turn on (kugel-context-6). */
  configure(settings: SessionConfig, idleMs: number): void {
    this.#settings = { ...this.#settings, ...settings };
    this.#idleMs = idleMs;
  }

  /** Restarts the inactivity timer. */
  touch(): void {
    this.#cancelIdleTimer();
    if (this.#ending) return;
    this.#cancelIdleTimer = this.#options.session.connection.clock.after(this.#idleMs, () => {
      if (this.queue.isBusy) this.touch();
      else this.#end('inactive');
    });
  }

  /** Adds text. Blank text begins no turn. */
  say(text: string): void {
    if (!this.queue.open) {
      if (text.trim() === '' || !this.#begin()) return;
    }
    this.queue.add(text);
  }

  /** Ends the turn. Each flush gets its own `final`, also without text. */
  flush(): void {
    if (this.queue.open || this.#begin()) this.queue.endOpen();
    else this.#sendFinal();
  }

  /** Closes gracefully: speaks everything, then sends `final` and `context_closed`. */
  close(): void {
    if (!this.#ending) this.#end('asked');
  }

  /** Closes at once: sends `context_closed` without `final`. */
  closeNow(): void {
    this.abandon();
    this.#ending ??= 'asked';
    this.#finishEnding();
  }

  /** Barge-in: drops everything. Audio that was sent is still billed. */
  abandon(): void {
    for (const turn of this.queue.drop()) this.#bill(turn, turn.sentSeconds, turn.framer.cutter.count > 0);
    this.#owesFinal = false;
    this.#unflushed = undefined;
    this.touch();
  }

  /** Ends a closing context that has nothing left to speak. */
  endIfDone(): void {
    if (this.#ending && !this.isBusy) this.#finishEnding();
  }

  /** Drops everything without a frame. */
  stop(): void {
    this.#isOver = true;
    this.#cancelIdleTimer();
    this.queue.drop();
  }

  #begin(): boolean {
    if (!this.#voice) return false;
    const { own, session } = this.#options;
    this.queue.begin(
      new ServerTurn({
        config: { ...this.#settings, ...own },
        voice: this.#voice,
        store: session.services.store,
        contextId: this.id,
      }),
    );
    return true;
  }

  #end(why: Ending): void {
    this.#cancelIdleTimer();
    this.#ending = why;
    // A `final` comes right before every `context_closed`, unless the close is immediate.
    this.#owesFinal = true;
    this.#unflushed = this.queue.open;
    this.queue.endOpen();
    this.endIfDone();
  }

  #finish(turn: ServerTurn): void {
    this.#bill(turn, turn.audioSeconds, turn.textChunks > 0);
    // The close sends the `final` of the turn that it ended.
    if (turn !== this.#unflushed) this.#sendFinal();
    this.touch();
    this.endIfDone();
  }

  /** A failure ends this turn only. The turn is not charged and gets no `final` (kugel-error-3). */
  #fail(error: unknown): void {
    this.queue.dropFirst();
    const isLast = !this.isBusy;
    this.#owesFinal = !isLast && this.#ending !== null;
    if (isLast) this.#unflushed = undefined;
    this.#options.failed(this, error);
    this.touch();
    this.endIfDone();
  }

  #sendFinal(): void {
    this.#owesFinal = this.#ending !== null;
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
    this.audioSeconds += audioSeconds;
    this.#characters += turn.characters;
    if (!hasSpoken) return;
    this.#hasSpoken = true;
    this.#modelId = turn.config.model_id;
  }

  #usage(): UsageObject {
    return bill(this.#options.session.account, {
      audioSeconds: roundedSeconds(this.audioSeconds),
      characters: this.#characters,
      modelId: this.#modelId,
    });
  }
}
