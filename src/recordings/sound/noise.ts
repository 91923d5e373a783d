import { faultAt, type SoundFault, type TurnSound, WINDOW_S } from './turn-sound.ts';

/** Sound as loud as this whose neighbouring samples have nothing in common is no speech. */
const NOISE_DBFS = -3;
const NOISE_ROUGHNESS = 0.95;
const LEAST_NOISE_S = 0.15;

/** Returns the first run of bytes that were read as samples and are none. */
export function noiseFaults({ samples, levels, window }: TurnSound): SoundFault[] {
  const least = Math.round(LEAST_NOISE_S / WINDOW_S);
  let run = 0;
  for (let at = 0; at < levels.length; at += 1) {
    const isNoise =
      (levels[at] ?? 0) > NOISE_DBFS && roughness(samples, at * window, (at + 1) * window) > NOISE_ROUGHNESS;
    // Compressed audio has gaps.
    run = isNoise ? run + 1 : Math.max(0, run - 1);
    if (run < least) continue;
    const from = Math.max(0, at + 1 - least) * window;
    return [faultAt('not-samples', { from, to: samples.length }, 'samples', cause(samples, from))];
  }
  return [];
}

/** Mean step between neighbours by the mean magnitude: 1.3 for noise, less for speech. */
function roughness(samples: Int16Array, from: number, to: number): number {
  let steps = 0;
  let magnitudes = 0;
  for (let at = from + 1; at < to && at < samples.length; at += 1) {
    const sample = samples[at] ?? 0;
    steps += Math.abs(sample - (samples[at - 1] ?? 0));
    magnitudes += Math.abs(sample);
  }
  return magnitudes === 0 ? 0 : steps / magnitudes;
}

/** The bytes compared with other readings of them. */
const COMPARED = 4096;
const SMOOTH = 0.6;

function cause(samples: Int16Array, from: number): string {
  const bytes = new DataView(samples.slice(from, from + COMPARED).buffer);
  const reading = (first: number, isLittleEndian: boolean): number => {
    const count = Math.floor((bytes.byteLength - first) / 2);
    const other = Int16Array.from({ length: count }, (_, at) =>
      bytes.getInt16(first + 2 * at, isLittleEndian),
    );
    return roughness(other, 0, count);
  };
  if (reading(0, false) < SMOOTH) return 'samples with swapped bytes (big-endian)';
  if (reading(1, true) < SMOOTH) return 'samples that begin one byte earlier or later';
  return 'noise, such as compressed audio or another encoding than the format names';
}
