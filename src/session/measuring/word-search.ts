import { AnalysedSamples } from '#lib/alignment/analysed-samples.ts';
import { ANALYSED_HZ } from '#lib/alignment/mel-bands.ts';
import { SoundWords } from '#lib/alignment/sound-words.ts';
import { decodeBase64 } from '#lib/base64.ts';
import { SENTENCE_MARKS } from '#lib/text/punctuation.ts';
import type { SpokenWord } from '#protocol/core/speech-event.ts';
import {
  MAX_REFERENCE_CHARS,
  REFERENCE_PATH,
  type ReferenceAnswer,
  type ReferenceRequest,
  referenceSchema,
} from '#protocol/reference-messages.ts';

/** Sound of a chunk, in the order in which it came; or the end of a turn, of whose chunks nothing more will come. */
export type SoundMessage =
  | {
      kind: 'sound';
      turn: number;
      chunk: number;
      text: string;
      language: string | null;
      sampleRate: number;
      /** Behind the last ones of this chunk with this text. */
      samples: Int16Array<ArrayBuffer>;
      /** The chunk is complete. */
      isWhole: boolean;
    }
  | { kind: 'over'; turn: number };

/** The words of a chunk that are found so far, from its first one on. */
export interface FoundWords {
  turn: number;
  chunk: number;
  text: string;
  words: readonly SpokenWord[];
  isWhole: boolean;
}

/** Sound that is worth another search, because each takes some 20 ms. */
const STEP_S = 1;

/** The status of a server that has references, but not now. */
const BUSY = 503;

/** Returns null where the server has no references. */
export type ReferenceSource = (request: ReferenceRequest) => Promise<ReferenceAnswer | null>;

/** Asks the server of this page. Another host of the page has none. @throws where the server is busy */
export const fetchReference: ReferenceSource = async (request) => {
  const answer = await fetch(REFERENCE_PATH, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  });
  if (answer.status === BUSY) throw new Error(await answer.text());
  if (!answer.ok || !answer.headers.get('Content-Type')?.includes('json')) return null;
  return referenceSchema.parse(await answer.json());
};

/** Searches the words of chunks in their sound. One thread does it for a session, beside the session's own. */
export class WordSearches {
  readonly #source: ReferenceSource;
  readonly #found: (words: FoundWords) => void;
  /** By turn and chunk; null for a chunk whose reference failed, because a later search would lack its first sound. */
  readonly #searches = new Map<string, Search | null>();
  /** The server has answered once that it has no references. */
  #hasNone = false;

  constructor(source: ReferenceSource, found: (words: FoundWords) => void) {
    this.#source = source;
    this.#found = found;
  }

  take(message: SoundMessage): void {
    if (message.kind === 'over') {
      // A complete chunk may wait for its reference.
      for (const [key, search] of this.#searches)
        if (!search?.isWhole && key.startsWith(`${message.turn} `)) this.#searches.delete(key);
      return;
    }
    if (this.#hasNone) return;
    const { turn, chunk, text, language, sampleRate, samples, isWhole } = message;
    const key = `${turn} ${chunk}`;
    let search = this.#searches.get(key);
    if (search === null) {
      if (isWhole) this.#searches.delete(key);
      return;
    }
    if (search?.text !== text) {
      search = new Search(text, sampleRate);
      this.#searches.set(key, search);
      void this.#open(key, search, language);
    }
    search.add(samples, isWhole);
    this.#report(key, search);
  }

  /** Gets the reference of all parts of a text. A failure leaves its chunk without times. */
  async #open(key: string, search: Search, language: string | null): Promise<void> {
    try {
      for (const { text, from } of partsOf(search.text)) {
        const reference = await this.#source({ text, language });
        if (this.#searches.get(key) !== search) return;
        if (!reference) {
          this.#hasNone = true;
          this.#searches.clear();
          return;
        }
        search.addReference(reference, from);
      }
      search.isReady = true;
      this.#report(key, search);
    } catch {
      if (this.#searches.get(key) !== search) return;
      if (search.isWhole) this.#searches.delete(key);
      else this.#searches.set(key, null);
    }
  }

  #report(key: string, search: Search): void {
    if (this.#searches.get(key) !== search) return;
    const words = search.next();
    if (!words) return;
    const [turn = 0, chunk = 0] = key.split(' ').map(Number);
    const { text, isWhole } = search;
    if (isWhole) this.#searches.delete(key);
    this.#found({ turn, chunk, text, words, isWhole });
  }
}

class Search {
  readonly text: string;
  isReady = false;
  isWhole = false;
  readonly #sampleRate: number;
  readonly #analysed: AnalysedSamples;
  readonly #words = new SoundWords();
  readonly #places: { charStart: number; charEnd: number }[] = [];
  /** Samples since the last search. */
  #fresh = 0;

  constructor(text: string, sampleRate: number) {
    this.text = text;
    this.#sampleRate = sampleRate;
    this.#analysed = new AnalysedSamples(sampleRate);
  }

  addReference({ samples, words }: ReferenceAnswer, from: number): void {
    const decoded = decodeBase64(samples);
    if ('problem' in decoded) throw new Error(decoded.problem);
    const view = new DataView(decoded.bytes.buffer);
    const sound = Int16Array.from({ length: view.byteLength >> 1 }, (_, at) => view.getInt16(2 * at, true));
    this.#words.addReference(new AnalysedSamples(ANALYSED_HZ).push(sound), words);
    for (const { charStart, charEnd } of words)
      this.#places.push({ charStart: from + charStart, charEnd: from + charEnd });
  }

  add(samples: Int16Array, isWhole: boolean): void {
    this.#words.addSound(this.#analysed.push(samples));
    if (isWhole) this.#words.addSound(this.#analysed.end());
    this.isWhole = isWhole;
    this.#fresh += samples.length;
  }

  /** Returns the words so far; null where it is too early for another search. */
  next(): SpokenWord[] | null {
    if (!this.isReady || (!this.isWhole && this.#fresh < STEP_S * this.#sampleRate)) return null;
    this.#fresh = 0;
    const found = this.#words.measure(this.isWhole);
    return this.#places.slice(0, found.length).map(({ charStart, charEnd }, at) => ({
      word: this.text.slice(charStart, charEnd),
      startMs: found[at]?.startMs ?? 0,
      endMs: found[at]?.endMs ?? 0,
      charStart,
      charEnd,
    }));
  }
}

const SENTENCE_END = new RegExp(`[${SENTENCE_MARKS}]\\s`, 'gu');

/** Returns parts of a text that a reference may have, cut behind a sentence, or else between two words. */
function partsOf(text: string): { text: string; from: number }[] {
  const parts: { text: string; from: number }[] = [];
  for (let from = 0; from < text.length; ) {
    const most = text.slice(from, from + MAX_REFERENCE_CHARS);
    const isLast = from + most.length === text.length;
    const sentence = [...most.matchAll(SENTENCE_END)].at(-1)?.index;
    const space = most.lastIndexOf(' ');
    const length = isLast ? most.length : (sentence ?? (space > 0 ? space : most.length - 1)) + 1;
    parts.push({ text: most.slice(0, length), from });
    from += length;
  }
  return parts;
}
