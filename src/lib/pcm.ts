/** Magnitude of the loudest 16-bit sample. */
export const FULL_SCALE = 32_768;

/** Samples below this level are inaudible, in dB of full scale. */
export const AUDIBLE_DBFS = -50;

/** The same as a 16-bit magnitude. */
export const AUDIBLE_MAGNITUDE = Math.round(FULL_SCALE * 10 ** (AUDIBLE_DBFS / 20));

/** Writes signed 16-bit little-endian samples on any machine. */
export function bytesFromSamples(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 * samples.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < samples.length; i += 1) view.setInt16(2 * i, samples[i] ?? 0, true);
  return bytes;
}

/** Returns the nearest 16-bit sample of a value; full scale is 1. Clips louder values. Returns NaN for NaN. */
const sampleOf = (value: number): number =>
  Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(value * FULL_SCALE)));

/** Converts little-endian 32-bit floats into the beginning of `target`, which must be at least as long. NaN becomes 0. */
export function decodeFloat32Into(bytes: Uint8Array, target: Int16Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let i = 0; 4 * i < bytes.length; i += 1) target[i] = sampleOf(view.getFloat32(4 * i, true));
}

/** Writes samples as 32-bit little-endian floats; full scale is 1. */
export function floatBytesFromSamples(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4 * samples.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < samples.length; i += 1) view.setFloat32(4 * i, (samples[i] ?? 0) / FULL_SCALE, true);
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
  for (let at = 0; at < samples.length; at += 1) peak = Math.max(peak, Math.abs(samples[at] ?? 0));
  return peak;
}

/** Fewer samples show no difference between sound and noise. */
const LEAST_COMPARED = 64;
const MOST_COMPARED = 2048;
/** Bytes that are read as other samples than they are become noise, which is rougher by more than this. */
const ROUGHER = 4;

/**
 * Whether little-endian bytes begin with a whole 16-bit sample, where they could also begin with the second half of one.
 * False where it cannot be known.
 */
export function beginsWithWholeSample(bytes: Uint8Array): boolean {
  const compared = Math.min(MOST_COMPARED, (bytes.length - 1) >> 1);
  return (
    compared >= LEAST_COMPARED && roughness(bytes, 1, compared) > ROUGHER * roughness(bytes, 0, compared)
  );
}

/** Sum of the steps between neighbours. */
function roughness(bytes: Uint8Array, from: number, samples: number): number {
  let sum = 0;
  let before: number | null = null;
  for (let at = from; at < from + 2 * samples; at += 2) {
    const sample = (((bytes[at + 1] ?? 0) << 24) >> 16) | (bytes[at] ?? 0);
    if (before !== null) sum += Math.abs(sample - before);
    before = sample;
  }
  return sum;
}

export function joinedSamples(parts: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  const joined = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
