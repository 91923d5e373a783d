import { isUnspaced, markedWords, type WrittenWord } from '#lib/text/words.ts';
import {
  chunkFrame,
  phonemesFrame,
  type Timed,
  timestampsFrame,
} from '#protocol/cartesia/wire/server-frames.ts';
import { audioFormatOf } from '#protocol/cartesia/wire/settings.ts';
import { AUDIO_ENCODINGS, type UncompressedFormat } from '#protocol/core/audio-format.ts';
import { FrameCutter } from '../audio/frame-cutter.ts';
import { encodeSamples } from '../audio/output.ts';
import type { PhonemeTiming, SpeechBlock, WordTiming } from '../speech/engine.ts';
import { atVolume, type CartesiaSpeaker } from './speaker.ts';

/** Bytes of the first chunk and of all others; the last one is shorter (cartesia-audio-4). */
const CHUNK_BYTES = { first: 4096, others: 16_384 } as const;

interface Options {
  context: string;
  /** Null for none in the frames. */
  flushId: number | null;
  text: string;
  speaker: CartesiaSpeaker;
  nowMs(): number;
  /** Start of the text in the context. */
  fromMs: number;
}

/** Makes the frames of one text: chunks, and the times of its words and phonemes between them. */
export class SpeechFrames {
  readonly #options: Options;
  readonly #cutter: FrameCutter;
  readonly #format: UncompressedFormat;
  #chunkMs: number;
  /** Made with the first words. */
  #marked: ReturnType<typeof wordsWithMarks> | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#format = audioFormatOf(options.speaker.settings);
    const { bytesPerSample } = AUDIO_ENCODINGS[this.#format.encoding];
    this.#cutter = new FrameCutter(this.#format.sampleRate, {
      first: CHUNK_BYTES.first / bytesPerSample,
      others: CHUNK_BYTES.others / bytesPerSample,
    });
    this.#chunkMs = options.nowMs();
  }

  /** Length of the chunks so far. */
  get durationMs(): number {
    return (this.#cutter.samples * 1000) / this.#format.sampleRate;
  }

  *add({ samples, words, phonemes = [] }: SpeechBlock): Generator<object> {
    const { context, flushId, text, speaker, fromMs } = this.#options;
    for (const chunk of this.#cutter.push(atVolume(speaker, samples))) yield this.#chunk(chunk);
    for (const list of phonemeLists(phonemes, fromMs)) yield phonemesFrame(context, list, flushId);
    if (speaker.settings.add_timestamps !== true || words.length === 0) return;
    this.#marked ??= wordsWithMarks(text);
    for (const list of wordLists(text, words, this.#marked, fromMs))
      yield timestampsFrame(context, list, flushId);
  }

  *end(): Generator<object> {
    const rest = this.#cutter.end();
    if (rest) yield this.#chunk(rest);
  }

  /** `step_time` counts from the chunk before, or from the start of the text (cartesia-audio-5). */
  #chunk(samples: Int16Array): object {
    const { context, flushId, nowMs } = this.#options;
    const sinceMs = this.#chunkMs;
    this.#chunkMs = nowMs();
    const data = Buffer.from(encodeSamples(this.#format.encoding, samples)).toString('base64');
    return chunkFrame(context, data, Math.round((this.#chunkMs - sinceMs) * 100) / 100, flushId);
  }
}

/** Words of one frame (cartesia-words-4). */
const WORDS_OF_FRAME = 3;
/** Phonemes of one frame (cartesia-words-5). */
const PHONEMES_OF_FRAME = 12;

type TimedWords = Timed & { words: readonly string[] };

/** Returns the words of a text in a script without spaces with their marks; none for other texts. */
export const wordsWithMarks = (text: string): readonly WrittenWord[] =>
  isUnspaced(text) ? markedWords(text) : [];

/**
 * Words as sent, split at spaces and with the marks around them. In scripts without spaces each character is one, and
 * so is each mark (cartesia-words-3). The characters of a word share its time, and marks there take none.
 * @param marked those of {@link wordsWithMarks} @param fromMs start of the text in the context
 * @returns a list for each frame, in seconds
 */
function wordLists(
  text: string,
  words: readonly WordTiming[],
  marked: readonly WrittenWord[],
  fromMs: number,
): TimedWords[] {
  const timed = words.flatMap((word) => {
    const { before, spoken, after } = partsOf(text, word, marked);
    const partMs = (word.endMs - word.startMs) / spoken.length;
    const at = (part: number) =>
      Math.round(fromMs + word.startMs + Math.min(Math.max(part, 0), spoken.length) * partMs) / 1000;
    return [...before, ...spoken, ...after].map((part, place) => ({
      word: part,
      start: at(place - before.length),
      end: at(place + 1 - before.length),
    }));
  });
  return listsOf(timed, WORDS_OF_FRAME).map((some) => ({
    words: some.map(({ word }) => word),
    start: some.map(({ start }) => start),
    end: some.map(({ end }) => end),
  }));
}

/** Returns a list for each frame, in seconds from the start of the context. @param fromMs start of the text in it */
function phonemeLists(
  phonemes: readonly PhonemeTiming[],
  fromMs: number,
): (Timed & { phonemes: readonly string[] })[] {
  const secondsOf = (ms: number): number => Math.round(fromMs + ms) / 1000;
  return listsOf(phonemes, PHONEMES_OF_FRAME).map((some) => ({
    phonemes: some.map(({ phoneme }) => phoneme),
    start: some.map(({ startMs }) => secondsOf(startMs)),
    end: some.map(({ endMs }) => secondsOf(endMs)),
  }));
}

const listsOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

type Parts = Record<'before' | 'spoken' | 'after', readonly string[]>;

function partsOf(text: string, { charStart, charEnd }: WordTiming, marked: readonly WrittenWord[]): Parts {
  const word = text.slice(charStart, charEnd);
  if (!isUnspaced(word)) {
    const [from, to] = [edgeOf(text, charStart, -1), edgeOf(text, charEnd, 1)];
    const isBesideUnspaced = isUnspaced(text.charAt(from - 1)) || isUnspaced(text.charAt(to));
    if (!isBesideUnspaced) return { before: [], spoken: [text.slice(from, to)], after: [] };
  }
  const { start, end } = endingFrom(marked, charEnd) ?? { start: charStart, end: charEnd };
  if (!isUnspaced(word)) return { before: [], spoken: [text.slice(start, end)], after: [] };
  return {
    before: [...text.slice(start, charStart)],
    spoken: [...word],
    after: [...text.slice(charEnd, end)],
  };
}

/** Returns the first word that ends at a place or behind it. */
function endingFrom(marked: readonly WrittenWord[], place: number): WrittenWord | undefined {
  let [low, high] = [0, marked.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marked[middle]?.end ?? 0) < place) low = middle + 1;
    else high = middle;
  }
  return marked[low];
}

/**
 * Where the marks and tags end that are next to a place. A tag may have spaces, and is whole or not among them.
 * @param step 1 for those behind the place, -1 for those before it
 */
function edgeOf(text: string, place: number, step: 1 | -1): number {
  const [opening, closing] = step > 0 ? ['<', '>'] : ['>', '<'];
  const back = step > 0 ? 0 : 1;
  let edge = place;
  for (let at = place - back; at >= 0 && at < text.length; at = edge - back) {
    const unit = text.charAt(at);
    if (/\s/.test(unit) || isUnspaced(unit)) break;
    if (unit === opening) {
      let other = at + step;
      while (/[^<>]/.test(text.charAt(other))) other += step;
      if (text.charAt(other) !== closing) break;
      at = other;
    }
    edge = at + step + back;
  }
  return edge;
}
