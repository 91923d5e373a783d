import { milliseconds } from '#lib/format.ts';
import { FULL_SCALE, peakMagnitude } from '#lib/pcm.ts';
import { faultAt, runsOf, type SoundFault, type TurnSound } from './turn-sound.ts';

/** Equal samples in a row at the highest level, up to one step below it, are a peak that was cut off. */
const CLIPPED_RUN = 3;
/** A lower level is a limiter's or a codec's. */
const LEAST_CLIPPED = 0.95 * FULL_SCALE;
/** Cut-off samples that are heard, as a share of all. */
const CLIPPED_SHARE = 0.0005;

const MOST_OFFSET = 0.02;

/** Peaks that were cut off, and a wave beside the zero line. */
export function levelFaults({ samples, sampleRate, isCut }: TurnSound): SoundFault[] {
  const faults: SoundFault[] = [];
  const { length } = samples;
  const highest = peakMagnitude(samples);
  const isHighest = (at: number): boolean => Math.abs(samples[at] ?? 0) >= highest - 1;
  const clipped = highest < LEAST_CLIPPED ? [] : runsOf(length, isHighest, CLIPPED_RUN);
  const count = clipped.reduce((all, { from, to }) => all + to - from, 0);
  const [first] = clipped;
  if (first && count >= CLIPPED_SHARE * length) {
    const got = `${clipped.length} that are flat, ${milliseconds((1000 * count) / sampleRate)} in all`;
    const { to } = clipped.at(-1) ?? first;
    faults.push(faultAt('clipping', { from: first.from, to }, 'rounded peaks', got));
  }
  let sum = 0;
  for (let at = 0; at < length; at += 1) sum += samples[at] ?? 0;
  const offset = sum / length / FULL_SCALE;
  // The start of a word alone may have any mean.
  if (Math.abs(offset) >= MOST_OFFSET && !(isCut && length < sampleRate)) {
    const expected = `a mean of at most ${100 * MOST_OFFSET} % of full scale`;
    faults.push(faultAt('dc-offset', { from: 0, to: length }, expected, `${(100 * offset).toFixed(1)} %`));
  }
  return faults;
}
