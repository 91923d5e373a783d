import type { SpokenWord, Usage } from '#protocol/core/speech-event.ts';
import { joinedWords } from '#trace/word-timings.ts';
import type { ChangedChunk, ChunkView } from '../views.ts';

export type Chunk = { -readonly [K in keyof ChunkView]: ChunkView[K] };

/** Limits of a turn on the page. A server may send any number of chunks of any size; the recording has them whole. */
const MAX_CHUNKS = 10_000;
const MAX_CHUNK_CHARS = 10_000;
export const MAX_TURN_CHARS = 50_000;
const MAX_TURN_WORDS = 20_000;
const MAX_WORD_CHARS = 100;
/** A report with more chunks would cost the page more than a frame. */
const MAX_REPORTED = 500;

/**
 * Returns the first characters of a text. The copy shares no memory with the text, because a slice would keep a text of
 * megabytes alive.
 */
export const firstChars = (text: string, chars: number): string =>
  text.length <= chars ? text : (JSON.parse(JSON.stringify(text.slice(0, chars))) as string);

const MAX_NAME_CHARS = 60;
const firstOfName = (name: string | null): string | null => name && firstChars(name, MAX_NAME_CHARS);

/** Returns the usage with names of bounded length. */
export const keptUsage = (usage: Usage): Usage => ({
  ...usage,
  currency: firstOfName(usage.currency),
  modelId: firstOfName(usage.modelId),
});

/** The chunks of a turn in the order of their start, within limits, and which of them changed since the last report. */
export class Chunks {
  #list: Chunk[] = [];
  readonly #places = new Map<number, number>();
  #changed = new Set<number>();
  #reported = 0;
  #chars = 0;
  #words = 0;
  #isCondensed = false;

  get isCondensed(): boolean {
    return this.#isCondensed;
  }

  get list(): readonly Chunk[] {
    return this.#list;
  }

  /** Characters of all texts that are kept. */
  get chars(): number {
    return this.#chars;
  }

  /** Returns a known chunk without noting a change. */
  peek(id: number): Readonly<Chunk> | null {
    const place = this.#places.get(id);
    return (place === undefined ? null : this.#list[place]) ?? null;
  }

  /** Returns a chunk to change it; a new one begins at the sample. Chunks beyond the limit share the last one. */
  change(id: number, startSample: number): Chunk {
    const place = this.#places.get(id) ?? Math.min(this.#list.length, MAX_CHUNKS - 1);
    const known = this.#list[place];
    this.#changed.add(place);
    if (known) return known;
    const chunk = emptyChunk(id, startSample);
    this.#places.set(id, place);
    this.#list[place] = chunk;
    return chunk;
  }

  /** Notes that a chunk of the list was changed in place. */
  changedAt(place: number): void {
    this.#changed.add(place);
  }

  setText(chunk: Chunk, text: string | null, spokenAs?: string): void {
    const before = chunk.spokenAs;
    this.#chars -= (chunk.text?.length ?? 0) + (before?.length ?? 0);
    chunk.text = text === null ? null : this.#kept(text);
    chunk.cutChars = (text?.length ?? 0) - (chunk.text?.length ?? 0);
    this.#chars += chunk.text?.length ?? 0;
    chunk.spokenAs = spokenAs === undefined ? before : this.#kept(spokenAs);
    this.#chars += chunk.spokenAs?.length ?? 0;
  }

  #kept(text: string): string {
    return firstChars(text, Math.max(0, Math.min(MAX_CHUNK_CHARS, MAX_TURN_CHARS - this.#chars)));
  }

  /** Adds words of the server. */
  addWords(chunk: Chunk, words: readonly SpokenWord[]): void {
    this.setWords(chunk, joinedWords(chunk.wordsAreEstimated ? null : chunk.words, words, chunk.text) ?? []);
    chunk.wordsAreEstimated = false;
  }

  setWords(chunk: Chunk, words: readonly SpokenWord[]): void {
    this.#words -= chunk.words?.length ?? 0;
    const end = chunk.cutChars > 0 ? (chunk.text?.length ?? 0) : Number.POSITIVE_INFINITY;
    chunk.words = words
      .slice(0, MAX_TURN_WORDS - this.#words)
      .filter(({ charEnd }) => charEnd <= end)
      .map((word) =>
        word.word.length > MAX_WORD_CHARS ? { ...word, word: firstChars(word.word, MAX_WORD_CHARS) } : word,
      );
    this.#words += chunk.words.length;
  }

  isUntimed(id: number): boolean {
    return !this.#isCondensed && this.peek(id)?.wordsMs === null;
  }

  /** Number of chunks of which a report has been taken. */
  get reported(): number {
    return this.#reported;
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** Returns chunks that changed since they were returned last, at most {@link MAX_REPORTED}, with their places. */
  takeChanged(): ChangedChunk[] {
    // New chunks are in the order of their places, so the reported ones have no hole.
    const places = [...this.#changed].slice(0, MAX_REPORTED);
    return places.flatMap((at) => {
      this.#changed.delete(at);
      this.#reported = Math.max(this.#reported, at + 1);
      const chunk = this.#list[at];
      return chunk ? { at, chunk } : [];
    });
  }

  /** Merges all chunks into one without text or words. Sums and moments of the turn stay as they were. */
  condense(): void {
    this.#isCondensed = true;
    const [first] = this.#list;
    if (!first) return;
    const merged = { ...mergedChunk(this.#list), id: first.id };
    this.#list = [merged];
    this.#places.clear();
    this.#places.set(first.id, 0);
    this.#changed = new Set([0]);
    this.#reported = 0;
    this.#chars = 0;
    this.#words = 0;
  }
}

/** Returns a chunk without events. */
export const emptyChunk = (id: number, startSample: number): Chunk => ({
  id,
  text: null,
  cutChars: 0,
  spokenAs: null,
  words: null,
  wordsAreEstimated: false,
  wordsMs: null,
  sentMs: null,
  startedMs: null,
  firstAudioMs: null,
  lastAudioMs: null,
  completedMs: null,
  heardFromMs: null,
  heardToMs: null,
  audioFrames: 0,
  startSample,
  samples: 0,
  generationMs: null,
  figures: null,
});

function mergedChunk(chunks: readonly Chunk[]): Chunk {
  const spoken = chunks.filter(({ samples }) => samples > 0);
  const [first = null] = spoken;
  const last = spoken.at(-1) ?? null;
  const sum = (of: (chunk: Chunk) => number): number => chunks.reduce((total, chunk) => total + of(chunk), 0);
  return {
    ...emptyChunk(0, first?.startSample ?? 0),
    sentMs: chunks[0]?.sentMs ?? null,
    startedMs: chunks[0]?.startedMs ?? null,
    firstAudioMs: first?.firstAudioMs ?? null,
    lastAudioMs: last?.lastAudioMs ?? null,
    completedMs: chunks.at(-1)?.completedMs ?? null,
    heardFromMs: first?.heardFromMs ?? null,
    heardToMs: last?.heardToMs ?? null,
    audioFrames: sum(({ audioFrames }) => audioFrames),
    samples: sum(({ samples }) => samples),
    generationMs: spoken.some(({ generationMs }) => generationMs === null)
      ? null
      : sum(({ generationMs }) => generationMs ?? 0),
  };
}
