/** Above this share of full scale the curve bends instead of clipping. */
const KNEE = 0.8;
const FULL_SCALE = 32768;
const LARGEST = 32767;

/**
 * Applies a gain and rounds to 16 bit. What would pass full scale is bent below it, sample by sample, so that
 * the result does not depend on where blocks begin.
 * @param samples in the scale of 16-bit integers
 */
export function toLoudness(samples: Float32Array, gainDb: number): Int16Array<ArrayBuffer> {
  const gain = 10 ** (gainDb / 20) / FULL_SCALE;
  const out = new Int16Array(samples.length);
  for (let i = 0; i < out.length; i += 1) {
    const value = (samples[i] ?? 0) * gain;
    const size = Math.abs(value);
    const bent = size <= KNEE ? size : KNEE + (1 - KNEE) * Math.tanh((size - KNEE) / (1 - KNEE));
    out[i] = Math.round(Math.sign(value) * bent * LARGEST);
  }
  return out;
}
