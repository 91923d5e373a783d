import type { AudioFormat } from '../../core/audio-format.ts';
import type { Dialect, DialectTraits, Intent, Settings } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { intentReader } from '../../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { speakerOf, type WireContext, WireContexts, wireIdOf } from '../../core/wire-contexts.ts';
import { parseMultiMessage } from './client-frames.ts';
import { readServerFrame, TurnReader } from './decode.ts';
import { IDLE_ERROR } from './errors.ts';
import { finalFrame } from './server-frames.ts';
import { MAX_CONTEXTS } from './settings.ts';
import { firstMessage, traitsOf } from './stream-dialect.ts';

/**
 * The client's side of one connection to `multi-stream-input`. A speaker of the session lasts, and each of its turns is
 * another context on the wire.
 */
export class MultiDialect implements Dialect {
  readonly traits: DialectTraits;
  readonly #key: string;
  /** Those without a final. */
  readonly #contexts: WireContexts<TurnReader>;
  #session: Settings = {};
  /** Of speakers. */
  readonly #settings = new Map<string, Settings>();

  /** @param key empty for one that is in the address */
  constructor(settings: Settings, key: string, format: AudioFormat) {
    this.#key = key;
    this.#contexts = new WireContexts((speaker) => new TurnReader(speaker, format), {
      idOf: wireIdOf,
      areReused: true,
    });
    this.traits = { ...traitsOf(settings, 'frame', 'unconfirmed'), endDropsText: true };
  }

  hasRoom(speaker: string): boolean {
    const isBusy = this.#contexts.of(speaker).some(({ isClosed, isCancelled }) => isClosed && !isCancelled);
    const hasOpen = this.#contexts.open(speaker) !== undefined;
    return !isBusy && (hasOpen || this.#contexts.all.length < MAX_CONTEXTS);
  }

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'openContext':
        this.#settings.set(intent.context, intent.settings);
        return this.#contexts.open(intent.context) ? [] : [this.#first(intent.context, ' ')];
      case 'say':
        return this.#say(intent);
      case 'flush':
        return this.#toOpen(intent.context, FLUSH);
      case 'endTurn':
      case 'closeContext': {
        const open = this.#contexts.open(intent.context);
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
      // A flush opens a context too.
      case 'flush': {
        const context = this.#contexts.open(intent.context) ?? this.#contexts.begin(intent.context, true);
        if (intent.kind === 'say' && intent.text.trim() !== '') context.reader.hasText = true;
        if (intent.kind !== 'openContext') context.reader.isUnflushed = intent.kind === 'say';
        break;
      }
      case 'endTurn': {
        const open = this.#contexts.open(intent.context);
        if (!open) break;
        open.isClosed = true;
        open.isCancelled ||= open.reader.isUnflushed;
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
      if (read.event.name !== IDLE_ERROR || !known || known.isLeft) {
        return [read.context === null ? read.event : { ...read.event, context: known?.speaker ?? id }];
      }
      return [...this.#answered(id, true).before, ...this.#contexts.closed(known, true, read.rest)];
    }
    const { context, before } = this.#answered(id, read.isFinal);
    if (!context) return [...read.problems];
    const { reader, isCancelled } = context;
    const events = [...before, ...reader.speech(read)];
    if (!read.isFinal) return events;
    return [...events, ...reader.end(read.rest, isCancelled), ...this.#contexts.closed(context, false)];
  }

  /** A speaker has a second context only behind a cancelled one. */
  #answered(id: string, ends: boolean): { context?: WireContext<TurnReader>; before: SpeechEvent[] } {
    const { context, older } = this.#contexts.answered(id, ends) ?? { older: [] };
    return { ...(context && { context }), before: older.flatMap(({ reader }) => reader.end({}, true)) };
  }

  #say({ context: speaker, text, opens }: Extract<Intent, { kind: 'say' }>): Frame[] {
    if (opens) this.#settings.set(speaker, opens);
    // Empty text speaks nothing.
    if (text === '') return [];
    const open = this.#contexts.open(speaker);
    const frame = open ? frameOf(open, { text }) : this.#first(speaker, text);
    const context = this.#contexts.open(speaker);
    if (context && text.trim() !== '') context.reader.hasText = true;
    return [frame];
  }

  /** The first message of the speaker's next context. */
  #first(speaker: string, text: string): string {
    const settings = { ...this.#session, ...this.#settings.get(speaker) };
    return firstMessage(settings, this.#key, { text, ...idField(this.#contexts.begin(speaker).id) });
  }

  #cancel(speaker: string | null): Frame[] {
    return this.#contexts.running(speaker).flatMap((context) => {
      context.isCancelled = true;
      return context.isClosed ? [] : [this.#close(context)];
    });
  }

  #toOpen(speaker: string, fields: Settings): Frame[] {
    const open = this.#contexts.open(speaker);
    return open ? [frameOf(open, fields)] : [];
  }

  #close(context: WireContext<TurnReader>): string {
    context.isClosed = true;
    return frameOf(context, { close_context: true });
  }
}

const FLUSH = { flush: true };

const idField = (id: string): { context_id?: string } => (id === ONLY_CONTEXT ? {} : { context_id: id });

const frameOf = ({ id }: WireContext<TurnReader>, fields: Settings): string =>
  JSON.stringify({ ...fields, ...idField(id) });

export const readMultiIntents = intentReader(parseMultiMessage, (message): Intent[] => {
  const { text, settings, flush, closeContext, closeSocket } = message;
  const context = speakerOf(message.context ?? ONLY_CONTEXT);
  const intents: Intent[] = [];
  if (text && text.trim() === '' && settings) intents.push({ kind: 'openContext', context, settings });
  // The server ignores the text beside a close.
  else if (text && !closeContext)
    intents.push({ kind: 'say', context, text, ...(settings ? { opens: settings } : {}) });
  if (flush) intents.push({ kind: 'flush', context });
  // A context on the wire is one turn.
  if (closeContext) intents.push({ kind: 'endTurn', context });
  if (text === '' && intents.length === 0 && !closeSocket) intents.push({ kind: 'keepAlive', context });
  if (closeSocket) intents.push({ kind: 'disconnect' });
  return intents;
});
