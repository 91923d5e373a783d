import type { AudioFormat } from '../../core/audio-format.ts';
import type { Dialect, DialectTraits, Intent, Settings } from '../../core/endpoint.ts';
import { TextTurns } from '../../core/flushed-turns.ts';
import type { Frame } from '../../core/frame.ts';
import {
  type Fields,
  intentReader,
  malformed,
  parseFields,
  type WithUnknown,
} from '../../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { type FluxMessage, parseFluxMessage, parseSpeakMessage, type SpeakMessage } from './client-frames.ts';
import { type ErrorFields, readWarning, type WarningFrame } from './server-frames.ts';

export const FLUSH = '{"type":"Flush"}';

/** The common part of both sockets: turns between flushes, warnings and errors. */
export abstract class SpokenDialect implements Dialect {
  abstract readonly traits: DialectTraits;
  protected readonly turns: TextTurns;
  /** The server reads nothing behind a Close. */
  protected hasClosed = false;

  constructor(format: AudioFormat) {
    this.turns = new TextTurns(format);
  }

  protected abstract flush(): void;
  protected abstract cancel(playedMs: number | undefined): Frame[];
  /** By a message, where the socket has one. */
  protected abstract configure(settings: Settings): Frame[];
  protected abstract keepAlive(): Frame[];
  protected abstract read(fields: Fields): SpeechEvent[];
  abstract confirm(what: 'cancel' | 'closeContext'): Frame[];

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'say':
        this.turns.take().text += intent.text;
        return [JSON.stringify({ type: 'Speak', text: intent.text })];
      case 'flush':
      case 'endTurn':
        this.flush();
        return [FLUSH];
      case 'cancel':
        return this.cancel(intent.playedMs);
      case 'open':
      case 'update':
        return this.configure(intent.settings);
      case 'keepAlive':
        return this.keepAlive();
      case 'disconnect':
        this.hasClosed = true;
        return ['{"type":"Close"}'];
      case 'openContext':
      case 'closeContext':
        return [];
    }
  }

  follow(intent: Intent): void {
    if (!this.hasClosed) this.encode(intent);
  }

  hasRoom(): boolean {
    return !this.hasClosed;
  }

  decode(frame: Frame): SpeechEvent[] {
    if (typeof frame !== 'string') return this.turns.audio({ bytes: frame });
    const parsed = parseFields(frame);
    if ('fields' in parsed) return this.read(parsed.fields);
    return [malformed(`expected a JSON object, got ${parsed.excerpt}`)];
  }
}

export function warningEvent(frame: WarningFrame, rest: WithUnknown): SpeechEvent {
  const { code, words } = readWarning(frame);
  const message = code === null ? words : `${code}: ${words}`;
  return { type: 'warning', context: ONLY_CONTEXT, message, endsTurn: false, ...rest };
}

/** @param ends the turn that is over with it; none for an error of the connection */
export const errorEvent = (
  { code, err_code, description, err_msg, message }: ErrorFields,
  rest: WithUnknown,
  ends?: 'newest' | 'nothing',
): SpeechEvent => ({
  type: 'error',
  context: ends === 'newest' ? ONLY_CONTEXT : null,
  message: description ?? err_msg ?? message ?? 'The server reported an error',
  name: (code ?? err_code)?.toString() ?? null,
  code: null,
  requestId: null,
  ...(ends && { ends }),
  ...rest,
});

const context = ONLY_CONTEXT;

function intentsOf(message: SpeakMessage | FluxMessage): Intent[] {
  switch (message.type) {
    case 'Speak':
      return [{ kind: 'say', context, text: message.text }];
    case 'Flush':
      return [{ kind: 'flush', context }];
    // The offset of an interrupt counts from the beginning of the session, and not of the turn.
    case 'Clear':
    case 'Interrupt':
      return [{ kind: 'cancel', context: null }];
    case 'Configure':
      return message.speed === undefined
        ? [{ kind: 'keepAlive', context }]
        : [{ kind: 'update', settings: { speed: message.speed } }];
    case 'Close':
      return [{ kind: 'disconnect' }];
  }
}

/** An empty text is ignored here, and a turn on `/v2/speak`. */
export const readSpeakIntents = intentReader(parseSpeakMessage, (message) =>
  'text' in message && message.text === '' ? [] : intentsOf(message),
);
export const readFluxIntents = intentReader(parseFluxMessage, intentsOf);
