import { addAll } from '#lib/collections/arrays.ts';
import type { SpokenWord } from '#protocol/core/speech-event.ts';
import { isBlank } from '#protocol/elevenlabs/wire/segments.ts';
import type { Alignment } from '#protocol/elevenlabs/wire/server-frames.ts';
import type { SpeechBlock } from '../speech/engine.ts';
import type { SpokenNumber, SpokenNumbers, SpokenText } from './spoken-numbers.ts';

/** A piece of a generation with the times of its characters, from its own start. */
export interface SpokenSegment extends Alignments {
  samples: Int16Array;
  /** Of its start in the generation. */
  startMs: number;
}

interface Limits {
  /** A longer piece is cut. */
  longestMs: number;
  /** A piece that takes longer to synthesise is cut. */
  patienceMs: number;
  nowMs(): number;
}

/** No segment is longer, so that no frame has more than 1 MiB. A longer word is cut within (elevenlabs-chunk-8). */
const MOST_MS = 8000;
/** A digit of a long number, about the slowest character. */
const CHARACTER_MS = 450;
/** Longer than the characters of such a segment, with the blanks before them. */
const LONGEST_SHARE = 1000;

/**
 * Cuts the audio of one generation into segments. The times of all its characters come with a segment's first frame, so it
 * waits for its end. A segment that is too long, or too slow, ends before the last word that is known.
 */
export class SegmentCutter {
  readonly #text: string;
  readonly #numbers: SpokenNumbers | null;
  readonly #sampleRate: number;
  readonly #limits: Limits;
  #blocks: Int16Array[] = [];
  #words: SpokenWord[] = [];
  #samples = 0;
  /** Where the current segment begins. */
  #from = { sample: 0, char: 0 };
  #sinceMs: number;

  constructor({ text, numbers }: SpokenText, sampleRate: number, limits: Limits) {
    this.#text = text;
    this.#numbers = numbers;
    this.#sampleRate = sampleRate;
    this.#limits = limits;
    this.#sinceMs = limits.nowMs();
  }

