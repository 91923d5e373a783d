import type { AudioFormat } from '../../core/audio-format.ts';
import type { Dialect, DialectTraits, Intent, Settings } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { intentReader, type WithUnknown } from '../../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { speakerOf, type WireContext, WireContexts, wireIdOf } from '../../core/wire-contexts.ts';
import { parseRequest, requestSettings } from './client-frames.ts';
import { ContextReader, type RunningTurn } from './context-reader.ts';
import { IDLE_CONNECTION_MS } from './errors.ts';
import { doneFrame, errorEvent, type ReadFrame, readServerFrame } from './server-frames.ts';
import { audioFormatOf, MAX_CONTEXTS, type Version, versionOf } from './settings.ts';
import { hasWord, sendableText } from './words.ts';

type OwnContext = WireContext<ContextReader>;

/** A context without an id does not exist, so that of the speaker without a name has a number. */
const idOf = (speaker: string, count: number): string => wireIdOf(speaker, count) || '~1';

/**
 * The client's side of one connection. A speaker of the session lasts, and each of its turns is another context on the
 * wire. The server may end a context before its text: the turn is over then, unless text was on its way, which is sent again
 * on another context (cartesia-context-12).
 */
export class CartesiaDialect implements Dialect {
  readonly traits: DialectTraits = {
    turnEnd: 'frame',
    cancel: 'unconfirmed',
    confirmsOpening: false,
    idleMs: IDLE_CONNECTION_MS,
    maxAgeMs: null,
    budgets: [],
  };
  readonly #version: Version;
  readonly #format: AudioFormat;
  /** Ids are not used again (cartesia-context-1). */
  readonly #contexts: WireContexts<ContextReader>;
  #session: Settings;
  /** Of speakers. */
  readonly #settings = new Map<string, Settings>();
  /** Text of speakers that cannot be sent alone. */
  readonly #held = new Map<string, string>();
  /** Turns of speakers whose context has ended, with the text that is to be sent again. */
  readonly #going = new Map<string, { turn: RunningTurn; text: string }>();

  constructor(settings: Settings, format: AudioFormat) {
    this.#session = settings;
    this.#version = versionOf(settings);
    this.#format = format;
    this.#contexts = new WireContexts((speaker) => this.#reader(speaker), { idOf, areReused: false });
  }

