import { STRETCH_MS } from '#lib/alignment/sound-words.ts';
import { largest } from '#lib/collections/arrays.ts';
import { counted, milliseconds, seconds } from '#lib/format.ts';
import { percentile } from '#lib/statistics/percentiles.ts';
import { writtenWords } from '#lib/text/words.ts';
import type { FoundWord } from '#trace/words/text-search.ts';
import { jumpAt } from './seams.ts';
import { silenceText } from './silence.ts';
import {
  durationS,
  faultAt,
  heardIn,
  overlap,
  type PlacedWord,
  runsOf,
  type SoundChunk,
  type SoundFault,
  type Stretch,
  type TurnSound,
} from './turn-sound.ts';

/** So many words in a row whose times are off by more than that on the same side: single ones may be read otherwise. */
const LEAST_OFF_WORDS = 3;
const MOST_OFF_S = 0.15;
/** Times are off by as much as those before, or drift. Words that are not in the sound are found anywhere in it. */
const MOST_SCATTER_S = 0.06;

/** Fewer words show no pace. */
const LEAST_PACED_WORDS = 6;
const [LEAST_MISSING_WORDS, MOST_MISSING_WORDS] = [2, 6];
/** Of the reference. Shorter words are swallowed in ordinary speech. */
const LEAST_MISSING_MS = 200;
/** Of the time that the words take at the pace of the turn; chosen on sentences with and without lost words. */
const MOST_HEARD_SHARE = 0.62;
/** Of the time of a stretch, which may begin and end within words; chosen likewise. */
const MOST_STRETCH_SHARE = 0.54;
/** Sound beside the place, so that a person hears what leads to it. */
const AROUND_MISSING_S = 0.7;

const LEAST_SKIP_S = 0.05;
/** Lengths of frames that the server rounds. */
const ROUNDING_S = 0.004;

const LEAST_WORD_S = 0.08;
/** The sound of its neighbours may reach into the time of a word. */
const HEARD_SHARE = 0.2;
const LEAST_UNCOVERED_S = 0.25;

const hasOwnTime = ({ charEnd, isSpoken, isEstimated }: PlacedWord): boolean =>
  charEnd > 0 && isSpoken && !isEstimated;

/** Whether a rule would use words that were found in this sound. The search costs more than all rules. */
export function needsFound({ chunks, words, isCut }: TurnSound): boolean {
  if (words.filter(hasOwnTime).length >= LEAST_OFF_WORDS) return true;
  const written = chunks.reduce((sum, { text }) => sum + writtenWords(text ?? '').length, 0);
  return !isCut && written >= LEAST_PACED_WORDS;
}

/** Words of a chunk that were found in its sound, by its id. */
export type FoundByChunk = ReadonlyMap<number, readonly FoundWord[]>;

/**
 * Word times and lengths that the sound contradicts. Times that are off explain all others.
 * @param hasRepeat a stretch is there twice, so that words behind it are late by its length
 */
export function wordFaults(sound: TurnSound, found: FoundByChunk, hasRepeat: boolean): SoundFault[] {
  const skipped = skips(sound);
  const missing = missingText(sound, found);
  if (sound.words.length === 0) return [...skipped, ...missing];
  // Words behind a skipped stretch are off by its length.
  const off = hasRepeat
    ? []
    : wordsOff(sound, found).filter(({ from }) => skipped.every((skip) => from < skip.from));
  return off.length > 0
    ? [...off, ...missing]
    : [...skipped, ...wordsInSilence(sound), ...uncovered(sound), ...missing];
}

/** Chunks that are shorter than the server says. */
function skips(sound: TurnSound): SoundFault[] {
  return sound.chunks.flatMap((chunk) => {
    const missingS = (chunk.statedSeconds ?? 0) - durationS(chunk, sound);
    if (missingS < LEAST_SKIP_S) return [];
    const expected = `${seconds(chunk.statedSeconds)} of speech as the server says`;
    const place = placeOfSkip(sound, chunk, missingS * sound.sampleRate);
    return [faultAt('skip-at-seam', place, expected, `${milliseconds(1000 * missingS)} less`)];
  });
}

