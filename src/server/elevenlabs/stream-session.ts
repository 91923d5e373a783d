import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import {
  type ClientMessage,
  deliveryOf,
  parseStreamMessage,
} from '#protocol/elevenlabs/wire/client-frames.ts';
import type { ElevenLabsRefusal } from './access.ts';
import { ElevenLabsSession, type InputSessionOptions } from './session.ts';
import type { SpokenContext } from './spoken-context.ts';

/** Between the final frame and the close (`facts-elevenlabs 3.1.4`). */
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
    // Nothing may follow the end (`facts-elevenlabs 10.8`).
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
