/** Speech below this is not heard: −50 dB of full scale, as a 16-bit magnitude. */
export const AUDIBLE_MAGNITUDE = Math.round(32_768 * 10 ** (-50 / 20));

/** Whole signed 16-bit little-endian samples; an odd byte at the end is left out. */
export function samplesFromBytes(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const samples = new Int16Array(bytes.byteLength >> 1);
  for (let i = 0; i < samples.length; i += 1) samples[i] = view.getInt16(2 * i, true);
  return samples;
}

/** Signed 16-bit little-endian bytes, whatever the machine's own order is. */
export function bytesFromSamples(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 * samples.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < samples.length; i += 1) view.setInt16(2 * i, samples[i] ?? 0, true);
  return bytes;
}

/** Samples before the first one whose magnitude reaches `threshold`; all of them when none does. */
export function leadingSilenceSamples(samples: Int16Array, threshold = AUDIBLE_MAGNITUDE): number {
  for (let i = 0; i < samples.length; i += 1) {
    if (Math.abs(samples[i] ?? 0) >= threshold) return i;
  }
  return samples.length;
}
