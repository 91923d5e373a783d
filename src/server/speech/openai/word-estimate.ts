import { setImmediate } from 'node:timers/promises';
import { bisect } from '#lib/collections/bisect.ts';
import { CLAUSE_MARKS, SENTENCE_MARKS } from '#lib/text/punctuation.ts';
import { isUnspaced, writtenWords } from '#lib/text/words.ts';
import type { MappedText } from '../text/mapped-text.ts';
import type { HeardSound } from './heard-sounds.ts';

/** Length of a frame of the level. Shorter than any sound, longer than a period of most voices. */
const FRAME_MS = 10;
/** A frame below this share of the loud ones is silent (−30 dB). */
const SILENT_SHARE = 0.03;
/** The loud frames: this share of all is louder. */
const LOUD_QUANTILE = 0.1;
/** Shorter silences belong to a sound, such as the closure of a `t`. */
const LEAST_PAUSE_FRAMES = 9;

/** Follows the level of audio, block by block. */
export class LevelTracker {
  readonly #frameLength: number;
  /** Root mean square of each frame. */
  readonly #levels: number[] = [];
  #squares = 0;
  #samples = 0;

  constructor(sampleRate: number) {
    this.#frameLength = Math.round((sampleRate * FRAME_MS) / 1000);
  }

  push(samples: Int16Array): void {
    for (const sample of samples) {
      this.#squares += sample * sample;
      this.#samples += 1;
      if (this.#samples < this.#frameLength) continue;
      this.#levels.push(Math.sqrt(this.#squares / this.#samples));
      this.#squares = 0;
      this.#samples = 0;
    }
  }

  /** Length of the silence behind the last sound. */
  get silentEndMs(): number {
    const silent = this.#silentLevel();
    return (this.#levels.length - 1 - this.#levels.findLastIndex((level) => level > silent)) * FRAME_MS;
  }

  #silentLevel(): number {
    // Numbers of a typed array are sorted many times faster.
    const sorted = Float32Array.from(this.#levels).sort().reverse();
    return (sorted[Math.floor(sorted.length * LOUD_QUANTILE)] ?? 0) * SILENT_SHARE;
  }

  /** Runs of sound between pauses, as frames: start, and end exclusive. */
  runs(): SoundRun[] {
    const silent = this.#silentLevel();
    const runs: { start: number; end: number }[] = [];
    this.#levels.forEach((level, at) => {
      if (level <= silent) return;
      const last = runs.at(-1);
      if (last && at - last.end < LEAST_PAUSE_FRAMES) last.end = at + 1;
      else runs.push({ start: at, end: at + 1 });
    });
    return runs;
  }
}

interface SoundRun {
  readonly start: number;
  readonly end: number;
}

/** A word as it is spoken. */
interface SpokenUnit {
  readonly source: number;
  /** Expected length relative to other words. */
  readonly weight: number;
  /** A mark follows at which voices pause. */
  readonly pauses: boolean;
}

// Relative lengths of what a word is made of, in letters. Digits and signs are read as words.
const WORD_WEIGHT = 1;
const DIGIT_WEIGHT = 6;
const SIGN_WEIGHT = 5;
const SYLLABLE_WEIGHT = 3;
const PAUSING = new RegExp(`^[\\p{Pe}\\p{Pf}"']*[${SENTENCE_MARKS}${CLAUSE_MARKS}\\u2014]`, 'u');
const BEHIND_CHARS = 4;

function unitsOf({ text, sourceAt }: MappedText): SpokenUnit[] {
  return writtenWords(text).map(({ start, end }) => {
    let weight = WORD_WEIGHT;
    for (const unit of text.slice(start, end)) {
      if (/\p{Nd}/u.test(unit)) weight += DIGIT_WEIGHT;
      else if (isUnspaced(unit)) weight += SYLLABLE_WEIGHT;
      else if (/\p{L}/u.test(unit)) weight += 1;
      else if (/\p{S}/u.test(unit)) weight += SIGN_WEIGHT;
    }
    const pauses = PAUSING.test(text.slice(end, end + BEHIND_CHARS).trimStart());
    return { source: sourceAt[start] ?? 0, weight, pauses };
  });
}

