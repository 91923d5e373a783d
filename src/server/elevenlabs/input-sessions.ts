import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import {
  type ClientMessage,
  deliveryOf,
  parseMultiMessage,
  parseStreamMessage,
} from '#protocol/elevenlabs/wire/client-frames.ts';
import { errorFrame } from '#protocol/elevenlabs/wire/errors.ts';
import { MAX_CONTEXTS } from '#protocol/elevenlabs/wire/settings.ts';
import type { IdleTimer } from '../sessions/json-session.ts';
import type { ElevenLabsRefusal } from './access.ts';
import { ElevenLabsSession, type InputSessionOptions } from './session.ts';
import type { SpokenContext } from './spoken-context.ts';

/** Between the final frame and the close (elevenlabs-end-2). */
const FINAL_CLOSE_MS = 750;

/** One connection to `stream-input`: one text, up to an empty one. */
export class StreamInputSession extends ElevenLabsSession {
  #context: SpokenContext | null = null;
  #delivery: string | null = null;

  constructor(options: InputSessionOptions) {
    super(options, parseStreamMessage);
  }

  protected get contexts(): readonly SpokenContext[] {
    return this.#context ? [this.#context] : [];
  }

  protected accept(message: ClientMessage): void {
    const { text, flush, tryTrigger, settings } = message;
    const isFirst = this.#context === null;
    if (isFirst) this.#delivery = deliveryOf(message);
    this.#context ??= this.createContext(null, settings);
    // What follows the end is ignored.
    if (this.#context.isEnding || this.refusesDelivery(this.#delivery, message)) return;
    if (text) this.say(this.#context, text);
    if (this.isOver) return;
    if (flush) this.#context.flush();
    else if (text === '' || (isFirst && text === undefined)) this.#context.end('speak');
    else if (tryTrigger) this.#context.trigger();
  }

  protected finished(): void {
    this.close(CLOSE_CODES.normal, '', FINAL_CLOSE_MS);
  }

  protected unpaid(_: SpokenContext, refusal: ElevenLabsRefusal): void {
    this.fail(refusal);
  }
}

const TOO_MANY_CONTEXTS: ElevenLabsRefusal = {
  error: 'max_active_conversations',
  message: `Maximum simultaneous contexts per WebSocket connection exceeded (${MAX_CONTEXTS}). Please close an existing context before opening a new one.`,
};

interface OpenContext {
  speech: SpokenContext;
  /** Of its first message. */
  delivery: string | null;
  idle: IdleTimer;
  /** Of its last message with text. */
  touchedMs: number;
}

/** One connection to `multi-stream-input`: up to five contexts, which speak independently of one another. */
export class MultiInputSession extends ElevenLabsSession {
  /** Also those that are closing, which keep their places until their final frame. */
  readonly #contexts = new Map<string | null, OpenContext>();
  #touchedMs = 0;
  /** The client has asked for the close. */
  #isClosing = false;

  constructor(options: InputSessionOptions) {
    super(options, parseMultiMessage);
  }

  protected get contexts(): readonly SpokenContext[] {
    return [...this.#contexts.values()].map(({ speech }) => speech);
  }

  protected accept(message: ClientMessage): void {
    if (this.#isClosing) return;
    const { text, context: id, flush, tryTrigger, closeContext, closeSocket } = message;
    if (text !== undefined) this.#touchedMs = this.options.connection.clock.nowMs();
    if (closeSocket) {
      this.#closeAll();
      return;
    }
    const known = this.#contexts.get(id);
    if (closeContext) {
      if (known) this.#closeContext(known, 'drop');
      return;
    }
    if (known && this.refusesDelivery(known.delivery, message)) return;
    const context = known ?? (opensContext(message) ? this.#open(message) : null);
    // Text for a closing context is ignored (elevenlabs-end-8).
    if (!context || context.speech.isEnding) return;
    if (text !== undefined) {
      context.touchedMs = this.#touchedMs;
      context.idle.touch();
    }
    if (text) this.say(context.speech, text);
    if (this.isOver) return;
    if (flush) context.speech.flush();
    else if (tryTrigger) context.speech.trigger();
  }

  #open(message: ClientMessage): OpenContext | null {
    const { context: id, settings } = message;
    if (this.#contexts.size >= MAX_CONTEXTS) {
      this.fail(TOO_MANY_CONTEXTS, id);
      return null;
    }
    const speech = this.createContext(id, settings);
    const opened: OpenContext = {
      speech,
      delivery: deliveryOf(message),
      touchedMs: this.#touchedMs,
      idle: this.idleTimer(
        this.idleMs,
        () => speech.isBusy,
        () => this.#timeOut(opened),
      ),
    };
    this.#contexts.set(id, opened);
    return opened;
  }

  /** @param rest text that no flush has covered, which `close_context` drops (elevenlabs-context-7) */
  #closeContext({ speech, idle }: OpenContext, rest: 'speak' | 'drop'): void {
    idle.stop();
    if (speech.isOver) this.#contexts.delete(speech.id);
    else speech.end(rest);
  }

  /** Speaks what is buffered, with a final frame for each context, then closes (elevenlabs-context-12). */
  #closeAll(): void {
    this.#isClosing = true;
    for (const context of [...this.#contexts.values()]) this.#closeContext(context, 'speak');
    this.#closeIfDone();
  }

  /** An idle context beside busy ones loses its place. A silent socket is closed as a whole (elevenlabs-limit-9). */
  #timeOut({ speech, idle, touchedMs }: OpenContext): void {
    if (this.#touchedMs === touchedMs) return;
    idle.stop();
    const { error, message } = this.timedOut;
    this.#contexts.delete(speech.id);
    if (speech.isOver) return;
    this.options.meter.refused(error);
    this.send(JSON.stringify(errorFrame(error, message, speech.id)));
    speech.stop();
  }

  protected finished(context: SpokenContext): void {
    // One that ended unasked keeps its place until the client closes it, so that it ends once (elevenlabs-bill-5).
    if (context.isSilent && !this.#isClosing) return;
    this.#contexts.get(context.id)?.idle.stop();
    this.#contexts.delete(context.id);
    if (this.#isClosing) this.#closeIfDone();
  }

  /** Answers with a final frame alone, and with no error (elevenlabs-bill-1). */
  protected unpaid(context: SpokenContext): void {
    context.silence();
  }

  #closeIfDone(): void {
    if (this.#contexts.size === 0) this.close(CLOSE_CODES.normal, '');
  }
}

/** Whether a message creates its context: a keep-alive without an id does not (elevenlabs-context-11). */
const opensContext = ({ context, text, flush, settings }: ClientMessage): boolean =>
  Boolean(text) || flush || settings !== undefined || (context !== null && text === '');
