import type { AudioFormat } from '../../core/audio-format.ts';
import { CLOSE_CODES } from '../../core/close-meaning.ts';
import type { Dialect, DialectTraits, Intent, Settings } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { intentReader } from '../../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { messageSettings, parseStreamMessage } from './client-frames.ts';
import { readServerFrame, TurnReader } from './decode.ts';
import { idleMsOf } from './settings.ts';

const END = '{"text":""}';
/** Keeps a connection alive, and is never spoken. */
const SPACE = '{"text":" "}';
const FLUSH = '{"text":"","flush":true}';

/** The client's side of one connection to `stream-input`, which takes one turn: only the end of the input has an end mark. */
export class StreamDialect implements Dialect {
  readonly traits: DialectTraits;
  readonly #key: string;
  readonly #turn: TurnReader;
  #hasEndedText = false;
  #isOver = false;

  /** @param key empty for one that is in the address */
  constructor(settings: Settings, key: string, format: AudioFormat) {
    this.#key = key;
    this.#turn = new TurnReader(ONLY_CONTEXT, format);
    this.traits = traitsOf(settings, 'connection', 'none');
  }

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'open':
        return [firstMessage(intent.settings, this.#key)];
      case 'say':
        // Empty text would end the input.
        if (intent.text === '') return [];
        if (intent.text.trim() !== '') this.#turn.hasText = true;
        return [JSON.stringify({ text: intent.text })];
      case 'flush':
        return [FLUSH];
      case 'endTurn':
      case 'disconnect':
        this.#hasEndedText = true;
        return [END];
      case 'keepAlive':
        return [SPACE];
      // A person stops a turn by closing the connection. Settings do not change on it.
      case 'cancel':
      case 'update':
      case 'openContext':
      case 'closeContext':
        return [];
    }
  }

  follow(intent: Intent): void {
    this.encode(intent);
  }

  decode(frame: Frame): SpeechEvent[] {
    const read = readServerFrame(frame);
    if (read.kind === 'other') return [read.event];
    if (read.kind === 'error') return [{ ...read.event, context: null }];
    return [...this.#turn.speech(read), ...(read.isFinal ? this.#end(read.rest) : [])];
  }

  /** Some clients take the close as the end (elevenlabs-end-3). */
  closed(code: number): SpeechEvent[] {
    return code === CLOSE_CODES.normal && this.#hasEndedText ? this.#end() : [];
  }

  #end(rest = {}): SpeechEvent[] {
    if (this.#isOver) return [];
    this.#isOver = true;
    return this.#turn.end(rest);
  }
}

/** The traits of a connection under the settings of its address. */
export const traitsOf = (
  settings: Settings,
  turnEnd: DialectTraits['turnEnd'],
  cancel: DialectTraits['cancel'],
): DialectTraits => ({
  turnEnd,
  cancel,
  confirmsOpening: false,
  idleMs: idleMsOf(settings),
  maxAgeMs: null,
  budgets: [],
});

/** The first message. @param key empty for none */
export const firstMessage = (settings: Settings, key: string, fields: Settings = { text: ' ' }): string =>
  JSON.stringify({
    ...fields,
    ...messageSettings(settings),
    ...(key === '' ? {} : { xi_api_key: key }),
  });

export const readStreamIntents = intentReader(
  parseStreamMessage,
  ({ text, settings, key, flush }): Intent[] => {
    const context = ONLY_CONTEXT;
    const opens: Intent[] = settings || key !== undefined ? [{ kind: 'open', settings: settings ?? {} }] : [];
    const isBlank = opens.length > 0 && text?.trim() === '' && text !== '';
    if (text && !isBlank) opens.push({ kind: 'say', context, text });
    if (flush) return [...opens, { kind: 'flush', context }];
    // Nothing in a message shows whether it is the first one, so any message without text is the end (elevenlabs-message-40).
    return text ? opens : [...opens, { kind: 'endTurn', context }];
  },
);