  /** @returns the segment that ends with this block; null for none */
  add({ samples, words }: SpeechBlock): SpokenSegment | null {
    this.#blocks.push(samples.slice());
    this.#samples += samples.length;
    addAll(this.#words, words);
    const { longestMs, patienceMs, nowMs } = this.#limits;
    const pendingMs = this.#msOf(this.#samples - this.#from.sample);
    if (pendingMs < longestMs && nowMs() - this.#sinceMs < patienceMs) return null;
    const last = this.#words.at(-1);
    const sample = last ? Math.round((last.startMs * this.#sampleRate) / 1000) : 0;
    if (last && this.#words.length >= 2 && sample > this.#from.sample)
      return this.#cut(sample, last.charStart, this.#words.splice(0, this.#words.length - 1));
    if (pendingMs < MOST_MS) return null;
    // The last character needs audio behind this segment.
    return this.#cut(this.#samples - samples.length, this.#charWithin(pendingMs), this.#words.splice(0));
  }

  /** Where to divide the text of a word that is not over: its last character comes with its end. */
  #charWithin(pendingMs: number): number {
    const heard = this.#words.at(-1)?.charEnd ?? this.#from.char;
    const rest = this.#text.slice(heard, heard + LONGEST_SHARE);
    const [, blanks = '', word = ''] = /^(\s*)(\S*)\S/u.exec(rest) ?? [];
    const share = [...word].slice(0, Math.ceil(pendingMs / CHARACTER_MS)).join('');
    return word === '' ? heard : heard + blanks.length + share.length;
  }

  /** The rest; null where nothing was spoken. */
  end(): SpokenSegment | null {
    return this.#samples === this.#from.sample
      ? null
      : this.#cut(this.#samples, this.#text.length, this.#words.splice(0));
  }

  #cut(sample: number, char: number, words: readonly SpokenWord[]): SpokenSegment {
    const from = this.#from;
    const startMs = Math.round(this.#msOf(from.sample));
    const shifted = words.map((word) => ({
      ...word,
      startMs: word.startMs - startMs,
      endMs: word.endMs - startMs,
      charStart: Math.max(0, word.charStart - from.char),
      charEnd: Math.max(0, word.charEnd - from.char),
    }));
    const durationMs = Math.round(this.#msOf(sample)) - startMs;
    const numbers = this.#numbers?.take(from.char, char);
    this.#from = { sample, char };
    this.#sinceMs = this.#limits.nowMs();
    return {
      ...alignmentsOf(this.#text.slice(from.char, char), shifted, durationMs, numbers),
      samples: this.#take(sample - from.sample),
      startMs,
    };
  }

  /** Removes so many samples from the blocks. */
  #take(count: number): Int16Array {
    const all = new Int16Array(this.#blocks.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const block of this.#blocks) {
      all.set(block, at);
      at += block.length;
    }
    this.#blocks = [all.subarray(count)];
    return all.subarray(0, count);
  }

  #msOf(samples: number): number {
    return (samples * 1000) / this.#sampleRate;
  }
}

/** Both alignments of a segment: the text as it was sent, and as it is spoken. */
export interface Alignments {
  alignment: Alignment;
  normalizedAlignment: Alignment;
}

/**
 * Times of characters, in whole ms, which add up to the audio. The characters of a word share its time evenly, and those
 * between two words share the gap. Of several spaces the first one takes the time (elevenlabs-words-12).
 * @param words of the text, in order, with times from the start of the audio
 * @param numbers of the text, in order, that are spoken otherwise than written
 */
export function alignmentsOf(
  text: string,
  words: readonly SpokenWord[],
  durationMs: number,
  numbers: readonly SpokenNumber[] = [],
): Alignments {
  const chars: string[] = [];
  const starts: number[] = [];
  const spread = (part: string, fromMs: number, toMs: number): void => {
    const characters = [...part];
    const weights = characters.map((each, at): number =>
      isBlank(each) && isBlank(characters[at - 1] ?? '.') ? 0 : 1,
    );
    const whole = weights.reduce((sum, each) => sum + each, 0);
    let before = 0;
    for (const [at, character] of characters.entries()) {
      chars.push(character);
      starts.push(Math.round(fromMs + ((toMs - fromMs) * before) / Math.max(1, whole)));
      before += weights[at] ?? 0;
    }
  };
  let [at, atMs] = [0, 0];
  const timeOf = (ms: number): number => Math.min(Math.max(ms, atMs), durationMs);
  for (const word of words) {
    const startMs = timeOf(word.startMs);
    spread(text.slice(at, word.charStart), atMs, startMs);
    atMs = startMs;
    const endMs = timeOf(word.endMs);
    spread(text.slice(word.charStart, word.charEnd), startMs, endMs);
    [at, atMs] = [word.charEnd, endMs];
  }
  spread(text.slice(at), atMs, durationMs);
  return {
    // The first character has the time that the extra space has in the other one.
    alignment: timed(chars, [0, ...starts.slice(1)].slice(0, chars.length), durationMs),
    normalizedAlignment: spokenAlignment({ chars, starts, durationMs }, numbers),
  };
}

interface Written {
  chars: readonly string[];
  starts: readonly number[];
  durationMs: number;
}

/** The characters of a spelled number share the time of the written one. */
function spokenAlignment(
  { chars, starts, durationMs }: Written,
  numbers: readonly SpokenNumber[],
): Alignment {
  const [spoken, times] = [[' '], [0]];
  let [at, place] = [0, 0];
  const pass = (to: number, isSpoken: boolean): void => {
    for (; place < to && at < chars.length; at += 1) {
      const char = chars[at] ?? '';
      place += char.length;
      if (!isSpoken) continue;
      spoken.push(char);
      times.push(starts[at] ?? durationMs);
    }
  };
  for (const number of numbers) {
    pass(number.start, true);
    const startMs = starts[at] ?? durationMs;
    pass(number.end, false);
    const ms = (starts[at] ?? durationMs) - startMs;
    const letters = [...number.spoken];
    for (const [nth, letter] of letters.entries()) {
      spoken.push(letter);
      times.push(Math.round(startMs + (ms * nth) / letters.length));
    }
  }
  pass(Number.POSITIVE_INFINITY, true);
  return timed(spoken, times, durationMs);
}

const timed = (chars: readonly string[], starts: readonly number[], durationMs: number): Alignment => ({
  chars,
  charStartTimesMs: starts,
  charDurationsMs: starts.map((start, at) => (starts[at + 1] ?? durationMs) - start),
});
