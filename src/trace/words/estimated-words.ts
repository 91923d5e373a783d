import { CLAUSE_MARKS, SENTENCE_MARKS } from '#lib/text/punctuation.ts';
import { markedWords } from '#lib/text/words.ts';
import type { SpokenWord } from '#protocol/core/speech-event.ts';

/** Weights in units of a letter's duration, fitted to the word times of the local engine in ten languages. */

/** Pace before any audio was measured. */
const FIRST_GUESS_MS_PER_WEIGHT = 58;

const CLAUSE_PAUSE = 5;
const SENTENCE_PAUSE = 9;
const END_PAUSE = 7;
const WORD = 0.5;
const LETTER = 1;
/** Characters that are spoken as a syllable or a word. */
const HEAVY: readonly [kind: RegExp, weight: number][] = [
  [/\p{Nd}/u, 6],
  [/[\p{Sc}\p{Sm}%]/u, 8],
  [/\p{Script=Han}/u, 5],
  [/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u, 2.5],
];

const SOUNDING = /[\p{L}\p{N}]/u;

interface WeightedWord {
  text: string;
  start: number;
  /** Weight of the word itself, and of the pause behind it. */
  weight: number;
  pause: number;
}

/**
 * Estimates word timings that the server has not sent. Words get shares of the audio by their length, and marks get pauses.
 * @param totalMs measured or expected length of the chunk's audio
 */
export function estimateWords(text: string, totalMs: number): SpokenWord[] {
  const words = weightedWords(text);
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

/**
 * Returns words whose times are known, and behind them the estimated ones, which are moved into the time that is left.
 * @param known the first words of the text
 * @param totalMs of the estimate
 */
export function continued(
  known: readonly SpokenWord[],
  estimated: readonly SpokenWord[],
  totalMs: number,
): SpokenWord[] {
  const last = known.at(-1);
  if (!last) return [...estimated];
  const fromMs = estimated.findLast(({ charStart }) => charStart < last.charEnd)?.endMs ?? 0;
  const share = fromMs < totalMs ? Math.max(0, totalMs - last.endMs) / (totalMs - fromMs) : 0;
  const moved = (ms: number): number => last.endMs + (ms - fromMs) * share;
  const rest = estimated.filter(({ charStart }) => charStart >= last.charEnd);
  return [
    ...known,
    ...rest.map((word) => ({
      ...word,
      startMs: moved(word.startMs),
      endMs: moved(word.endMs),
      isEstimated: true as const,
    })),
  ];
}

/** The pace of a session's voice, learned from its chunks. */
export class SpeechPace {
  #weight = 0;
  #ms = 0;

  learn(text: string, spokenMs: number): void {
    const weight = wholeOf(weightedWords(text));
    if (spokenMs <= 0 || weight === 0) return;
    this.#weight += weight;
    this.#ms += spokenMs;
  }

  /** Returns the expected duration of a text. */
  expectedMs(text: string): number {
    const msPerWeight = this.#weight === 0 ? FIRST_GUESS_MS_PER_WEIGHT : this.#ms / this.#weight;
    return wholeOf(weightedWords(text)) * msPerWeight;
  }
}

const wholeOf = (words: readonly WeightedWord[]): number =>
  words.reduce((sum, { weight, pause }) => sum + weight + pause, 0);

function weightedWords(text: string): WeightedWord[] {
  const words: WeightedWord[] = [];
  for (const { start, end } of markedWords(text)) {
    const written = text.slice(start, end);
    const previous = words.at(-1);
    if (SOUNDING.test(written)) words.push(wordAt(written, start));
    else if (previous) previous.pause = Math.max(previous.pause, pauseAfter(written));
  }
  const last = words.at(-1);
  if (last) last.pause = END_PAUSE;
  return words;
}

/** Returns a word without surrounding marks. */
function wordAt(written: string, start: number): WeightedWord {
  const from = written.search(SOUNDING);
  const tail = /(?<![^\p{L}\p{N}\p{M}])[^\p{L}\p{N}\p{M}]*$/u.exec(written)?.[0] ?? '';
  const text = written.slice(from, written.length - tail.length);
  // A symbol beside a number is spoken with it.
  const weight = [...written].reduce((sum, char) => sum + weightOf(char), WORD);
  return { text, start: start + from, weight, pause: pauseAfter(tail) };
}

const weightOf = (char: string): number =>
  HEAVY.find(([kind]) => kind.test(char))?.[1] ?? (SOUNDING.test(char) ? LETTER : 0);

const SENTENCE_MARK = new RegExp(`[${SENTENCE_MARKS}]`, 'u');
const CLAUSE_MARK = new RegExp(`[${CLAUSE_MARKS}–—]`, 'u');

const pauseAfter = (marks: string): number =>
  SENTENCE_MARK.test(marks) ? SENTENCE_PAUSE : CLAUSE_MARK.test(marks) ? CLAUSE_PAUSE : 0;
