import type { AudioFormat } from '../../core/audio-format.ts';
import type { Dialect, DialectTraits, Intent, Settings } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { speakerOf, wireIdOf } from './context-ids.ts';
import { readServerFrame, TurnReader } from './decode.ts';
import { IDLE_ERROR } from './errors.ts';
import { finalFrame } from './server-frames.ts';
import { MAX_CONTEXTS } from './settings.ts';
import { firstMessage, traitsOf } from './stream-dialect.ts';

/** A context on the wire, which takes one turn of its speaker. */
class WireContext {
  id: string;
  readonly reader: TurnReader;
  /** The close went out. */
  isClosed = false;
  /** Has text that was not flushed, which a close drops (`facts-elevenlabs 2.3.9`). */
  isUnflushed = false;
  /** The server has sent something of it. */
  isAnswered = false;
  /** May end without audio. */
  isCancelled = false;
  /** Its speaker speaks another turn, so its frames are dropped. */
  isLeft = false;

  constructor(id: string, reader: TurnReader) {
    this.id = id;
    this.reader = reader;
  }
}

/**
 * The client's side of one connection to `multi-stream-input`. A speaker of the session lasts, and each of its turns is
 * another context on the wire.
 */
export class MultiDialect implements Dialect {
  readonly traits: DialectTraits;
  readonly #key: string;
  readonly #format: AudioFormat;
  /** Those without a final, by their id on the wire. */
  readonly #contexts = new Map<string, WireContext>();
  #session: Settings = {};
  /** Of speakers. */
  readonly #settings = new Map<string, Settings>();

  /** @param key empty for one that is in the address */
  constructor(settings: Settings, key: string, format: AudioFormat) {
    this.#key = key;
    this.#format = format;
    this.traits = traitsOf(settings, 'frame', 'unconfirmed');
  }

  hasRoom(speaker: string): boolean {
    const isBusy = this.#of(speaker).some(({ isClosed, isCancelled }) => isClosed && !isCancelled);
    return !isBusy && (this.#open(speaker) !== undefined || this.#contexts.size < MAX_CONTEXTS);
  }

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'openContext':
        this.#settings.set(intent.context, intent.settings);
        return this.#open(intent.context) ? [] : [this.#first(intent.context, ' ')];
      case 'say':
        return this.#say(intent);
      case 'flush':
        return this.#toOpen(intent.context, FLUSH);
      case 'endTurn':
      case 'closeContext': {
        const open = this.#open(intent.context);
        const drops = intent.kind === 'closeContext' && intent.immediate;
        return open ? [...(drops ? [] : [frameOf(open, FLUSH)]), this.#close(open)] : [];
      }
      case 'cancel':
        return this.#cancel(intent.context);
      case 'keepAlive':
        return this.#toOpen(intent.context, { text: '' });
      case 'disconnect':
        return ['{"close_socket":true}'];
      case 'open':
        // Those of the socket are in its address. Unknown ones go with the first message of each context.
        this.#session = intent.settings;
        return [];
      // Settings of a context do not change.
      case 'update':
        return [];
    }
  }

  follow(intent: Intent): void {
    switch (intent.kind) {
      case 'openContext':
      case 'say':
      // A flush opens a context too (`facts-elevenlabs 2.3.7`).
      case 'flush': {
        const context = this.#open(intent.context) ?? this.#begin(intent.context);
        if (intent.kind === 'say' && intent.text.trim() !== '') context.reader.hasText = true;
        if (intent.kind !== 'openContext') context.isUnflushed = intent.kind === 'say';
        break;
      }
      case 'endTurn': {
        const open = this.#open(intent.context);
        if (!open) break;
        open.isClosed = true;
        open.isCancelled ||= open.isUnflushed;
        break;
      }
    }
  }

  confirm(_what: 'cancel' | 'closeContext', context: string | null): Frame[] {
    return context === null ? [] : [JSON.stringify(finalFrame(context))];
  }