// Costs in the square of a relative deviation.
/** A pause where no mark asks for one. */
const UNMARKED_PAUSE_COST = 0.3;
/** A mark without a pause. */
const MISSING_PAUSE_COST = 0.15;
/** Words that are compared around the expected place. */
const WINDOW = 24;
/** Runs in one round of the event loop, so that others have it in between. */
const RUNS_OF_ROUND = 16;
/** More runs of sound are a noise, which no words divide. */
const MAX_RUNS = { ofAny: 20, ofWord: 4 };

/**
 * Returns the sounds of a text's words in its audio, whose level was tracked: runs of sound take as many words as fit
 * their length, with pauses at marks, and the words of a run share its time by their lengths.
 * @param fromMs time at which the audio begins
 */
export async function estimateSounds(
  mapped: MappedText,
  tracker: LevelTracker,
  fromMs: number,
): Promise<HeardSound[]> {
  const units = unitsOf(mapped);
  const heard = tracker.runs();
  const isNoise = heard.length > MAX_RUNS.ofAny + MAX_RUNS.ofWord * units.length;
  const runs = isNoise ? [{ start: heard[0]?.start ?? 0, end: heard.at(-1)?.end ?? 0 }] : heard;
  const borders = await divide(units, runs);
  return runs.flatMap((run, index) => {
    const words = units.slice(borders[index] ?? 0, borders[index + 1] ?? units.length);
    const total = weightOf(words);
    const frameAt = (weight: number) => run.start + ((run.end - run.start) * weight) / total;
    let spoken = 0;
    return words.map(({ source, weight }) => {
      const startMs = fromMs + frameAt(spoken) * FRAME_MS;
      spoken += weight;
      return { source, startMs, endMs: fromMs + frameAt(spoken) * FRAME_MS };
    });
  });
}

const weightOf = (units: readonly SpokenUnit[]): number => units.reduce((sum, { weight }) => sum + weight, 0);

/**
 * Divides words among runs of sound, in order, at the least cost. A run may take none, such as a breath, or the rest of a
 * word.
 * @returns the first word of each run, and the number of words
 */
async function divide(units: readonly SpokenUnit[], runs: readonly SoundRun[]): Promise<number[]> {
  const total = runs.reduce((sum, { start, end }) => sum + end - start, 0);
  const before = [0];
  for (const { weight } of units) before.push((before.at(-1) ?? 0) + weight);
  const perFrame = (before.at(-1) ?? 0) / Math.max(1, total);
  const marks = [0];
  for (const { pauses } of units) marks.push((marks.at(-1) ?? 0) + (pauses ? 1 : 0));
  /** Least cost with so many words before this run, and the words before the run in front of it. */
  let costs = new Map<number, number>([[0, 0]]);
  const choices: Map<number, number>[] = [];
  let heard = 0;
  for (const [index, { start, end }] of runs.entries()) {
    if (index % RUNS_OF_ROUND === RUNS_OF_ROUND - 1) await setImmediate();
    heard += end - start;
    const isLast = index === runs.length - 1;
    const expected = bisect(0, before.length, (at) => (before[at] ?? 0) < heard * perFrame);
    const from = isLast ? units.length : Math.max(0, expected - WINDOW);
    const to = isLast ? units.length : Math.min(units.length, expected + WINDOW);
    const next = new Map<number, number>();
    const chosen = new Map<number, number>();
    const weight = (end - start) * perFrame;
    for (let until = from; until <= to; until += 1) {
      const pause = isLast || units[until - 1]?.pauses ? 0 : UNMARKED_PAUSE_COST;
      for (const [first, cost] of costs) {
        if (first > until) continue;
        const spoken = (before[until] ?? 0) - (before[first] ?? 0);
        const deviation = (spoken - weight) / Math.max(spoken, weight, 1);
        const missing = Math.max(0, (marks[until - 1] ?? 0) - (marks[first] ?? 0));
        const sum = cost + deviation ** 2 + pause + missing * MISSING_PAUSE_COST;
        if (sum >= (next.get(until) ?? Number.POSITIVE_INFINITY)) continue;
        next.set(until, sum);
        chosen.set(until, first);
      }
    }
    choices.push(chosen);
    costs = next;
  }
  const borders = [units.length];
  for (const chosen of choices.toReversed()) borders.push(chosen.get(borders.at(-1) ?? 0) ?? 0);
  return borders.toReversed();
}
