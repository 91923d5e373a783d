import type { AudioFormat } from '../../core/audio-format.ts';
import { cutBase64 } from '../../core/cut-base64.ts';
import type { Frame } from '../../core/frame.ts';
import { type Fields, malformed, parseFields, readFrame, type WithUnknown } from '../../core/json-frame.ts';
import { endOfTurn, type SpeechEvent } from '../../core/speech-event.ts';
import { NO_AUDIO } from './errors.ts';
import { Segments } from './segments.ts';
import {
  type Alignment,
  contextIn,
  ERROR_FIELDS,
  ERROR_FRAME,
  readAlignment,
  SPEECH_FIELDS,
  SPEECH_FRAME,
} from './server-frames.ts';

type ErrorEvent = Extract<SpeechEvent, { type: 'error' }>;

/** A frame of the server, read. */
export type ReadFrame =
  | {
      kind: 'speech';
      context: string | null;
      base64: string | null;
      written: Alignment | null;
      normalized: Alignment | null;
      isFinal: boolean;
      problems: readonly SpeechEvent[];
      rest: WithUnknown;
    }
  | { kind: 'error'; context: string | null; event: ErrorEvent; rest: WithUnknown }
  | { kind: 'other'; event: SpeechEvent };

export function readServerFrame(frame: Frame): ReadFrame {
  if (typeof frame !== 'string') {
    return { kind: 'other', event: malformed('expected a JSON object, got a binary frame') };
  }
  const cut = cutBase64(frame, 'audio');
  if (cut) return readSpeech(cut.rest, cut.base64);
  const read = parseFields(frame);
  if (!('fields' in read)) {
    return { kind: 'other', event: malformed(`expected a JSON object, got ${read.excerpt}`) };
  }
  return readFields(read.fields);
}

export function readFields(fields: Fields): ReadFrame {
  const isOne = (name: string): boolean => Object.hasOwn(fields, name);
  if (SPEECH_FIELDS.some(isOne)) {
    return readSpeech(fields, typeof fields.audio === 'string' ? fields.audio : null);
  }
  if (ERROR_FIELDS.some(isOne)) return readError(fields);
  return { kind: 'other', event: { type: 'unknown', frame: fields } };
}

function readSpeech(fields: Fields, base64: string | null): ReadFrame {
  const read = readFrame(SPEECH_FRAME, fields);
  if ('problem' in read) return { kind: 'other', event: malformed(read.problem) };
  const { frame, rest } = read;
  const problems: SpeechEvent[] = [];
  const aligned = (name: 'alignment' | 'normalizedAlignment'): Alignment | null => {
    const result = readAlignment(frame[name]);
    if ('read' in result) return result.read;
    problems.push(malformed(`${name}: ${result.problem}`));
    return null;
  };
  return {
    kind: 'speech',
    context: contextIn(frame),
    base64: base64 === '' ? null : base64,
    written: aligned('alignment'),
    normalized: aligned('normalizedAlignment'),
    isFinal: frame.isFinal === true || frame.is_final === true,
    problems,
    rest,
  };
}

function readError(fields: Fields): ReadFrame {
  const read = readFrame(ERROR_FRAME, fields);
  if ('problem' in read) return { kind: 'other', event: malformed(read.problem) };
  const { message, error: name = null, code = null } = read.frame;
  const { rest } = read;
  const context = contextIn(read.frame);
  const event: ErrorEvent = { type: 'error', context, message, name, code, requestId: null, ...rest };
  return { kind: 'error', context, event, rest };
}

/** The server's side of one turn. */
export class TurnReader {
  readonly context: string;
  readonly #format: AudioFormat;
  readonly #segments: Segments;
  /** The client has sent something to speak. */
  hasText = false;
  /** Has text that was not flushed, which a close drops. */
  isUnflushed = false;
  #hasAudio = false;

  /** @param context as events name it */
  constructor(context: string, format: AudioFormat) {
    this.context = context;
    this.#format = format;
    this.#segments = new Segments(context);
  }

  /** The events of a frame, apart from those of a final. */
  speech({
    base64,
    written,
    normalized,
    problems,
    rest,
  }: Extract<ReadFrame, { kind: 'speech' }>): SpeechEvent[] {
    const { context } = this;
    const began = base64 || written || normalized ? this.#segments.received(written, normalized) : [];
    if (base64 === null) return [...began, ...problems];
    this.#hasAudio = true;
    const chunk = Math.max(0, this.#segments.chunk);
    return [
      ...began,
      {
        type: 'audio',
        context,
        chunk,
        index: null,
        ...this.#format,
        samples: null,
        payload: { base64 },
        ...rest,
      },
      ...problems,
    ];
  }

  /** The end of the turn. Text without audio means that the account cannot pay for it. */
  end(rest: WithUnknown = {}, mayBeSilent = false): SpeechEvent[] {
    const { context } = this;
    if (this.hasText && !this.#hasAudio && !mayBeSilent) {
      const message = 'The server ended the turn without any audio and without saying why';
      return [{ type: 'error', context, message, name: NO_AUDIO, code: null, requestId: null, ...rest }];
    }
    return [...this.#segments.end(), ...endOfTurn(context, null, rest)];
  }
}
