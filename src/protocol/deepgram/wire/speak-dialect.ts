import type { AudioFormat } from '../../core/audio-format.ts';
import { CLOSE_CODES } from '../../core/close-meaning.ts';
import type { Dialect, DialectTraits, Intent } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import type { TypedFrame } from '../../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { MAX_AGE_MS, MAX_WINDOW_CHARS, MAX_WINDOW_FLUSHES, WINDOW_MS } from './client-frames.ts';
import { decodeWith, errorEvent } from './decode.ts';
import { EXCESSIVE_FLUSH } from './errors.ts';
import { readWarning, type SentSpeakFrame, SPEAK_FRAMES } from './server-frames.ts';
import { type SpokenTurn, SpokenTurns } from './turns.ts';

export const FLUSH = '{"type":"Flush"}';
export const CLOSE = '{"type":"Close"}';
export const speakFrame = (text: string): string => JSON.stringify({ type: 'Speak', text });

const TRAITS: DialectTraits = {
  turnEnd: 'frame',
  cancel: 'confirmed',
  confirmsOpening: false,
  // None is documented (`facts-deepgram 3.6`).
  idleMs: null,
  maxAgeMs: MAX_AGE_MS,
  budgets: [
    { of: 'characters', amount: MAX_WINDOW_CHARS, withinMs: WINDOW_MS },
    { of: 'flushes', amount: MAX_WINDOW_FLUSHES, withinMs: WINDOW_MS },
  ],
};

/** The client's side of one connection to `/v1/speak`. Flushes are answered in order, and each ends a turn (`facts-deepgram 3.4`). */
export class SpeakDialect implements Dialect {
  readonly traits = TRAITS;
  readonly #turns: SpokenTurns;
  /** The turns before each Clear without an answer, oldest first. */
  readonly #clears: (readonly SpokenTurn[])[] = [];
  #cleared = 0;
  #hasClosed = false;

  constructor(format: AudioFormat) {
    this.#turns = new SpokenTurns(format);
  }

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'say':
        this.#turns.say(intent.text);
        return [speakFrame(intent.text)];
      case 'flush':
      case 'endTurn':
        this.#turns.flush();
        return [FLUSH];
      case 'cancel':
        this.#clears.push(this.#turns.cancel());
        return ['{"type":"Clear"}'];
      case 'disconnect':
        this.#hasClosed = true;
        return [CLOSE];
      // Settings are in the address, and no message keeps a connection alive (`facts-deepgram 3.1.1`).
      case 'open':
      case 'openContext':
      case 'closeContext':
      case 'keepAlive':
      case 'update':
        return [];
    }
  }

  follow(intent: Intent): void {
    this.encode(intent);
  }

  confirm(what: 'cancel' | 'closeContext'): Frame[] {
    const cleared: SentSpeakFrame = { type: 'Cleared', sequence_id: this.#cleared };
    return what === 'cancel' ? [JSON.stringify(cleared)] : [];
  }

  decode(frame: Frame): SpeechEvent[] {
    return decodeWith(SPEAK_FRAMES, frame, {
      audio: (bytes) => this.#turns.audio(bytes),
      text: (read) => this.#read(read),
    });
  }

  /** The rest is spoken before the close, and no Flushed follows it (`facts-deepgram 3.5.5`). */
  closed(code: number): SpeechEvent[] {
    if (code !== CLOSE_CODES.normal || !this.#hasClosed) return [];
    return this.#turns.all.flatMap(({ announced }) =>
      announced === null ? [] : this.#turns.end(null, null),
    );
  }

  #read({ type, frame, rest }: TypedFrame<typeof SPEAK_FRAMES>): SpeechEvent[] {
    switch (type) {
      case 'Flushed':
        return this.#turns.end(null, null, rest);
      case 'Cleared':
        this.#cleared = frame.sequence_id + 1;
        this.#turns.drop(this.#clears.shift() ?? []);
        return [{ type: 'interrupted', context: null, ...rest }];
      case 'Warning': {
        const { code, words } = readWarning(frame);
        const message = code === null ? words : `${code}: ${words}`;
        if (code !== EXCESSIVE_FLUSH)
          return [{ type: 'warning', context: ONLY_CONTEXT, message, endsTurn: false, ...rest }];
        // It has no Flushed, and its text waits for the next one (`facts-deepgram 3.2.3`).
        this.#turns.unflush();
        return [
          {
            type: 'error',
            context: ONLY_CONTEXT,
            message: words,
            name: code,
            code: null,
            requestId: null,
            ends: 'newest',
            ...rest,
          },
        ];
      }
      case 'Error':
      case 'error':
        return [errorEvent(frame, rest)];
      case 'Metadata':
        return [];
    }
  }
}
