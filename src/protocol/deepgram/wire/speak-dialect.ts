import { CLOSE_CODES } from '../../core/close-meaning.ts';
import type { DialectTraits } from '../../core/endpoint.ts';
import type { TextTurn } from '../../core/flushed-turns.ts';
import type { Frame } from '../../core/frame.ts';
import { type Fields, readTyped } from '../../core/json-frame.ts';
import type { SpeechEvent } from '../../core/speech-event.ts';
import { errorEvent, SpokenDialect, warningEvent } from './dialect.ts';
import { EXCESSIVE_FLUSH } from './errors.ts';
import { readWarning, type SentSpeakFrame, SPEAK_FRAMES } from './server-frames.ts';
import { MAX_AGE_MS, MAX_WINDOW_CHARS, MAX_WINDOW_FLUSHES, WINDOW_MS } from './settings.ts';

const TRAITS: DialectTraits = {
  turnEnd: 'frame',
  cancel: 'confirmed',
  confirmsOpening: false,
  // No time-out for silence is documented (deepgram-limit-11).
  idleMs: null,
  maxAgeMs: MAX_AGE_MS,
  budgets: [
    { of: 'characters', amount: MAX_WINDOW_CHARS, withinMs: WINDOW_MS },
    { of: 'flushes', amount: MAX_WINDOW_FLUSHES, withinMs: WINDOW_MS },
  ],
};

/** The client's side of one connection to `/v1/speak`. Flushes are answered in order, and each ends a turn. */
export class SpeakDialect extends SpokenDialect {
  readonly traits = TRAITS;
  /** The turns before each Clear without an answer, oldest first. */
  readonly #clears: (readonly TextTurn[])[] = [];
  #cleared = 0;

  protected flush(): void {
    this.turns.take().isFlushed = true;
  }

  protected cancel(): Frame[] {
    this.#clears.push(this.turns.cancel());
    return ['{"type":"Clear"}'];
  }

  // Settings are in the address, and no message keeps a connection alive (deepgram-message-5).
  protected configure = (): Frame[] => [];
  protected keepAlive = (): Frame[] => [];

  confirm(what: 'cancel' | 'closeContext'): Frame[] {
    const cleared: SentSpeakFrame = { type: 'Cleared', sequence_id: this.#cleared };
    return what === 'cancel' ? [JSON.stringify(cleared)] : [];
  }

  /** The rest is spoken before the close, and no Flushed follows it (deepgram-end-2). */
  closed(code: number): SpeechEvent[] {
    if (code !== CLOSE_CODES.normal || !this.hasClosed) return [];
    return this.turns.all.flatMap(({ announced }) => (announced === null ? [] : this.turns.end(null, null)));
  }

  protected read(fields: Fields): SpeechEvent[] {
    const read = readTyped(SPEAK_FRAMES, fields);
    if ('event' in read) return [read.event];
    const { type, frame, rest } = read;
    switch (type) {
      case 'Flushed':
        return this.turns.end(null, null, rest);
      case 'Cleared':
        this.#cleared = frame.sequence_id + 1;
        this.turns.drop(...(this.#clears.shift() ?? []));
        return [{ type: 'interrupted', context: null, ...rest }];
      case 'Warning': {
        const { code, words: message } = readWarning(frame);
        if (code !== EXCESSIVE_FLUSH) return [warningEvent(frame, rest)];
        // The flush has no Flushed, and its text waits for the next one (deepgram-turn-15).
        this.turns.unflush();
        return [errorEvent({ code, message }, rest, 'newest')];
      }
      case 'Error':
      case 'error':
        return [errorEvent(frame, rest)];
      case 'Metadata':
        return [];
    }
  }
}
