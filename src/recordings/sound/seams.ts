import { largest } from '#lib/collections/arrays.ts';
import { milliseconds, seconds } from '#lib/format.ts';
import { FULL_SCALE } from '#lib/pcm.ts';
import { dbfsOf, faultAt, type SoundFault, type TurnSound } from './turn-sound.ts';

/** Speech on either side of a seam, which shows how far its samples jump. */
const AROUND_S = 0.015;
/** Coefficients of the linear prediction. */
const ORDER = 12;
/** A click is so many times as far from its prediction as anything around it. */
const CLICK_RATIO = 2.6;
const LEAST_CLICK = FULL_SCALE / 10;
/** The prediction of as many samples is wrong where a sample jumps. */
const DISTURBED = 2;

const LEAST_REPEAT_S = 0.02;
const MOST_REPEAT_S = 0.5;

/** Clicks and repeats where the audio of two frames meets. */
export function seamFaults(sound: TurnSound): SoundFault[] {
  const { samples, sampleRate, seams } = sound;
  return seams.flatMap((from) => {
    const repeated = repeatedSamples(sound, from);
    if (repeated > 0) {
      const got = `the last ${seconds(repeated / sampleRate)} again`;
      return [faultAt('repeat-at-seam', { from, to: from + repeated }, 'speech that goes on', got)];
    }
    // Most seams are smooth, and prediction costs more than all other rules.
    if (Math.abs((samples[from] ?? 0) - (samples[from - 1] ?? 0)) < LEAST_CLICK) return [];
    const { ratio, jump } = jumpAt(samples, sampleRate, from);
    if (ratio < CLICK_RATIO || jump < LEAST_CLICK) return [];
    const expected = `a step like those of the ${milliseconds(1000 * AROUND_S)} around it`;
    const got = `one ${ratio.toFixed(1)} times as large`;
    return [faultAt('click-at-seam', { from, to: from + 1 }, expected, got)];
  });
}

/**
 * Returns how far the samples at a seam are from their linear prediction, as a multiple of the largest error around, and
 * in steps of 16 bits. Each side has coefficients of its own. The one largest error behind the seam does not count, because
 * a jump may be followed by the jump back.
 */
export function jumpAt(
  samples: Int16Array,
  sampleRate: number,
  seam: number,
): { ratio: number; jump: number } {
  const around = Math.round(AROUND_S * sampleRate);
  const from = Math.max(0, seam - around);
  const to = Math.min(samples.length, seam + around);
  // The jump is an input of the predictions behind it.
  const behindFrom = Math.min(to, seam + DISTURBED);
  const before = predictor(samples, from, seam);
  const jump = largest(errorsOf(samples, before, seam, behindFrom));
  const behind = errorsOf(samples, predictor(samples, behindFrom, to), behindFrom + ORDER, to);
  const back = behind.indexOf(largest(behind));
  const others = [
    errorsOf(samples, before, from + ORDER, seam),
    behind.subarray(0, Math.max(0, back)),
    behind.subarray(back + ORDER),
  ];
  return {
    ratio:
      jump /
      largest(
        others.map((errors) => largest(errors)),
        1,
      ),
    jump,
  };
}

/** Distances of samples from their prediction. */
function errorsOf(samples: Int16Array, coefficients: Float64Array, from: number, to: number): Float64Array {
  return Float64Array.from({ length: Math.max(0, to - from) }, (_, index) => {
    const at = from + index;
    let predicted = 0;
    for (let lag = 1; lag <= ORDER; lag += 1)
      predicted += (coefficients[lag] ?? 0) * (samples[at - lag] ?? 0);
    return Math.abs((samples[at] ?? 0) - predicted);
  });
}

/** Returns the coefficients of the linear prediction of a stretch, from its autocorrelation (Levinson-Durbin). */
function predictor(samples: Int16Array, from: number, to: number): Float64Array {
  const correlation = new Float64Array(ORDER + 1);
  for (let lag = 0; lag <= ORDER; lag += 1)
    for (let at = from + lag; at < to; at += 1)
      correlation[lag] = (correlation[lag] ?? 0) + (samples[at] ?? 0) * (samples[at - lag] ?? 0);
  const coefficients = new Float64Array(ORDER + 1);
  // A little noise keeps the recursion stable for pure tones and silence.
  let error = (correlation[0] ?? 0) * 1.0001 + 1;
  for (let order = 1; order <= ORDER; order += 1) {
    let sum = correlation[order] ?? 0;
    for (let lag = 1; lag < order; lag += 1)
      sum -= (coefficients[lag] ?? 0) * (correlation[order - lag] ?? 0);
    const reflection = sum / error;
    const before = coefficients.slice();
    coefficients[order] = reflection;
    for (let lag = 1; lag < order; lag += 1)
      coefficients[lag] = (before[lag] ?? 0) - reflection * (before[order - lag] ?? 0);
    error *= 1 - reflection ** 2;
  }
  return coefficients;
}

/**
 * Returns the number of samples from a seam on that repeat those before it, 0 for none. Equal samples further back show
 * that the wave itself is periodic.
 */
function repeatedSamples({ samples, sampleRate, audibleDbfs }: TurnSound, seam: number): number {
  const least = Math.round(LEAST_REPEAT_S * sampleRate);
  // Some samples before the stretch show whether the wave is periodic.
  const most = Math.min(
    seam - Math.ceil(least / 40),
    samples.length - seam,
    Math.round(MOST_REPEAT_S * sampleRate),
  );
  // Silence is equal to silence at any distance.
  const isAudible = (count: number): boolean =>
    dbfsOf(samples, { from: seam, to: seam + count }) >= audibleDbfs;
  if (!isAudible(3 * least)) return 0;
  for (let length = least; length <= most; length += 1) {
    if (equalFrom(samples, seam, length, length, 1) < length) continue;
    const behind = Math.min(least, seam - length);
    // A tone, whose every period would be compared.
    if (equalFrom(samples, seam - 1, length, behind, -1) === behind) return 0;
    if (isAudible(length)) return length;
  }
  return 0;
}

/** Counts samples from a place on that are equal to those `lag` before them. @param step 1 for forwards, -1 for back */
function equalFrom(samples: Int16Array, from: number, lag: number, most: number, step: 1 | -1): number {
  let count = 0;
  while (count < most && samples[from + step * count] === samples[from + step * count - lag]) count += 1;
  return count;
}