  decode(frame: Frame): SpeechEvent[] {
    const read = readServerFrame(frame);
    if (read.kind === 'other') return [read.event];
    const id = read.context ?? ONLY_CONTEXT;
    if (read.kind === 'error') {
      const known = this.#contexts.get(id);
      if (read.event.name === IDLE_ERROR && known && !known.isLeft) {
        return [...this.#leave(known), ...this.#closedSpeaker(known, true, read.rest)];
      }
      return [read.context === null ? read.event : { ...read.event, context: known?.reader.context ?? id }];
    }
    const context = this.#contexts.get(id) ?? this.#named(id);
    context.isAnswered = true;
    if (context.isLeft) {
      if (read.isFinal) this.#contexts.delete(id);
      return [...read.problems];
    }
    const before = this.#leaveOlder(context);
    const events = context.reader.speech(read);
    if (!read.isFinal) return [...before, ...events];
    this.#contexts.delete(id);
    const end = context.reader.end(read.rest, context.isCancelled);
    return [...before, ...events, ...end, ...this.#closedSpeaker(context, false)];
  }

  #say({ context: speaker, text, opens }: Extract<Intent, { kind: 'say' }>): Frame[] {
    if (opens) this.#settings.set(speaker, opens);
    // Empty text speaks nothing.
    if (text === '') return [];
    const open = this.#open(speaker);
    const frame = open ? frameOf(open, { text }) : this.#first(speaker, text);
    const context = this.#open(speaker);
    if (context && text.trim() !== '') context.reader.hasText = true;
    return [frame];
  }

  /** The first message of the speaker's next context. */
  #first(speaker: string, text: string): string {
    const settings = { ...this.#session, ...this.#settings.get(speaker) };
    return firstMessage(settings, this.#key, { text, ...idField(this.#begin(speaker).id) });
  }

  #cancel(speaker: string | null): Frame[] {
    const running = [...this.#contexts.values()].filter(
      ({ reader, isLeft }) => !isLeft && (speaker === null || reader.context === speaker),
    );
    return running.flatMap((context) => {
      context.isCancelled = true;
      return context.isClosed ? [] : [this.#close(context)];
    });
  }

  #of(speaker: string): WireContext[] {
    return [...this.#contexts.values()].filter(({ reader }) => reader.context === speaker);
  }

  /** The context that takes text of a speaker. */
  #open(speaker: string): WireContext | undefined {
    return this.#of(speaker).find(({ isClosed, isLeft }) => !isClosed && !isLeft);
  }

  #toOpen(speaker: string, fields: Settings): Frame[] {
    const open = this.#open(speaker);
    return open ? [frameOf(open, fields)] : [];
  }

  /** Begins the speaker's next context. */
  #begin(speaker: string): WireContext {
    let count = 1;
    while (this.#contexts.has(wireIdOf(speaker, count))) count += 1;
    return this.#add(wireIdOf(speaker, count), speaker);
  }

  /** The context of an id that only the server has named: frames that cross may give a followed one another number. */
  #named(id: string): WireContext {
    const speaker = speakerOf(id);
    const followed = this.#of(speaker).find(({ isAnswered, isLeft }) => !isAnswered && !isLeft);
    if (!followed) return this.#add(id, speaker);
    this.#contexts.delete(followed.id);
    followed.id = id;
    this.#contexts.set(id, followed);
    return followed;
  }

  #add(id: string, speaker: string): WireContext {
    const context = new WireContext(id, new TurnReader(speaker, this.#format));
    this.#contexts.set(id, context);
    return context;
  }

  #close(context: WireContext): string {
    context.isClosed = true;
    return frameOf(context, { close_context: true });
  }

  /** A speaker has a second context only behind a cancelled one, which is over with the first frame of the next. */
  #leaveOlder(context: WireContext): SpeechEvent[] {
    const all = this.#of(context.reader.context);
    return all.slice(0, all.indexOf(context)).flatMap((older) => {
      if (older.isLeft) return [];
      older.isLeft = true;
      return older.reader.end({}, true);
    });
  }

  #leave(context: WireContext): SpeechEvent[] {
    this.#contexts.delete(context.id);
    return this.#leaveOlder(context);
  }

  /** A speaker without a context is closed, until it speaks again. */
  #closedSpeaker({ reader }: WireContext, timedOut: boolean, rest = {}): SpeechEvent[] {
    const { context } = reader;
    const isOpen = this.#of(context).some(({ isLeft }) => !isLeft);
    return isOpen ? [] : [{ type: 'contextClosed', context, usage: null, timedOut, ...rest }];
  }
}

const FLUSH = { flush: true };

const idField = (id: string): { context_id?: string } => (id === ONLY_CONTEXT ? {} : { context_id: id });

const frameOf = ({ id }: WireContext, fields: Settings): string =>
  JSON.stringify({ ...fields, ...idField(id) });
