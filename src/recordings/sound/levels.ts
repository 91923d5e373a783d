import { milliseconds } from '#lib/format.ts';
import { FULL_SCALE } from '#lib/pcm.ts';
import type { SoundFault, Stretch, TurnSound } from './turn-sound.ts';

/** Equal samples in a row at the highest level are a peak that was cut off. */
const CLIPPED_RUN = 3;
/** A lower level is a limiter's or a codec's. */
const LEAST_CLIPPED = 0.95 * FULL_SCALE;
/** Cut-off samples that are heard, as a share of all. */
const CLIPPED_SHARE = 0.0005;

const MOST_OFFSET = 0.02;

/** Peaks that were cut off, and a wave beside the zero line. */
export function levelFaults({
  samples,
  sampleRate,
  isCut,
}: TurnSound): SoundFault<'clipping' | 'dc-offset'>[] {
  const faults: SoundFault<'clipping' | 'dc-offset'>[] = [];
  let sum = 0;
  let highest = 0;
  for (const sample of samples) {
    sum += sample;
    highest = Math.max(highest, Math.abs(sample));
  }
  const clipped = highest < LEAST_CLIPPED ? [] : runsAt(samples, highest);
  const count = clipped.reduce((all, { from, to }) => all + to - from, 0);
  const [first] = clipped;
  if (first && count >= CLIPPED_SHARE * samples.length) {
    const lost = milliseconds((1000 * count) / sampleRate);
    const message = `expected rounded peaks, got ${clipped.length} that are flat, ${lost} in all`;
    faults.push({ id: 'clipping', from: first.from, to: clipped.at(-1)?.to ?? first.to, message });
  }
  const offset = sum / samples.length / FULL_SCALE;
  // The start of a word alone may have any mean.
  if (Math.abs(offset) >= MOST_OFFSET && !(isCut && samples.length < sampleRate)) {
    const message = `expected a mean of at most ${100 * MOST_OFFSET} % of full scale, got ${(100 * offset).toFixed(1)} %`;
    faults.push({ id: 'dc-offset', from: 0, to: samples.length, message });
  }
  return faults;
}

/** Runs of equal samples at the highest magnitude, up to one step below it. */
function runsAt(samples: Int16Array, highest: number): Stretch[] {
  const runs: Stretch[] = [];
  const isHighest = (sample: number): boolean => Math.abs(sample) >= highest - 1;
  for (let at = 0; at < samples.length; at += 1) {
    if (!isHighest(samples[at] ?? 0)) continue;
    const from = at;
    while (at + 1 < samples.length && isHighest(samples[at + 1] ?? 0)) at += 1;
    if (at + 1 - from >= CLIPPED_RUN) runs.push({ from, to: at + 1 });
  }
  return runs;
}