  hasRoom(speaker: string): boolean {
    const live = this.#contexts.all.filter(({ isCancelled, isLeft }) => !isCancelled && !isLeft);
    if (live.some((context) => context.speaker === speaker && context.isClosed)) return false;
    return this.#contexts.open(speaker) !== undefined || live.length < MAX_CONTEXTS;
  }

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'open':
      case 'update':
        this.#session = { ...(intent.kind === 'update' ? this.#session : {}), ...intent.settings };
        return [];
      case 'openContext':
        this.#settings.set(intent.context, intent.settings);
        return [];
      case 'say':
        return this.#say(intent);
      case 'flush': {
        const open = this.#contexts.open(intent.context);
        open?.reader.flushed();
        return open ? [this.#request(open, { transcript: '', continue: true, flush: true })] : [];
      }
      case 'endTurn':
        return this.#endTurn(intent.context);
      case 'closeContext':
        return intent.immediate ? this.#cancel(intent.context) : this.#endTurn(intent.context);
      case 'cancel':
        return this.#cancel(intent.context);
      // No message keeps a context or a connection alive, or closes one (cartesia-limit-4).
      case 'keepAlive':
      case 'disconnect':
        return [];
    }
  }

  follow(intent: Intent): void {
    switch (intent.kind) {
      case 'say': {
        const { context, text, opens } = intent;
        if (opens) this.#settings.set(context, opens);
        (this.#contexts.open(context) ?? this.#contexts.begin(context, true)).reader.said(text);
        break;
      }
      case 'flush':
        this.#contexts.open(intent.context)?.reader.flushed();
        break;
      case 'endTurn': {
        const open = this.#contexts.open(intent.context);
        if (open) open.isClosed = true;
        break;
      }
      case 'cancel':
        for (const context of this.#contexts.running(intent.context)) context.isCancelled = true;
        break;
    }
  }

  replies(): Frame[] {
    return [...this.#going].map(([speaker, { text }]) => this.#send(this.#contexts.begin(speaker), text));
  }

  confirm(_what: 'cancel' | 'closeContext', context: string | null): Frame[] {
    return context === null ? [] : [JSON.stringify(doneFrame(context))];
  }

  decode(frame: Frame): SpeechEvent[] {
    const read = readServerFrame(frame);
    if ('event' in read) return [read.event];
    const { context_id: id } = read.frame;
    // Only an error may be one of the whole connection (cartesia-error-5).
    if (read.type === 'error' && !id) return [errorEvent(read, null)];
    const ends = read.type === 'done' || read.type === 'error';
    const answered = this.#contexts.answered(id ?? '', ends);
    if (!answered) return [];
    const { context, older } = answered;
    return [...older.flatMap(({ reader }) => reader.end()), ...this.#read(context, read)];
  }

  #read(context: OwnContext, read: ReadFrame): SpeechEvent[] {
    const { reader, speaker } = context;
    switch (read.type) {
      case 'chunk':
        return reader.audio(read.frame.data, read.frame.flush_id ?? null, read.rest);
      case 'timestamps': {
        const { words, ...times } = read.frame.word_timestamps;
        return reader.words(words, times, read.frame.flush_id ?? null, read.rest);
      }
      case 'phoneme_timestamps': {
        const { phonemes, ...times } = read.frame.phoneme_timestamps;
        return reader.phonemes(phonemes, times, read.frame.flush_id ?? null, read.rest);
      }
      // Sources disagree whether the text was generated by then (cartesia-chunk-5).
      case 'flush_done':
        return [];
      case 'error':
        return [errorEvent(read, speaker), ...this.#closed(context, false)];
      case 'done':
        return this.#done(context, read.rest);
    }
  }

  #done(context: OwnContext, rest: WithUnknown): SpeechEvent[] {
    const { reader, speaker, isClosed, isCancelled } = context;
    const isUnasked = !isClosed && !isCancelled && reader.hasText;
    const text = isUnasked ? reader.takeUnspoken() : '';
    if (!hasWord(text)) return [...reader.end(rest), ...this.#closed(context, isUnasked)];
    // An error follows for the text, of a context that is over.
    this.#going.set(speaker, { turn: reader.turn, text });
    return reader.leave(rest);
  }

  #closed(context: OwnContext, timedOut: boolean): SpeechEvent[] {
    const events = this.#contexts.closed(context, timedOut);
    if (events.length > 0 && !context.isCancelled) this.#held.delete(context.speaker);
    return events;
  }

  #say({ context: speaker, text, opens }: Extract<Intent, { kind: 'say' }>): Frame[] {
    if (opens) this.#settings.set(speaker, opens);
    const open = this.#contexts.open(speaker);
    const { sent, held } = sendableText(this.#taken(speaker) + text, open === undefined);
    this.#held.set(speaker, held);
    return sent === '' ? [] : [this.#send(open ?? this.#contexts.begin(speaker), sent)];
  }

  /** Without anything speakable the server refuses the text, which ends the turn as well. */
  #endTurn(speaker: string): Frame[] {
    const held = this.#taken(speaker);
    const open = this.#contexts.open(speaker) ?? (held === '' ? undefined : this.#contexts.begin(speaker));
    if (!open) return [];
    open.isClosed = true;
    return [this.#send(open, held, false)];
  }

  #cancel(speaker: string | null): Frame[] {
    if (speaker === null) this.#held.clear();
    else this.#held.delete(speaker);
    return this.#contexts.running(speaker).flatMap((context) => {
      if (context.isCancelled) return [];
      context.isCancelled = true;
      return [JSON.stringify({ context_id: context.id, cancel: true })];
    });
  }

  #send(context: OwnContext, transcript: string, continues = true): string {
    if (transcript !== '') context.reader.said(transcript);
    return this.#request(context, { transcript, continue: continues });
  }

  #request({ id, reader }: OwnContext, fields: Settings): string {
    return JSON.stringify({ ...requestSettings(reader.settings, this.#version), context_id: id, ...fields });
  }

  #taken(speaker: string): string {
    const held = this.#held.get(speaker) ?? '';
    this.#held.delete(speaker);
    return held;
  }

  #reader(speaker: string): ContextReader {
    const settings = { ...this.#session, ...this.#settings.get(speaker) };
    const turn = this.#going.get(speaker)?.turn ?? { chunks: 0, characters: 0 };
    this.#going.delete(speaker);
    // Other clients choose a format with each message.
    const format =
      this.#settings.get(speaker)?.encoding === undefined ? this.#format : audioFormatOf(settings);
    return new ContextReader(speaker, settings, format, turn);
  }
}

/** Every text has all settings. */
export const readCartesiaIntents = intentReader(
  (fields) => parseRequest(fields, null),
  (message): Intent[] => {
    const context = speakerOf(message.context ?? ONLY_CONTEXT);
    if (message.kind === 'cancel') return [{ kind: 'cancel', context }];
    const { transcript: text, settings: opens, flush, continues } = message;
    const intents: Intent[] = [];
    if (text !== '') intents.push({ kind: 'say', context, text, opens });
    // The end speaks all text as well.
    if (!continues) return [...intents, { kind: 'endTurn', context }];
    return flush ? [...intents, { kind: 'flush', context }] : intents;
  },
);
