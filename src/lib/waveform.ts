import { FULL_SCALE } from './pcm.ts';

/** Lowest and highest 16-bit sample of each column. */
export interface Peaks {
  min: Int16Array<ArrayBuffer>;
  max: Int16Array<ArrayBuffer>;
}

/** Reduces samples to columns of equal duration. Every sample counts, so that a single click is visible. */
export function peaksOf(samples: Int16Array, columns: number): Peaks {
  const count = samples.length === 0 ? 0 : Math.max(0, Math.floor(columns));
  const min = new Int16Array(count);
  const max = new Int16Array(count);
  for (let column = 0; column < count; column += 1) {
    const from = Math.floor((column * samples.length) / count);
    const to = Math.max(from + 1, Math.floor(((column + 1) * samples.length) / count));
    let low = samples[from] ?? 0;
    let high = low;
    for (let at = from + 1; at < to; at += 1) {
      const sample = samples[at] ?? 0;
      if (sample < low) low = sample;
      if (sample > high) high = sample;
    }
    min[column] = low;
    max[column] = high;
  }
  return { min, max };
}

/** In dB of full scale, at most 0; null if every sample is 0 or there is none. */
export interface SoundLevel {
  peakDbfs: number | null;
  rmsDbfs: number | null;
}

/** Full scale is 32768: a square wave of −32768 has 0 dBFS in both figures. */
export function soundLevelOf(samples: Int16Array): SoundLevel {
  let peak = 0;
  let squares = 0;
  for (const sample of samples) {
    peak = Math.max(peak, Math.abs(sample));
    squares += sample * sample;
  }
  if (peak === 0) return { peakDbfs: null, rmsDbfs: null };
  return { peakDbfs: dbfs(peak), rmsDbfs: dbfs(Math.sqrt(squares / samples.length)) };
}

const dbfs = (magnitude: number): number => 20 * Math.log10(magnitude / FULL_SCALE);
