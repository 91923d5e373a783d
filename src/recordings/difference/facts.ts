import { madeOnce } from '#lib/collections/maps.ts';
import { isFields } from '#protocol/core/json-frame.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import type { RecordedTurn } from '#trace/recorded-speech.ts';
import { realTimeFactor } from '#trace/speed.ts';
import { waitSegments } from '#trace/wait.ts';

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

/** Moments of a wait that the wire does not show. */
const NOT_ON_THE_WIRE = {
  queuedMs: null,
  outputMs: null,
  targetReachedMs: null,
  releasedMs: null,
  firstSampleMs: null,
};

/** The facts of a place by name, and what continues them. It can be cloned. */
export class FactsData {
  readonly facts = new Map<string, Fact>();
  lastSent = '';
  lastIndex: number | null = null;
  /** Numbers of chunks in the order of their first use, because ids differ from run to run. */
  readonly chunks = new Map<number, number>();
  /** The speech of its turn was added. */
  isSpoken = false;
}

/** Collects the facts of one place from frames in their order. Times have the ids of their measures. */
export class PlaceFacts {
  readonly data: FactsData;

  constructor(data = new FactsData()) {
    this.data = data;
  }

  /** Ignores an unknown value. */
  put(kind: DifferenceKind, what: string, value: unknown, unit: Fact['unit'] = 'exact'): void {
    const { facts } = this.data;
    if (value !== undefined && facts.size < MAX_FACTS) facts.set(what, { kind, value, unit });
  }

  /** Puts a fact for each field of an object, such as `settings, speed`. Ignores any other value. */
  putFields(what: string, value: unknown): void {
    if (!isFields(value)) return;
    for (const [field, of] of Object.entries(value)) this.put('shape', `${what}, ${field}`, of);
  }

  /** Returns the count so far. */
  #count(what: string, unit: Fact['unit'] = 'exact'): number {
    const count = Number(this.data.facts.get(what)?.value ?? 0) + 1;
    this.put('shape', what, count, unit);
    return count;
  }

  /** Adds a name to the end of an order that lacks it. */
  #addName(what: string, name: string): void {
    const known = this.data.facts.get(what)?.value;
    if (known instanceof Set) known.add(name);
    else this.put('shape', what, new Set([name]), 'order');
  }

  /** Adds the type of a frame and of each field in it, such as `field words[].start`. */
  addTypes(value: unknown, path = ''): void {
    const type = typeOf(value);
    const what = path === '' ? 'frame' : `field ${path}`;
    const known = this.data.facts.get(what)?.value;
    // The types of most frames were there before.
    if (known !== type) {
      const types = new Set(String(known ?? type).split(' or ')).add(type);
      this.put('shape', what, [...types].sort().join(' or '), 'name');
    }
    if (type !== 'object' && type !== 'list') return;
    for (const [name, item] of Object.entries(value as object)) {
      this.addTypes(item, type === 'list' ? `${path}[]` : path === '' ? name : `${path}.${name}`);
    }
  }

  /** Texts that follow one another are one message. */
  addSent(kind: string, value: unknown, text: string): void {
    if (text !== '')
      this.put('words', 'text sent', `${this.data.facts.get('text sent')?.value ?? ''}${text}`);
    if (kind === 'say' && this.data.lastSent === kind) return;
    this.data.lastSent = kind;
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
    const { chunks } = this.data;
    return madeOnce(chunks, chunk, () => chunks.size + 1);
  }

  addEvent(event: SpeechEvent): void {
    const { data } = this;
    if (event.type === 'audio') {
      this.put('shape', 'audio format', `${event.encoding}, ${event.sampleRate} Hz`, 'name');
      const next = data.lastIndex === null ? event.index : data.lastIndex + 1;
      if (event.index !== null && event.index !== next) this.#count('audio frames out of order');
      data.lastIndex = event.index;
    } else if ('usage' in event && event.usage) {
      const { characters, audioSeconds, costCents, currency, modelId } = event.usage;
      this.put('words', 'billed characters', characters);
      this.put('words', 'billed seconds', audioSeconds, 'bill');
      this.put('words', 'cost in cents', costCents, 'bill');
      this.put('words', 'currency', currency);
      this.put('words', 'billed model', modelId);
    }
  }

  /** Adds waits, texts, words and audio of a whole turn, once. */
  addSpeech({ firstTextMs, firstAudioMs, gaps, chunks, samples, sound: { audio } }: RecordedTurn): void {
    if (this.data.isSpoken) return;
    this.data.isSpoken = true;
    const serverStartedMs = chunks[0]?.startedMs ?? null;
    const wait = waitSegments({
      ...NOT_ON_THE_WIRE,
      firstTextMs,
      serverStartedMs,
      firstAudioFrameMs: firstAudioMs,
      firstAudibleMs: firstAudioMs ?? serverStartedMs,
    });
    for (const { name, ms } of wait ?? [])
      if (name !== 'leadingSilence') this.put('timing', `${name}Ms`, ms, 'ms');
    this.put('timing', 'gapP95Ms', gaps?.p95Ms, 'ms');
    this.put('timing', 'gapLongestMs', gaps?.longestMs, 'ms');
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
