import type { SpokenWord } from '../protocol/speech-event.ts';

/** A voice at ordinary pace, until one has been heard: 15 characters a second. */
const FIRST_GUESS_MS_PER_CHAR = 1000 / 15;

/** Silence after a mark, in characters' worth of time. */
const CLAUSE_PAUSE_CHARS = 4;
const SENTENCE_PAUSE_CHARS = 8;
/** Every word costs a little besides its letters: short ones are not spoken in no time. */
const WORD_CHARS = 1.5;
/** A digit, and a character of a script without spaces, is spoken as a syllable or a word. */
const HEAVY_CHARS = 3;

const HEAVY = /[\p{Nd}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
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
 * length, and marks get a pause. An estimate, and to be shown as one.
 * @param totalMs length of the chunk's audio, or what it is taken to be
 */
export function estimateWords(text: string, totalMs: number): SpokenWord[] {
  const words = writtenWords(text);
  const last = words.at(-1);
  // The audio ends with its last word.
  const whole = words.reduce((sum, word) => sum + word.weight + (word === last ? 0 : word.pause), 0);
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
  #chars = 0;
  #ms = 0;

  learn(text: string, spokenMs: number): void {
    if (spokenMs <= 0) return;
    this.#chars += weightOf(text);
    this.#ms += spokenMs;
  }

  /** What a text is going to take, in ms. */
  expectedMs(text: string): number {
    const msPerChar = this.#chars === 0 ? FIRST_GUESS_MS_PER_CHAR : this.#ms / this.#chars;
    return weightOf(text) * msPerChar;
  }
}

const weightOf = (text: string): number =>
  writtenWords(text).reduce((sum, { weight, pause }) => sum + weight + pause, 0);

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
  return words;
}

/** A word without the marks about it. */
function wordAt(written: string, start: number): WrittenWord {
  const from = written.search(SOUNDING);
  const tail = /[^\p{L}\p{N}\p{M}]*$/u.exec(written)?.[0] ?? '';
  const text = written.slice(from, written.length - tail.length);
  const letters = [...text].reduce((sum, char) => sum + (HEAVY.test(char) ? HEAVY_CHARS : 1), 0);
  return { text, start: start + from, weight: letters + WORD_CHARS, pause: pauseAfter(tail) };
}

const pauseAfter = (marks: string): number =>
  /[.!?。！？…]/u.test(marks)
    ? SENTENCE_PAUSE_CHARS
    : /[,;:，；：、–—]/u.test(marks)
      ? CLAUSE_PAUSE_CHARS
      : 0;
