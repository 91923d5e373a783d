/** Least audible 16-bit magnitude: −50 dB of full scale. */
export const AUDIBLE_MAGNITUDE = Math.round(32_768 * 10 ** (-50 / 20));

/** Reads signed 16-bit little-endian samples; an odd byte at the end is left out. */
export function samplesFromBytes(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Int16Array(bytes.byteLength >> 1);
  for (let i = 0; i < samples.length; i += 1) samples[i] = view.getInt16(2 * i, true);
  return samples;
}

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
