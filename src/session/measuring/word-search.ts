import { type ReferenceSource, TextSearch } from '#trace/words/text-search.ts';
import type { MeasuredChunk } from '../turns/session-turn.ts';

/** Sound of a chunk, in the order in which it came; or the end of a turn, of whose chunks nothing more will come. */
export type SoundMessage =
  | {
      kind: 'sound';
      turn: number;
      chunk: number;
      /** May grow from message to message. */
      text: string;
      language: string | null;
      sampleRate: number;
      /** Behind the last ones of this chunk. */
      samples: Int16Array<ArrayBuffer>;
      /** The chunk is complete. */
      isWhole: boolean;
    }
  | { kind: 'over'; turn: number };

/** The words of a chunk that are found so far. */
export interface FoundWords extends MeasuredChunk {
  turn: number;
  /** The engine of the reference, and the version of the search. */
  by: string;
}

/** Sound that is worth another search, because each takes some 20 ms. */
const STEP_S = 1;

/** Searches the words of chunks in their sound. One thread does it for a session, beside the session's own. */
export class WordSearches {
  readonly #source: ReferenceSource;
  readonly #found: (words: FoundWords) => void;
  /** By turn and chunk; null for a chunk whose reference failed, because a later search would lack its first sound. */
  readonly #searches = new Map<string, ChunkSearch | null>();
  /** The server has answered once that it has no references. */
  #hasNone = false;

  constructor(source: ReferenceSource, found: (words: FoundWords) => void) {
    this.#source = source;
    this.#found = found;
  }

  take(message: SoundMessage): void {
    if (this.#hasNone) return;
    if (message.kind === 'over') {
      for (const [key, chunk] of this.#searches) {
        if (!key.startsWith(`${message.turn} `)) continue;
        if (!chunk) this.#searches.delete(key);
        else if (!chunk.end) {
          chunk.end = 'cut';
          this.#goOn(key, chunk);
        }
      }
      return;
    }
    const { turn, chunk: id, text, language, sampleRate, samples, isWhole } = message;
    const key = `${turn} ${id}`;
    const known = this.#searches.get(key);
    if (known === null) {
      if (isWhole) this.#searches.delete(key);
      return;
    }
    const chunk = known ?? new ChunkSearch(new TextSearch(this.#source, language, sampleRate), sampleRate);
    this.#searches.set(key, chunk);
    chunk.text = text;
    chunk.search.add(samples);
    chunk.fresh += samples.length;
    if (isWhole) {
      chunk.search.end();
      chunk.end = 'whole';
    }
    this.#goOn(key, chunk);
  }

  #goOn(key: string, chunk: ChunkSearch): void {
    const { search, text, end } = chunk;
    if (search.text !== text) {
      if (!chunk.isReading) void this.#read(key, chunk);
      return;
    }
    if (!end && chunk.fresh < STEP_S * chunk.sampleRate) return;
    chunk.fresh = 0;
    if (end) this.#searches.delete(key);
    const [turn = 0, id = 0] = key.split(' ').map(Number);
    const words = search.measure(end === 'whole');
    this.#found({ turn, chunk: id, text, words, isFinal: end !== null, by: search.by });
  }

  /** Gets the reference of the newest text. A failure leaves its chunk without times. */
  async #read(key: string, chunk: ChunkSearch): Promise<void> {
    chunk.isReading = true;
    try {
      if (!(await chunk.search.read(chunk.text))) {
        this.#hasNone = true;
        this.#searches.clear();
      }
    } catch {
      if (chunk.end) this.#searches.delete(key);
      else this.#searches.set(key, null);
    }
    chunk.isReading = false;
    if (this.#searches.get(key) === chunk) this.#goOn(key, chunk);
  }
}

class ChunkSearch {
  readonly search: TextSearch;
  readonly sampleRate: number;
  /** The newest one, which the search may not have read yet. */
  text = '';
  isReading = false;
  /** Samples since the last search. */
  fresh = 0;
  end: 'whole' | 'cut' | null = null;

  constructor(search: TextSearch, sampleRate: number) {
    this.search = search;
    this.sampleRate = sampleRate;
  }
}
