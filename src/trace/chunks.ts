import type { ServerFigures, SpokenWord, Usage } from '#protocol/core/speech-event.ts';
import type { FoundWord } from './words/text-search.ts';
import { joinedWords, type WordSource } from './words/word-timings.ts';

/** One piece of text that the server synthesises at once, and its audio, as the wire says. */
export interface Chunk {
  id: number;
  /** Its first characters, as the server reports it; null where the protocol does not. */
  text: string | null;
  /** Characters behind `text` that are not kept. */
  cutChars: number;
  /** The text as it is spoken, such as with numbers in words; null where the server says nothing else than `text`. */
  spokenAs: string | null;
  words: readonly SpokenWord[] | null;
  /** `server` also before there are words. `measured` once they were found in all audio that will come. */
  wordSource: WordSource;
  /** The words that were found in the audio, also beside those of the server; null until then, and where nothing searches. */
  measured: readonly FoundWord[] | null;
  /** When the server reported the word timings; null until then, and in protocols without them. */
  wordsMs: number | null;
  /** When the last text of the chunk was sent. */
  sentMs: number | null;
  /** Null in protocols that do not report it. */
  startedMs: number | null;
  firstAudioMs: number | null;
  lastAudioMs: number | null;
  completedMs: number | null;
  audioFrames: number;
  /** First sample of the chunk in the turn's audio, and the number of its samples so far. */
  startSample: number;
  samples: number;
  /** As measured by the server. */
  generationMs: number | null;
  /** Length of its audio as the server says; null where it does not. */
  statedSeconds: number | null;
  /** Further figures of the server; null where it reports none. */
  figures: ServerFigures | null;
}

/** How much of a turn is kept. */
export interface TurnLimits {
  chunks: number;
  /** Characters of the text of a chunk, of all chunks, and of a word. */
  chunkChars: number;
  chars: number;
  wordChars: number;
  /** Words of all chunks. */
  words: number;
  /** Changed chunks in one report; 0: nobody asks for changes. */
  reported: number;
}

/** Limits of a turn on the page. A server may send any number of chunks of any size; the recording has them whole. */
export const PAGE_LIMITS: TurnLimits = {
  chunks: 10_000,
  chunkChars: 10_000,
  chars: 50_000,
  wordChars: 100,
  words: 20_000,
  // More would cost the page more than a frame.
  reported: 500,
};

const WHOLE = Number.POSITIVE_INFINITY;
/** Limits of a turn in a recording, which bounds it itself. */
export const NO_LIMITS: TurnLimits = {
  chunks: WHOLE,
  chunkChars: WHOLE,
  chars: WHOLE,
  wordChars: WHOLE,
  words: WHOLE,
  reported: 0,
};

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

/** A chunk at its place in the list of a turn. */
export interface PlacedChunk {
  at: number;
  chunk: Chunk;
}

/** The chunks of a turn in the order of their start, within limits, and which of them changed since the last report. */
export class Chunks {
  readonly #limits: TurnLimits;
  #list: Chunk[] = [];
  readonly #places = new Map<number, number>();
  #changed = new Set<number>();
  #reported = 0;
  #chars = 0;
  #words = 0;
  #isCondensed = false;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

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

  find(id: number): Readonly<Chunk> | undefined {
    const place = this.#places.get(id);
    return place === undefined ? undefined : this.#list[place];
  }

  /** Returns a chunk to change it; a new one begins at the sample. Chunks beyond the limit share the last one. */
  change(id: number, startSample: number): Chunk {
    const place = this.#places.get(id) ?? Math.min(this.#list.length, this.#limits.chunks - 1);
    const known = this.#list[place];
    this.changedAt(place);
    if (known) return known;
    const chunk = emptyChunk(id, startSample);
    this.#places.set(id, place);
    this.#list[place] = chunk;
    return chunk;
  }

  /** Notes that a chunk of the list was changed in place. */
  changedAt(place: number): void {
    if (this.#limits.reported > 0) this.#changed.add(place);
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
    const { chunkChars, chars } = this.#limits;
    return firstChars(text, Math.max(0, Math.min(chunkChars, chars - this.#chars)));
  }

  /** Adds words of the server. */
  addWords(chunk: Chunk, words: readonly SpokenWord[]): void {
    this.setWords(
      chunk,
      joinedWords(chunk.wordSource === 'server' ? chunk.words : null, words, chunk.text) ?? [],
    );
    chunk.wordSource = 'server';
  }

  setWords(chunk: Chunk, words: readonly SpokenWord[]): void {
    if (this.#limits.words === WHOLE) {
      chunk.words = words;
      return;
    }
    this.#words -= chunk.words?.length ?? 0;
    const end = chunk.cutChars > 0 ? (chunk.text?.length ?? 0) : Number.POSITIVE_INFINITY;
    const { wordChars } = this.#limits;
    chunk.words = words
      .slice(0, this.#limits.words - this.#words)
      .filter(({ charEnd }) => charEnd <= end)
      .map((word) =>
        word.word.length > wordChars ? { ...word, word: firstChars(word.word, wordChars) } : word,
      );
    this.#words += chunk.words.length;
  }

  /** Number of chunks of which a report has been taken. */
  get reported(): number {
    return this.#reported;
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** Returns chunks that changed since they were returned last, as many as a report may have, with their places. */
  takeChanged(): PlacedChunk[] {
    // New chunks are in the order of their places, so the reported ones have no hole.
    const places = [...this.#changed].slice(0, this.#limits.reported);
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
  wordSource: 'server',
  measured: null,
  wordsMs: null,
  sentMs: null,
  startedMs: null,
  firstAudioMs: null,
  lastAudioMs: null,
  completedMs: null,
  audioFrames: 0,
  startSample,
  samples: 0,
  generationMs: null,
  statedSeconds: null,
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
    audioFrames: sum(({ audioFrames }) => audioFrames),
    samples: sum(({ samples }) => samples),
    generationMs: spoken.some(({ generationMs }) => generationMs === null)
      ? null
      : sum(({ generationMs }) => generationMs ?? 0),
  };
}
