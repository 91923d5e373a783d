import { AUDIBLE_MAGNITUDE } from './pcm.ts';

/** Long enough for a period of the lowest voice, short enough to fall between two words. */
const STRETCH_S = 0.02;
const FULL_SCALE = 32_768;

/**
 * How loud speech is: the root mean square of its samples, 1 being full scale, over those stretches of 20 ms that can be
 * heard at all (an RMS of −50 dBFS or more). Pauses therefore count for nothing, however long they are. Null where no
 * stretch can be heard. Not weighted by frequency, as a loudness meter is.
 * @param blocks samples in order; where one block ends means nothing
 */
export function speechLevel(blocks: Iterable<Int16Array>, sampleRate: number): number | null {
  const stretch = Math.max(1, Math.round(STRETCH_S * sampleRate));
  const least = stretch * AUDIBLE_MAGNITUDE ** 2;
  let audible = 0;
  let squares = 0;
  let inStretch = 0;
  let ofStretch = 0;
  for (const block of blocks) {
    for (let at = 0; at < block.length; at += 1) {
      const sample = block[at] ?? 0;
      ofStretch += sample * sample;
      inStretch += 1;
      if (inStretch < stretch) continue;
      if (ofStretch >= least) {
        squares += ofStretch;
        audible += stretch;
      }
      inStretch = 0;
      ofStretch = 0;
    }
  }
  return audible === 0 ? null : Math.sqrt(squares / audible) / FULL_SCALE;
}