/** A frame that is shorter by as much, or else the seam with the largest jump. */
function placeOfSkip(
  { samples, sampleRate, seams }: TurnSound,
  { from, to }: Stretch,
  missing: number,
): Stretch {
  const inner = seams.filter((sample) => sample > from && sample < to);
  const frames = [from, ...inner].map((start, at) => ({ from: start, to: inner[at] ?? to }));
  const usual = largest(frames.map((frame) => frame.to - frame.from));
  const isShort = (frame: Stretch): boolean =>
    Math.abs(usual - missing - (frame.to - frame.from)) <= ROUNDING_S * sampleRate;
  const short = frames.slice(0, -1).filter(isShort);
  const places = short.length > 0 ? short : inner.map((place) => ({ from: place, to: place + 1 }));
  const jumpOf = (place: number): number => jumpAt(samples, sampleRate, place).ratio;
  const jumps = places.map((place) => Math.max(jumpOf(place.from), jumpOf(place.to)));
  return places[jumps.indexOf(largest(jumps))] ?? { from, to };
}

/** A word that was found in the sound. */
interface PlacedFound extends Stretch {
  word: FoundWord;
  chunk: SoundChunk;
}

/** Returns the words that were found, in the order of the text. */
const placedFound = ({ chunks, sampleRate }: TurnSound, found: FoundByChunk): PlacedFound[] =>
  chunks.flatMap((chunk) => {
    const placeOf = (ms: number): number => chunk.from + Math.round((ms * sampleRate) / 1000);
    const words = found.get(chunk.id) ?? [];
    return words.map((word) => ({ word, chunk, from: placeOf(word.startMs), to: placeOf(word.endMs) }));
  });

/** Two engines read numbers differently, and then find no word beside them. */
const hasDigit = (word: PlacedFound | undefined): boolean => /\p{N}/u.test(word?.word.word ?? '');
const isCertain = (word: PlacedFound, at: number, words: readonly PlacedFound[]): boolean =>
  ![words[at - 1], word, words[at + 1]].some(hasDigit);

/** Times of words in a row that are off by as much as those before them, or that drift. */
function wordsOff(sound: TurnSound, found: FoundByChunk): SoundFault[] {
  const { words, sampleRate } = sound;
  const byPlace = new Map(words.map((word) => [`${word.chunk} ${word.charStart}`, word]));
  const judged = placedFound(sound, found)
    .filter(isCertain)
    .flatMap(({ word, chunk, from }) => {
      const own = byPlace.get(`${chunk.id} ${word.charStart}`);
      return own && hasOwnTime(own)
        ? { from: own.from, to: own.to, lateS: (own.from - from) / sampleRate }
        : [];
    });
  const sideOf = (at: number): number =>
    Math.abs(judged[at]?.lateS ?? 0) > MOST_OFF_S ? Math.sign(judged[at]?.lateS ?? 0) : 0;
  return [1, -1]
    .flatMap((side) => runsOf(judged.length, (at) => sideOf(at) === side, LEAST_OFF_WORDS))
    .flatMap((places) => {
      const run = judged.slice(places.from, places.to);
      const late = run.map(({ lateS }) => lateS);
      const [first, last] = [run[0], run.at(-1)];
      const middle = percentile(late, 0.5);
      const scatterOf = (slope: number): number =>
        percentile(
          late.map((lateS, at) => Math.abs(lateS - middle - slope * (at - (late.length - 1) / 2))),
          0.5,
        );
      // No time is before the start of its chunk, so that a line through all misses those that are off by as much.
      const [drift = 0] = [0, slopeOf(late)].toSorted((a, b) => scatterOf(a) - scatterOf(b));
      if (!first || !last || scatterOf(drift) > MOST_SCATTER_S) return [];
      const by = (lateS: number): string => milliseconds(1000 * Math.abs(lateS));
      const drifts = Math.abs(drift * (late.length - 1)) > MOST_OFF_S;
      const much = drifts ? `${by(first.lateS)} and drift to ${by(last.lateS)}` : by(middle);
      const got = `${counted(run.length, 'word')} in a row that run ${much} ${middle < 0 ? 'ahead' : 'behind'}`;
      return faultAt('words-off', { from: first.from, to: last.to }, 'words at their sound', got);
    });
}

/** Returns by how much values rise from one to the next. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  return values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0) / Math.max(1, squares);
}

/**
 * Words in a row that take far less time than in the reference, by the pace of the turn, so that their sound may be lost. It is
 * a hint: voices swallow words too.
 */
