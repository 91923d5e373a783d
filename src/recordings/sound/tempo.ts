import { FULL_SCALE, peakMagnitude } from '#lib/pcm.ts';
import { percentile } from '#lib/statistics/percentiles.ts';
import { syllables } from './syllables.ts';
import { heardIn, type TurnSound } from './turn-sound.ts';

/** A shorter text shows no pace. */
const LEAST_SYLLABLES = 8;
/** Length of a stretch whose zero crossings show the lowest formant. */
const CROSSING_S = 0.03;
/** Louder than this below loud speech, a stretch is voiced. */
const VOICED_DB = 12;

/** A pace with the pitch of a turn. */
interface Pace {
  /** Syllables of text a second of sound. */
  pace: number;
  /** Pace times the frequency of the voice, in Hz: the wrong rate changes it fourfold, and a faster speaker does not. */
  product: number;
}

/** Pace and pitch of a turn, with the least and the most syllables that its text may have. */
export interface Tempo {
  least: Pace;
  most: Pace;
}

/** Returns the tempo of a turn; null where it is too short, or was cut off. */
export function tempoOf(sound: TurnSound): Tempo | null {
  const { samples, sampleRate, text, isCut, loudDbfs } = sound;
  const spoken = syllables(text);
  const heardS = heardIn({ from: 0, to: samples.length }, sound);
  if (isCut || spoken.least < LEAST_SYLLABLES || heardS === 0) return null;
  const length = Math.round(CROSSING_S * sampleRate);
  const loud = FULL_SCALE * 10 ** ((loudDbfs - VOICED_DB) / 20);
  const crossings: number[] = [];
  for (let from = 0; from + length <= samples.length; from += length) {
    if (peakMagnitude(samples.subarray(from, from + length)) < loud) continue;
    let count = 0;
    for (let at = from + 1; at < from + length; at += 1)
      // The sign bit of both differs.
      count += ((samples[at - 1] ?? 0) ^ (samples[at] ?? 0)) >>> 31;
    crossings.push(count / 2 / CROSSING_S);
  }
  const hz = percentile(crossings, 0.5);
  const paceOf = (count: number): Pace => ({ pace: count / heardS, product: (count / heardS) * hz });
  return { least: paceOf(spoken.least), most: paceOf(spoken.most) };
}

/** Few slow deep voices are below it, and fast high ones at one and a half times their speed are below the other. */
const LEAST_PRODUCT = 2600;
/** Speech often ends at half of such a band, so that only the tempo counts: a slow deep voice at 0.7 of its speed has more. */
const WIDE_BAND_HZ = 40_000;
const LEAST_WIDE_PRODUCT = 1500;
const MOST_PRODUCT = 13_000;
/** A turn that has so many times as much as others differs from them by more than its voice. */
const MOST_RATIO = 1.6;
const FAST_PACE = 6.5;
/** Energy of the upper half of the band, compared with all. Speech at its own rate has more. */
const EMPTY_DB = -40;

/** Returns why the samples of a turn need a higher rate than the format names, in words; null where they do not. */
export const slowText = (
  { samples, sampleRate }: TurnSound,
  { most: { pace, product } }: Tempo,
): string | null =>
  product < (sampleRate > WIDE_BAND_HZ ? LEAST_WIDE_PRODUCT : LEAST_PRODUCT) &&
  upperBandDb(samples) < EMPTY_DB
    ? `${paceText(pace)} and an empty upper half of the band`
    : null;

/** The same for a lower rate. @param isOutlier the other turns of the session are far slower and lower */
export const fastText = ({ least, most: { pace } }: Tempo, isOutlier: boolean): string | null =>
  pace > FAST_PACE && (least.product > MOST_PRODUCT || isOutlier)
    ? `${paceText(pace)} in a high voice`
    : null;

/** Whether a turn is far faster and higher than another one, whichever of their syllables are spoken. */
export const isFarFaster = (turn: Tempo, other: Tempo): boolean =>
  turn.least.product > MOST_RATIO * other.least.product &&
  turn.most.product > MOST_RATIO * other.most.product;

const paceText = (pace: number): string => `${pace.toFixed(1)} syllables a second`;

/** Half-band high-pass of 31 taps: a windowed sinc, shifted by half the rate. */
const HIGH_PASS = Float64Array.from({ length: 31 }, (_, at) => {
  const x = at - 15;
  const sinc = x === 0 ? 0.45 : Math.sin(0.45 * Math.PI * x) / (Math.PI * x);
  const blackman = 0.42 + 0.5 * Math.cos((Math.PI * x) / 16) + 0.08 * Math.cos((2 * Math.PI * x) / 16);
  return sinc * blackman * (x % 2 === 0 ? 1 : -1);
});

/** Energy above half of the band in dB of all energy. */
function upperBandDb(samples: Int16Array): number {
  let all = 1;
  let upper = 0;
  for (let at = 0; at + HIGH_PASS.length <= samples.length; at += 1) {
    let sum = 0;
    for (let tap = 0; tap < HIGH_PASS.length; tap += 1)
      sum += (HIGH_PASS[tap] ?? 0) * (samples[at + tap] ?? 0);
    upper += sum * sum;
    all += (samples[at] ?? 0) ** 2;
  }
  return 10 * Math.log10(upper / all + 1 / FULL_SCALE ** 2);
}
