import { AUDIBLE_MAGNITUDE, FULL_SCALE } from '#lib/pcm.ts';

/** Quieter stretches are no speech: fricatives of the local voices are above. */
const SPEECH_DBFS = -38;
const FRAME_S = 0.01;

export const isAudible = (sample: number | undefined): boolean => Math.abs(sample ?? 0) >= AUDIBLE_MAGNITUDE;

/** Whether a sample is at the end of a fading sound, which may count as silence or not. */
export const isQuiet = (sample: number | undefined): boolean => Math.abs(sample ?? 0) < 4 * AUDIBLE_MAGNITUDE;

/** Whether a stretch is speech throughout, except for less than a quarter of it. */
export function speechAt(samples: Int16Array, from: number, to: number, sampleRate: number): boolean {
  const first = Math.round(from);
  const last = Math.round(to);
  if (first < 0 || last > samples.length || last <= first) return false;
  const size = Math.max(1, Math.min(last - first, Math.round(FRAME_S * sampleRate)));
  let frames = 0;
  let loud = 0;
  for (let at = first; at + size <= last; at += size) {
    let power = 0;
    for (let each = at; each < at + size; each += 1) power += (samples[each] ?? 0) ** 2;
    frames += 1;
    if (10 * Math.log10(power / size / FULL_SCALE ** 2) > SPEECH_DBFS) loud += 1;
  }
  return loud >= frames * 0.75;
}
