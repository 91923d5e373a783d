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

/** Changes with every change of the search that moves words. The same text, sound, engine and version give the same words. */
const VERSION = 1;

/** The status of a server that has references, but not now. */
const BUSY = 503;

let isStatic = false;

/** The host of this page has no references. A request would only log an error. */
export const leaveReferences = (): void => {
  isStatic = true;
};

/** Whether a request for a reference may have an answer. */
export const mayHaveReferences = (): boolean => !isStatic;

/** Returns null where the server has no references. */
export type ReferenceSource = (request: ReferenceRequest) => Promise<ReferenceAnswer | null>;

/** Asks the server of this page. Another host of the page has none. @throws where the server is busy */
export const fetchReference: ReferenceSource = async (request) => {
  if (isStatic) return null;
  const answer = await fetch(REFERENCE_PATH, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
  });
  if (answer.status === BUSY) throw new Error(await answer.text());
  if (!answer.ok || !answer.headers.get('Content-Type')?.includes('json')) return null;
  return referenceSchema.parse(await answer.json());
};

/** A word in its sound, with the time that it takes in the reference. */
export interface FoundWord extends SpokenWord {
  readonly referenceMs: number;
  /** See `FoundSpan`. */
  readonly leastMs: number | null;
}

type PlacedWord = Pick<FoundWord, 'charStart' | 'charEnd' | 'referenceMs'>;

/** Searches the words of a text, which may grow, in its sound, which grows. */
export class TextSearch {
  /** The text whose words are searched; null before the first. */
  text: string | null = null;
  /** The engine of the reference, and the version of the search. */
  by = '';
  readonly #source: ReferenceSource;
  readonly #language: string | null;
  readonly #analysed: AnalysedSamples;
  readonly #words = new SoundWords();
  /** By their texts, the parts of the last text. */
  #parts = new Map<string, ReferenceAnswer>();
  #places: PlacedWord[] = [];

  /** @param language null for that of the text @param sampleRate of the sound */
  constructor(source: ReferenceSource, language: string | null, sampleRate: number) {
    this.#source = source;
    this.#language = language;
    this.#analysed = new AnalysedSamples(sampleRate);
  }

  /** Searches another text from now on. Returns false where there are no references. @throws what the source throws */
  async read(text: string): Promise<boolean> {
    const parts = new Map<string, ReferenceAnswer>();
    const places: PlacedWord[] = [];
    const sounds: (() => void)[] = [];
    for (const { text: part, from } of partsOf(text)) {
      const known = parts.get(part) ?? this.#parts.get(part);
      const answer = known ?? (await this.#source({ text: part, language: this.#language }));
      if (!answer) return false;
      parts.set(part, answer);
      const samples = new AnalysedSamples(ANALYSED_HZ).push(samplesOf(answer));
      for (const { startMs, endMs, charStart, charEnd } of answer.words)
        places.push({ charStart: from + charStart, charEnd: from + charEnd, referenceMs: endMs - startMs });
      sounds.push(() => this.#words.addReference(samples, answer.words));
      this.by = `${answer.engine}, search ${VERSION}`;
    }
    this.#words.forgetReference();
    for (const add of sounds) add();
    this.#parts = parts;
    this.#places = places;
    this.text = text;
    return true;
  }

  add(samples: Int16Array): void {
    this.#words.addSound(this.#analysed.push(samples));
  }

  /** No more sound will come. */
  end(): void {
    this.#words.addSound(this.#analysed.end());
  }

  /** Returns the words from the first one on, up to where they are sure. @param isWhole the sound ends with the text */
  measure(isWhole: boolean): FoundWord[] {
    return this.#words.measure(isWhole).flatMap(({ startMs, endMs, leastMs }, at) => {
      const place = this.#places[at];
      const word = place && (this.text ?? '').slice(place.charStart, place.charEnd);
      return place && word !== undefined ? [{ word, startMs, endMs, leastMs, ...place }] : [];
    });
  }
}

function samplesOf({ samples }: ReferenceAnswer): Int16Array {
  const decoded = decodeBase64(samples);
  if ('problem' in decoded) throw new Error(decoded.problem);
  const view = new DataView(decoded.bytes.buffer, decoded.bytes.byteOffset);
  return Int16Array.from({ length: view.byteLength >> 1 }, (_, at) => view.getInt16(2 * at, true));
}

/** The text of a chunk with its whole sound. */
interface ChunkSpeech {
  readonly text: string;
  /** Null for that of the text. */
  readonly language: string | null;
  readonly sampleRate: number;
  readonly samples: Int16Array;
  /** The sound ends with the text. */
  readonly isWhole: boolean;
}

/** Sound between two pauses of a search. */
const SLICE_S = 2;

/** Returns the words of a text in its sound; null where there are no references. @throws what the source throws */
export async function searchText(
  source: ReferenceSource,
  { text, language, sampleRate, samples, isWhole }: ChunkSpeech,
  pause: () => Promise<void> = async () => {},
): Promise<FoundWord[] | null> {
  const search = new TextSearch(source, language, sampleRate);
  if (!(await search.read(text))) return null;
  for (let from = 0; from < samples.length; from += SLICE_S * sampleRate) {
    await pause();
    search.add(samples.subarray(from, from + SLICE_S * sampleRate));
  }
  if (isWhole) search.end();
  return search.measure(isWhole);
}

const SENTENCE_END = new RegExp(`[${SENTENCE_MARKS}]\\s`, 'gu');
/** Parts end behind a sentence from this length on, so that a text that grows keeps the parts before its end. */
const LEAST_PART_CHARS = 200;

/** Returns parts of a text that a reference may have, cut behind a sentence, or else between two words. */
function partsOf(text: string): { text: string; from: number }[] {
  const parts: { text: string; from: number }[] = [];
  for (let from = 0; from < text.length; ) {
    const most = text.slice(from, from + MAX_REFERENCE_CHARS);
    const isLast = from + most.length === text.length;
    const sentence = [...most.matchAll(SENTENCE_END)].find(
      ({ index }) => index + 1 >= LEAST_PART_CHARS,
    )?.index;
    const space = most.lastIndexOf(' ');
    const whole = isLast ? most.length : (space > 0 ? space : most.length - 1) + 1;
    const length = sentence === undefined ? whole : sentence + 1;
    parts.push({ text: most.slice(0, length), from });
    from += length;
  }
  return parts;
}
