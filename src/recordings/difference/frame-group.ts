import { SortedValues } from '#lib/statistics/percentiles.ts';
import { isFields } from '#protocol/core/json-frame.ts';
import type { SpeechEvent, Usage } from '#protocol/core/speech-event.ts';
import type { RecordedTurn } from '../format/recorded-speech.ts';
import { gapStatistics, realTimeFactor } from '../format/speed.ts';
import { waitSegments } from '../format/wait.ts';

/** `shape`: messages and fields. `words`: texts, chunks, words and bills. `timing`: times and lengths of audio. */
export const DIFFERENCE_KINDS = ['shape', 'words', 'timing'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Something that is compared with the fact of the same name. */
export interface Fact {
  kind: DifferenceKind;
  value: unknown;
  /** Of numbers that are compared with a tolerance. `pieces`: any two are equal. */
  unit?: 'ms' | 'ratio' | 'bill' | 'pieces';
}

/** Numbers names from 1, in the order of their first use. Ids differ from run to run, their order does not. */
export class Numbering {
  readonly #scopes = new Map<string, Map<unknown, number>>();

  of(scope: string, name: unknown): number {
    const numbers = this.#scopes.get(scope) ?? new Map<unknown, number>();
    this.#scopes.set(scope, numbers);
    const number = numbers.get(name) ?? numbers.size + 1;
    numbers.set(name, number);
    return number;
  }
}

/** The value of a binary message. */
export const BYTES = 'bytes';

/** Kinds of frames whose number depends on the length of the audio and on the network. */
const PIECES: ReadonlySet<string> = new Set(['audio', 'words', 'body']);

/** A turn, a REST call, or the frames of a connection or context outside of turns. */
export class FrameGroup {
  readonly connection: number;
  /** Method and path of a REST call; null for a socket. */
  readonly call: string | null;
  /** Entries of it may be missing. */
  isTorn = false;
  messages = 0;
  speech: RecordedTurn | null = null;
  /** Messages in the order of the first of each kind. A received one has the number of its chunk. */
  readonly order = { sent: new Set<string>(), received: new Set<string>() };
  readonly #facts = new Map<string, Fact>();
  readonly #numbers = new Numbering();
  #lastSent = '';
  #text = '';
  #usage: Usage | null = null;
  #firstSentMs: number | null = null;
  #firstTextMs: number | null = null;
  #startedMs: number | null = null;
  #firstAudioMs: number | null = null;
  #lastAudioMs: number | null = null;
  readonly #gapsMs = new SortedValues();
  #lastIndex: number | null = null;

  constructor(connection: number, call: string | null) {
    this.connection = connection;
    this.call = call;
  }

  set(kind: DifferenceKind, what: string, value: unknown, unit?: Fact['unit']): void {
    if (value !== undefined) this.#facts.set(what, { kind, value, ...(unit && { unit }) });
  }

  #count(what: string, unit?: Fact['unit']): void {
    this.set('shape', what, Number(this.#facts.get(what)?.value ?? 0) + 1, unit);
  }

  /** Adds a message of the client. Texts, and bytes, that follow one another are one message. */
  send(kind: string, value: unknown, text: string, atMs: number): void {
    this.#firstSentMs ??= atMs;
    this.#text += text;
    if (text !== '') this.#firstTextMs ??= atMs;
    if (this.#lastSent === kind && (kind === 'say' || value === BYTES)) return;
    this.#lastSent = kind;
    const number = this.#numbers.of(kind, this.order.sent.size);
    const step = number === 1 ? kind : `${kind} ${number}`;
    this.order.sent.add(step);
    this.messages += 1;
    this.#count(`${step} sent`);
    const fields = isFields(value) ? value : value === null ? {} : { content: value };
    for (const [field, of] of Object.entries(fields)) this.set('shape', `${step}, ${field}`, of);
  }

  receive(kind: string, chunk: number | null): void {
    this.messages += 1;
    this.#count(`${kind} received`, PIECES.has(kind) ? 'pieces' : undefined);
    this.order.received.add(chunk === null ? kind : `${kind} of chunk ${this.#numbers.of('chunk', chunk)}`);
  }

  /** Takes the head of the answer to a call. */
  answer(status: number, atMs: number): void {
    this.set('shape', 'status', status);
    this.set('timing', 'wait for the answer', atMs - (this.#firstSentMs ?? atMs), 'ms');
  }

  hear(event: SpeechEvent, atMs: number): void {
    if (event.type === 'chunkStarted') {
      if (this.#firstAudioMs === null && !event.inferred) this.#startedMs ??= atMs;
    } else if (event.type === 'turnEnded' || event.type === 'contextClosed') {
      this.#usage = event.usage ?? this.#usage;
    } else if (event.type === 'audio') {
      this.#firstAudioMs ??= atMs;
      if (this.#lastAudioMs !== null) this.#gapsMs.add(atMs - this.#lastAudioMs);
      this.#lastAudioMs = atMs;
      this.set('shape', 'audio format', `${event.encoding}, ${event.sampleRate} Hz`);
      if (event.index !== null && event.index !== (this.#lastIndex ?? event.index - 1) + 1) {
        this.#count('audio frames out of order');
      }
      this.#lastIndex = event.index;
    }
  }

  /** By name. Times are named by the ids of their measures. */
  facts(): ReadonlyMap<string, Fact> {
    const chunks = this.speech?.chunks ?? [];
    this.set('words', 'text sent', this.#text || undefined);
    for (const [at, { text }] of chunks.entries()) this.set('words', `text of chunk ${at + 1}`, text ?? '');
    const words = chunks.flatMap((chunk) => chunk.words ?? []).map(({ word }) => word);
    this.set('words', 'words', words.join(' ') || undefined);
    this.set('words', 'billed characters', this.#usage?.characters);
    this.set('words', 'billed seconds', this.#usage?.audioSeconds, 'bill');
    this.set('words', 'cost in cents', this.#usage?.costCents, 'bill');
    this.set('words', 'currency', this.#usage?.currency);
    this.set('words', 'billed model', this.#usage?.modelId);
    const wait = waitSegments({
      firstTextMs: this.#firstTextMs,
      serverStartedMs: this.#startedMs,
      firstAudioFrameMs: this.#firstAudioMs,
      // Nothing is known of what was heard.
      firstAudibleMs: this.#firstAudioMs,
    });
    for (const { name, ms } of wait ?? []) this.set('timing', `${name}Ms`, ms, 'ms');
    const gaps = gapStatistics(this.#gapsMs);
    this.set('timing', 'gapP95Ms', gaps?.p95Ms, 'ms');
    this.set('timing', 'gapLongestMs', gaps?.longestMs, 'ms');
    const sampleRate = this.speech?.audio?.sampleRate ?? null;
    this.set('timing', 'rtf', realTimeFactor({ chunks, sampleRate }) ?? undefined, 'ratio');
    if (sampleRate !== null) {
      this.set('timing', 'audio', (1000 * (this.speech?.samples ?? 0)) / sampleRate, 'ms');
    }
    return this.#facts;
  }
}
