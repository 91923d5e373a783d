import { SortedValues } from '#lib/statistics/percentiles.ts';
import { isFields } from '#protocol/core/json-frame.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import type { RecordedTurn } from '#trace/recorded-speech.ts';
import { gapStatistics, realTimeFactor } from '#trace/speed.ts';

/** `shape`: messages and fields. `words`: texts, chunks, words and bills. `timing`: times and lengths of audio. */
export const DIFFERENCE_KINDS = ['shape', 'words', 'timing'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** Something that is compared with the fact of the same place and name. */
export interface Fact {
  kind: DifferenceKind;
  value: unknown;
  /** Decides how it is compared. `name`: text without quotes. `presence`: any two are equal. `order`: a set of names. */
  unit: 'exact' | 'name' | 'presence' | 'order' | 'ms' | 'ratio' | 'bill';
}

/** Name of the fact of each place with messages. */
export const MESSAGES = 'messages';

/** Further facts of a place are ignored, because a server may name fields by ids. */
const MAX_FACTS = 10_000;

/** Kinds of frames whose number depends on the length of the audio and on the network. */
const PIECES: ReadonlySet<string> = new Set(['audio', 'words', 'phonemes']);

/** The facts of a place and what continues them, as plain values. */
export interface PackedFacts {
  facts: [what: string, fact: Fact][];
  lastSent: string;
  waitsFromMs: number | null;
  lastAudioMs: number | null;
  lastIndex: number | null;
  gapsMs: number[];
  chunks: number[];
  isSpoken: boolean;
}

/** The facts of one place by name, which it collects from frames in their order. Times have the ids of their measures. */
export class PlaceFacts extends Map<string, Fact> {
  #lastSent = '';
  /** The last moment of the wait for the first audio. */
  #waitsFromMs: number | null = null;
  #lastAudioMs: number | null = null;
  #lastIndex: number | null = null;
  readonly #gapsMs = new SortedValues();
  /** Numbers of chunks in the order of their first use, because ids differ from run to run. */
  readonly #chunks = new Map<number, number>();
  /** The speech of its turn was added. */
  #isSpoken = false;

  pack(): PackedFacts {
    return {
      facts: [...this],
      lastSent: this.#lastSent,
      waitsFromMs: this.#waitsFromMs,
      lastAudioMs: this.#lastAudioMs,
      lastIndex: this.#lastIndex,
      gapsMs: [...this.#gapsMs.all],
      chunks: [...this.#chunks.keys()],
      isSpoken: this.#isSpoken,
    };
  }

  static unpack(packed: PackedFacts): PlaceFacts {
    const facts = new PlaceFacts();
    for (const [what, fact] of packed.facts) facts.set(what, fact);
    facts.#lastSent = packed.lastSent;
    facts.#waitsFromMs = packed.waitsFromMs;
    facts.#lastAudioMs = packed.lastAudioMs;
    facts.#lastIndex = packed.lastIndex;
    for (const gapMs of packed.gapsMs) facts.#gapsMs.add(gapMs);
    for (const chunk of packed.chunks) facts.#numberOf(chunk);
    facts.#isSpoken = packed.isSpoken;
    return facts;
  }

  /** Ignores an unknown value. */
  put(kind: DifferenceKind, what: string, value: unknown, unit: Fact['unit'] = 'exact'): void {
    if (value !== undefined && this.size < MAX_FACTS) this.set(what, { kind, value, unit });
  }

  /** Puts a fact for each field of an object, such as `settings, speed`. Ignores any other value. */
  putFields(what: string, value: unknown): void {
    if (!isFields(value)) return;
    for (const [field, of] of Object.entries(value)) this.put('shape', `${what}, ${field}`, of);
  }

  /** Returns the count so far. */
  #count(what: string, unit: Fact['unit'] = 'exact'): number {
    const count = Number(this.get(what)?.value ?? 0) + 1;
    this.put('shape', what, count, unit);
    return count;
  }

  /** Adds a name to the end of an order that lacks it. */
  #addName(what: string, name: string): void {
    const known = this.get(what)?.value;
    if (known instanceof Set) known.add(name);
    else this.put('shape', what, new Set([name]), 'order');
  }

  /** Adds the type of a frame and of each field in it, such as `field words[].start`. */
  addTypes(value: unknown, path = ''): void {
    const type = typeOf(value);
    const what = path === '' ? 'frame' : `field ${path}`;
    const types = new Set(String(this.get(what)?.value ?? type).split(' or ')).add(type);
    this.put('shape', what, [...types].sort().join(' or '), 'name');
    if (type !== 'object' && type !== 'list') return;
    for (const [name, item] of Object.entries(value as object)) {
      this.addTypes(item, type === 'list' ? `${path}[]` : path === '' ? name : `${path}.${name}`);
    }
  }

  /** Texts that follow one another are one message. */
  addSent(kind: string, value: unknown, text: string, atMs: number): void {
    if (text !== '') {
      this.#waitsFromMs ??= atMs;
      this.put('words', 'text sent', `${this.get('text sent')?.value ?? ''}${text}`);
    }
    if (kind === 'say' && this.#lastSent === kind) return;
    this.#lastSent = kind;
    this.#count(MESSAGES, 'presence');
    const count = this.#count(`${kind} sent`);
    const step = count === 1 ? kind : `${kind} ${count}`;
    this.#addName('order sent', step);
    this.putFields(step, value);
  }

  addReceived(kind: string, chunk: number | null): void {
    this.#count(MESSAGES, 'presence');
    this.#count(`${kind} received`, PIECES.has(kind) ? 'presence' : 'exact');
    this.#addName('order received', chunk === null ? kind : `${kind} of chunk ${this.#numberOf(chunk)}`);
  }

  #numberOf(chunk: number): number {
    if (!this.#chunks.has(chunk)) this.#chunks.set(chunk, this.#chunks.size + 1);
    return this.#chunks.get(chunk) ?? 0;
  }

  addEvent(event: SpeechEvent, atMs: number): void {
    if (event.type === 'chunkStarted' && !event.inferred && !this.has('serverMs')) {
      this.#addWait('serverMs', atMs);
    } else if (event.type === 'audio') {
      this.#addWait('firstAudioFrameMs', atMs);
      if (this.#lastAudioMs !== null) this.#gapsMs.add(atMs - this.#lastAudioMs);
      this.#lastAudioMs = atMs;
      // The first ones have their place among the facts, and the last ones are right.
      if (!this.has('gapP95Ms')) this.#putGaps();
      this.put('shape', 'audio format', `${event.encoding}, ${event.sampleRate} Hz`, 'name');
      const next = this.#lastIndex === null ? event.index : this.#lastIndex + 1;
      if (event.index !== null && event.index !== next) this.#count('audio frames out of order');
      this.#lastIndex = event.index;
    } else if ('usage' in event && event.usage) {
      const { characters, audioSeconds, costCents, currency, modelId } = event.usage;
      this.put('words', 'billed characters', characters);
      this.put('words', 'billed seconds', audioSeconds, 'bill');
      this.put('words', 'cost in cents', costCents, 'bill');
      this.put('words', 'currency', currency);
      this.put('words', 'billed model', modelId);
    }
  }

  /** Its last event was added. */
  end(): void {
    this.#putGaps();
  }

  #putGaps(): void {
    const gaps = gapStatistics(this.#gapsMs);
    this.put('timing', 'gapP95Ms', gaps?.p95Ms, 'ms');
    this.put('timing', 'gapLongestMs', gaps?.longestMs, 'ms');
  }

  #addWait(what: string, atMs: number): void {
    if (this.#waitsFromMs === null || this.#lastAudioMs !== null) return;
    this.put('timing', what, atMs - this.#waitsFromMs, 'ms');
    this.#waitsFromMs = atMs;
  }

  /** Adds texts, words and audio of a whole turn, once. */
  addSpeech({ chunks, samples, audio }: RecordedTurn): void {
    if (this.#isSpoken) return;
    this.#isSpoken = true;
    for (const [at, { text }] of chunks.entries()) this.put('words', `text of chunk ${at + 1}`, text ?? '');
    const words = chunks.flatMap((chunk) => chunk.words ?? []).map(({ word }) => word);
    this.put('words', 'words', words.join(' ') || undefined);
    if (!audio) return;
    const { sampleRate } = audio;
    this.put('timing', 'rtf', realTimeFactor({ chunks, sampleRate }) ?? undefined, 'ratio');
    this.put('timing', 'audio', (1000 * samples) / sampleRate, 'ms');
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  return value instanceof Uint8Array ? 'bytes' : typeof value;
}