function missingText(sound: TurnSound, found: FoundByChunk): SoundFault[] {
  const words = placedFound(sound, found);
  if (sound.isCut || words.length < LEAST_PACED_WORDS) return [];
  const soundMs = words.map(({ word }) => Math.max(0, word.endMs - word.startMs));
  const referenceMs = words.map(({ word }) => Math.max(1, word.referenceMs));
  const pace = percentile(
    soundMs.map((ms, at) => ms / (referenceMs[at] ?? 1)),
    0.5,
  );
  const shares: (Stretch & { share: number })[] = [];
  for (let from = 0; from < words.length; from += 1) {
    let [heard, expected] = [0, 0];
    for (let to = from; to < Math.min(words.length, from + MOST_MISSING_WORDS); to += 1) {
      const [first, last] = [words[from], words[to]];
      if (!last || last.chunk !== first?.chunk || !isCertain(last, to, words)) break;
      heard += soundMs[to] ?? 0;
      expected += referenceMs[to] ?? 0;
      const share = heard / (expected * pace);
      const isLong = to - from + 1 >= LEAST_MISSING_WORDS && expected >= LEAST_MISSING_MS;
      if (isLong && share < MOST_HEARD_SHARE) shares.push({ from, to: to + 1, share });
      // The words that a stretch of the first one reaches.
      const isReached = expected - (referenceMs[to] ?? 0) < STRETCH_MS || to === from + 1;
      const isStretch = to > from && isReached && (expected >= STRETCH_MS || to === words.length - 1);
      const stretch = (first.word.leastMs ?? Number.POSITIVE_INFINITY) / (STRETCH_MS * pace);
      // Whole words say better what is missing.
      if (isStretch && stretch < MOST_STRETCH_SHARE) shares.push({ from, to: to + 1, share: 1 + stretch });
    }
  }
  const apart: Stretch[] = [];
  for (const one of shares.toSorted((a, b) => a.share - b.share))
    if (!apart.some((other) => overlap(one, other) > 0)) apart.push(one);
  const missing: Stretch[] = [];
  for (const { from, to } of apart.toSorted((a, b) => a.from - b.from)) {
    const before = missing.at(-1);
    if (before?.to === from) before.to = to;
    else missing.push({ from, to });
  }
  const around = AROUND_MISSING_S * sound.sampleRate;
  return missing.flatMap((run) => {
    const [first, last] = [words[run.from], words[run.to - 1]];
    if (!first || !last) return [];
    const text = (first.chunk.text ?? '').slice(first.word.charStart, last.word.charEnd);
    const from = Math.max(0, first.from - around);
    const to = Math.min(sound.samples.length, last.to + around);
    return {
      id: 'text-missing',
      from,
      to,
      message: `possibly missing: ${JSON.stringify(text)}. Listen here.`,
    };
  });
}

function wordsInSilence(sound: TurnSound): SoundFault[] {
  const { words, samples, isCut } = sound;
  return words
    .filter(
      (word) =>
        word.isSpoken &&
        // The rest of a turn that was cut is not expected.
        !(isCut && word.to >= samples.length) &&
        durationS(word, sound) >= LEAST_WORD_S &&
        heardIn(word, sound) < HEARD_SHARE * durationS(word, sound),
    )
    .map((word) =>
      faultAt('word-in-silence', word, `the sound of ${JSON.stringify(word.word)}`, silenceText(word, sound)),
    );
}

function uncovered(sound: TurnSound): SoundFault[] {
  const { words, chunks, isCut } = sound;
  return chunks
    .filter((chunk) => chunk.words !== null || !isCut)
    .flatMap((chunk) => gapsOf(chunk, words))
    .map((gap) => ({ ...gap, heardS: heardIn(gap, sound) }))
    .filter(({ heardS }) => heardS >= LEAST_UNCOVERED_S)
    .map((gap) =>
      faultAt('words-uncovered', gap, 'a word for all speech', `${seconds(gap.heardS)} without one`),
    );
}

/** Returns the parts of a stretch that no word is in. */
function gapsOf(chunk: Stretch, words: readonly Stretch[]): Stretch[] {
  const gaps: Stretch[] = [];
  let from = chunk.from;
  for (const word of words.filter((one) => overlap(one, chunk) > 0).toSorted((a, b) => a.from - b.from)) {
    if (word.from > from) gaps.push({ from, to: word.from });
    from = Math.max(from, word.to);
  }
  return from < chunk.to ? [...gaps, { from, to: chunk.to }] : gaps;
}
