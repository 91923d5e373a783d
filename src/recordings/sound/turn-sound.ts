import { AUDIBLE_DBFS, FULL_SCALE } from '#lib/pcm.ts';
import { SENTENCE_MARKS } from '#lib/text/punctuation.ts';
import type { SpokenWord } from '#protocol/core/speech-event.ts';
import { hasWords, withoutTags } from '#protocol/core/text-words.ts';
import type { SoundRuleId } from './sound-rules.ts';

/** Levels are measured in windows of 10 ms, as fine as the places of findings. */
export const WINDOW_S = 0.01;
/** In a quiet voice, speech reaches further down: this far below its loud windows. */
const SPEECH_RANGE_DB = 32;
const LEAST_DBFS = -70;

/** A run of samples, its end exclusive. */
export interface Stretch {
  from: number;
  to: number;
}

/** A word with its place in the samples of the turn. */
export interface PlacedWord extends Stretch {
  word: string;
  chunk: number;
  /** Its place in the text of the chunk; 0 where it is not known. */
  charStart: number;
  charEnd: number;
  /** Its time is a share of a longer stretch. */
  isEstimated: boolean;
  /** It has letters or digits outside of tags. */
  isSpoken: boolean;
  /** Its sentence goes on. */
  isInSentence: boolean;
}

/** A part of the text and the samples that it became. */
export interface SoundChunk extends Stretch {
  id: number;
  text: string | null;
  /** In the times of {@link SpokenWord}; null where the server sent none. */
  words: readonly SpokenWord[] | null;
  /** Length as the server says; null where it does not. */
  statedSeconds: number | null;
}

/** The sound of one turn, as its frames brought it. */
export interface ReceivedSound {
  readonly samples: Int16Array;
  /** In Hz. */
  readonly sampleRate: number;
  /** The first sample of each audio frame but the first one. */
  readonly seams: readonly number[];
  /** Samples that encoder and decoder put before the sound. Word times do not count them. */
  readonly delay: number;
  readonly chunks: readonly SoundChunk[];
  /** All text of the turn, as its chunks have it, and as the client sent it. */
  readonly text: string;
  readonly sentText: string;
  /** The rest of the turn was never sent, because it was cancelled or lost. */
  readonly isCut: boolean;
}

/** The sound of one turn, with what the rules share. */
export type TurnSound = Readonly<ReturnType<typeof listen>>;

/** Something wrong with the sound, in samples of the turn. */
export interface SoundFault extends Stretch {
  id: SoundRuleId;
  message: string;
}

/** @param expected ends the sentence that begins with this word, as does `got` */
export const faultAt = (
  id: SoundRuleId,
  { from, to }: Stretch,
  expected: string,
  got: string,
): SoundFault => ({ id, from, to, message: `expected ${expected}, got ${got}` });

/** Measures what the rules share. */
export function listen(received: ReceivedSound) {
  const { samples, sampleRate, chunks } = received;
  const window = Math.max(1, Math.round(WINDOW_S * sampleRate));
  const levels = Float32Array.from({ length: Math.ceil(samples.length / window) }, (_, at) =>
    dbfsOf(samples, { from: at * window, to: (at + 1) * window }),
  );
  const loudDbfs = levels.slice().sort()[Math.floor(levels.length * 0.9)] ?? LEAST_DBFS;
  const audibleDbfs = Math.max(LEAST_DBFS, Math.min(AUDIBLE_DBFS, loudDbfs - SPEECH_RANGE_DB));
  const silences = runsOf(levels.length, (at) => (levels[at] ?? 0) < audibleDbfs).map(({ from, to }) => ({
    from: from * window,
    to: Math.min(to * window, samples.length),
  }));
  const [first] = silences;
  const last = silences.at(-1);
  const { length } = samples;
  return {
    ...received,
    words: chunks.flatMap((chunk) => placedWords(chunk, received)),
    /** Samples of a window. */
    window,
    /** By window, see {@link dbfsOf}. */
    levels,
    /** The level of loud speech: nine of ten windows are quieter. */
    loudDbfs,
    /** From this level on, sound is audible. */
    audibleDbfs,
    /** Runs without audible sound, in their order. */
    silences,
    /** The samples from the first to the last audible one. */
    audible: { from: first?.from === 0 ? first.to : 0, to: last?.to === length ? last.from : length },
    /** Nothing in it is as loud as speech. */
    isSilent: !levels.some((level) => level >= AUDIBLE_DBFS),
  };
}

const SENTENCE_END = new RegExp(`[${SENTENCE_MARKS}\\n]`, 'u');

function placedWords(
  { id, from, text, words }: SoundChunk,
  { samples, sampleRate, delay }: ReceivedSound,
): PlacedWord[] {
  // A tag has times too where a server sends those of all characters.
  const spoken = text === null ? null : withoutTags(text);
  return (words ?? []).map(({ word, startMs, endMs, charStart, charEnd, isEstimated = false }, at) => {
    // Without offsets, the sentence may end.
    const next = charEnd > 0 ? words?.[at + 1]?.charStart : undefined;
    const isInSentence =
      next !== undefined && !SENTENCE_END.test(word.slice(-1) + (text ?? '').slice(charEnd, next));
    const placeOf = (ms: number): number =>
      Math.min(samples.length, from + delay + Math.round((ms * sampleRate) / 1000));
    const said = charEnd > 0 && spoken ? spoken.slice(charStart, charEnd) : word;
    const isSpoken = hasWords(said);
    const place = { from: placeOf(startMs), to: placeOf(endMs), charStart, charEnd };
    return { word, chunk: id, ...place, isEstimated, isSpoken, isInSentence };
  });
}

/** Returns the level of samples in dBFS: half of what they span. So a constant offset is no sound. */
export function dbfsOf(samples: Int16Array, { from, to }: Stretch): number {
  let least = FULL_SCALE;
  let most = -FULL_SCALE;
  for (let at = from; at < to && at < samples.length; at += 1) {
    const sample = samples[at] ?? 0;
    if (sample < least) least = sample;
    if (sample > most) most = sample;
  }
  return 20 * Math.log10(Math.max(0, most - least) / 2 / FULL_SCALE + 1e-6);
}

/** Returns the runs of places below a count for which something holds. @param least length of a run */
export function runsOf(count: number, holds: (at: number) => boolean, least = 1): Stretch[] {
  const runs: Stretch[] = [];
  for (let at = 0, from = 0; at <= count; at += 1) {
    if (at < count && holds(at)) continue;
    if (at - from >= least) runs.push({ from, to: at });
    from = at + 1;
  }
  return runs;
}

/** Samples that two stretches share. */
export const overlap = (a: Stretch, b: Stretch): number =>
  Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));

export const durationS = ({ from, to }: Stretch, { sampleRate }: Pick<ReceivedSound, 'sampleRate'>): number =>
  (to - from) / sampleRate;

/** Returns the seconds of audible sound in a stretch. */
export const heardIn = (stretch: Stretch, { silences, sampleRate }: TurnSound): number =>
  silences.reduce((heard, silence) => heard - overlap(silence, stretch), stretch.to - stretch.from) /
  sampleRate;
