import type { SpokenWord } from '#protocol/core/speech-event.ts';

/**
 * Weights are in letters' worth of time. They are fitted to the word times of the local engine: 24 generations in ten
 * languages, two voices, starts of words off by a tenth of a second in the mean.
 */

/** A voice at ordinary pace, until one has been heard. */
const FIRST_GUESS_MS_PER_WEIGHT = 58;

const CLAUSE_PAUSE = 5;
const SENTENCE_PAUSE = 9;
/** Behind the last word of all, whatever its mark. */
const END_PAUSE = 7;
/** Every word costs a little besides its letters: short ones are not spoken in no time. */
const WORD = 0.5;
const LETTER = 1;
/** What is spoken as a syllable or as a word of its own. */
const HEAVY: readonly [kind: RegExp, weight: number][] = [
  [/\p{Nd}/u, 6],
  [/[\p{Sc}\p{Sm}%]/u, 8],
  [/\p{Script=Han}/u, 5],
  [/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u, 2.5],
];

const SOUNDING = /[\p{L}\p{N}]/u;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

interface WrittenWord {
  text: string;
  start: number;
  /** Weight of the word itself, and of the pause behind it. */
  weight: number;
  pause: number;
}

/**
 * Where the words of a chunk are in its audio, for protocols that do not say: each word gets a share of the whole by its
 * length, and marks and the end get a pause. An estimate, and to be shown as one.
 * @param totalMs length of the chunk's audio, or what it is taken to be
 */
export function estimateWords(text: string, totalMs: number): SpokenWord[] {
  const words = writtenWords(text);
  const whole = wholeOf(words);
  const msPerWeight = whole === 0 ? 0 : totalMs / whole;
  let atMs = 0;
  return words.map(({ text: word, start, weight, pause }) => {
    const startMs = atMs;
    const endMs = Math.min(totalMs, startMs + weight * msPerWeight);
    atMs = Math.min(totalMs, endMs + pause * msPerWeight);
    return { word, startMs, endMs, charStart: start, charEnd: start + word.length };
  });
}

/** How fast the voice of a session speaks, learned from what it has spoken. */
export class SpeechPace {
  #weight = 0;
  #ms = 0;

  learn(text: string, spokenMs: number): void {
    const weight = wholeOf(writtenWords(text));
    // Marks alone may sound, but say nothing of how fast words are.
    if (spokenMs <= 0 || weight === 0) return;
    this.#weight += weight;
    this.#ms += spokenMs;
  }

  /** What a text is going to take, in ms. */
  expectedMs(text: string): number {
    const msPerWeight = this.#weight === 0 ? FIRST_GUESS_MS_PER_WEIGHT : this.#ms / this.#weight;
    return wholeOf(writtenWords(text)) * msPerWeight;
  }
}

const wholeOf = (words: readonly WrittenWord[]): number =>
  words.reduce((sum, { weight, pause }) => sum + weight + pause, 0);

/** Words between white space, or what a dictionary takes for words where a script is written without any. */
function writtenWords(text: string): WrittenWord[] {
  const words: WrittenWord[] = [];
  for (const run of text.matchAll(/\S+/gu)) {
    const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(run[0]);
    const parts = isDense ? [...segmenter.segment(run[0])] : [{ segment: run[0], index: 0 }];
    for (const { segment, index } of parts) {
      const previous = words.at(-1);
      if (SOUNDING.test(segment)) words.push(wordAt(segment, run.index + index));
      else if (previous) previous.pause = Math.max(previous.pause, pauseAfter(segment));
    }
  }
  const last = words.at(-1);
  if (last) last.pause = END_PAUSE;
  return words;
}

/** A word without the marks about it. */
function wordAt(written: string, start: number): WrittenWord {
  const from = written.search(SOUNDING);
  const tail = /[^\p{L}\p{N}\p{M}]*$/u.exec(written)?.[0] ?? '';
  const text = written.slice(from, written.length - tail.length);
  // A symbol beside a number is no part of the word, but is spoken with it.
  const weight = [...written].reduce((sum, char) => sum + weightOf(char), WORD);
  return { text, start: start + from, weight, pause: pauseAfter(tail) };
}

const weightOf = (char: string): number =>
  HEAVY.find(([kind]) => kind.test(char))?.[1] ?? (SOUNDING.test(char) ? LETTER : 0);

const pauseAfter = (marks: string): number =>
  /[.!?。！？…]/u.test(marks) ? SENTENCE_PAUSE : /[,;:，；：、–—]/u.test(marks) ? CLAUSE_PAUSE : 0;
