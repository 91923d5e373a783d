import { AUDIBLE_MAGNITUDE, FULL_SCALE } from './pcm.ts';

/** Longer than a period of the lowest voice, shorter than a pause between words. */
const STRETCH_S = 0.02;

/**
 * Returns the level of speech: the root mean square of its audible stretches of 20 ms (RMS of −50 dBFS or more), so that
 * pauses do not count. 1 is full scale; null if nothing is audible. Unlike loudness, it is not weighted by frequency.
 * @param blocks samples in order; block boundaries have no meaning
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
