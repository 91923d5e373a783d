/** Magnitude of the loudest 16-bit sample. */
export const FULL_SCALE = 32_768;

/** Least audible 16-bit magnitude: −50 dB of full scale. */
export const AUDIBLE_MAGNITUDE = Math.round(FULL_SCALE * 10 ** (-50 / 20));

/** Writes signed 16-bit little-endian samples on any machine. */
export function bytesFromSamples(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 * samples.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < samples.length; i += 1) view.setInt16(2 * i, samples[i] ?? 0, true);
  return bytes;
}

/** Returns the number of samples before the first with a magnitude of at least `threshold`. */
export function leadingSilenceSamples(samples: Int16Array, threshold = AUDIBLE_MAGNITUDE): number {
  for (let i = 0; i < samples.length; i += 1) {
    if (Math.abs(samples[i] ?? 0) >= threshold) return i;
  }
  return samples.length;
}

/** Returns the highest magnitude, 0 to {@link FULL_SCALE}. */
export function peakMagnitude(samples: Int16Array): number {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  return peak;
}
