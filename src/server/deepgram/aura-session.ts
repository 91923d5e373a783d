import { TimeWindow } from '#protocol/core/time-window.ts';
import { parseSpeakMessage, type SpeakMessage } from '#protocol/deepgram/wire/client-frames.ts';
import { EXCESSIVE_FLUSH } from '#protocol/deepgram/wire/errors.ts';
import { type SentSpeakFrame, speakWarning } from '#protocol/deepgram/wire/server-frames.ts';
import {
  MAX_TEXT_CHARS,
  MAX_WINDOW_CHARS,
  MAX_WINDOW_FLUSHES,
  WINDOW_MS,
} from '#protocol/deepgram/wire/settings.ts';
import { MAX_SPOKEN_TURN_CHARS } from '../sessions/context-speech.ts';
import type { SpeakTurn } from '../sessions/speak-turn.ts';
import { DeepgramSession, type SpeakSessionOptions } from './session.ts';

/** One connection to `/v1/speak`. A turn ends with a flush, and the server counts them. */
export class AuraSession extends DeepgramSession<SpeakMessage, SentSpeakFrame> {
  readonly #characters = new TimeWindow(MAX_WINDOW_CHARS, WINDOW_MS);
  readonly #flushes = new TimeWindow(MAX_WINDOW_FLUSHES, WINDOW_MS);
  /** Nobody knows whether both share a counter, so they are counted apart (deepgram-message-25). */
  #flushed = 0;
  #cleared = 0;

  constructor(options: SpeakSessionOptions) {
    super(options);
    const { model, uuid } = this.identity;
    this.sendFrame({ type: 'Metadata', ...model, model_uuid: uuid, additional_model_uuids: [] });
  }

  protected parse = parseSpeakMessage;

  protected unreadable(): void {
    this.fail('DATA-0000');
  }

  #say(text: string): void {
    const turn = this.openTurn ?? this.begin();
    if (turn.isTooLongWith(text)) this.failTooLong('One turn', MAX_SPOKEN_TURN_CHARS);
    else turn.say(text);
  }

  protected accept(message: Exclude<SpeakMessage, { type: 'Close' }>): void {
    const { connection, isLimited } = this.options;
    const nowMs = connection.clock.nowMs();
    switch (message.type) {
      case 'Speak': {
        const { text } = message;
        if (text.length > MAX_TEXT_CHARS) this.failTooLong('One Speak', MAX_TEXT_CHARS);
        else if (this.#characters.take(text.length, nowMs) > MAX_WINDOW_CHARS && isLimited)
          this.fail('DATA-0001');
        else if (text !== '') this.#say(text);
        return;
      }
      case 'Flush': {
        if (this.#flushes.take(1, nowMs) > MAX_WINDOW_FLUSHES && isLimited) {
          this.sendFrame(speakWarning(EXCESSIVE_FLUSH, TOO_MANY_FLUSHES));
          return;
        }
        const turn = this.openTurn ?? this.begin();
        turn.isFlushed = true;
        turn.end();
        return;
      }
      case 'Clear':
        this.drop(this.contexts);
        this.sendFrame({ type: 'Cleared', sequence_id: this.#cleared });
        this.#cleared += 1;
    }
  }

  protected ended({ isFlushed }: SpeakTurn): void {
    if (!isFlushed) return;
    this.sendFrame({ type: 'Flushed', sequence_id: this.#flushed });
    this.#flushed += 1;
  }
}

/** Words of the vendor (deepgram-error-1). */
const TOO_MANY_FLUSHES = 'Rate limit exceeded for flushes. Please try again later.';
