/** One peak stands for so much audio. */
export const PEAK_MS = 10;
const FULL_SCALE = 32_768;
const LARGEST_PEAK = 255;

/** Peaks of a turn that are new, or of which the last was not whole when it was told before. */
export interface EnvelopePart {
  turn: number;
  /** Place of the first of them, counted from the start of the turn's audio in {@link PEAK_MS}. */
  from: number;
  /** Highest magnitude in each stretch of {@link PEAK_MS}; 255 is full scale. */
  peaks: Uint8Array;
}

/** The part of a turn's samples that an envelope needs. */
export interface Samples {
  readonly sampleRate: number;
  readonly length: number;
  /** Samples from there on, at least one while `from` is below `length`. */
  view(from: number, most?: number): Int16Array;
}

interface Progress {
  /** Samples that have been looked at. */
  read: number;
  /** The highest magnitude so far in the peak that is not whole yet. */
  magnitude: number;
}

/**
 * How loud each turn is over time, for drawing: 100 bytes for a second of audio, which is all that the page gets of the
 * samples. Every sample is looked at once.
 */
export class Envelopes {
  readonly #progress = new Map<number, Progress>();
  #fresh = new Map<number, { from: number; peaks: number[] }>();

  /** Takes in what has been added to a turn's samples since the last time. */
  received(turn: number, samples: Samples): void {
    const progress = this.#progress.get(turn) ?? { read: 0, magnitude: 0 };
    this.#progress.set(turn, progress);
    while (progress.read < samples.length) {
      const peak = placeOf(progress.read, samples.sampleRate);
      const end = startOf(peak + 1, samples.sampleRate);
      const view = samples.view(progress.read, end - progress.read);
      progress.magnitude = Math.max(progress.magnitude, magnitudeOf(view));
      progress.read += view.length;
      this.#put(turn, peak, progress.magnitude);
      if (progress.read === end) progress.magnitude = 0;
    }
  }

  /** No more is expected of a turn. Should something come all the same, it is worked out anew. */
  ended(turn: number): void {
    this.#progress.delete(turn);
  }

  /** Those since the last call. */
  take(): readonly EnvelopePart[] {
    const fresh = this.#fresh;
    this.#fresh = new Map();
    return [...fresh].map(([turn, { from, peaks }]) => ({ turn, from, peaks: Uint8Array.from(peaks) }));
  }

  #put(turn: number, place: number, magnitude: number): void {
    let fresh = this.#fresh.get(turn);
    if (!fresh || place < fresh.from) {
      fresh = { from: place, peaks: [] };
      this.#fresh.set(turn, fresh);
    }
    fresh.peaks[place - fresh.from] = Math.min(
      LARGEST_PEAK,
      Math.ceil((magnitude / FULL_SCALE) * LARGEST_PEAK),
    );
  }
}

/** The peak that a sample belongs to. At rates that do not divide evenly peaks differ by a sample in length. */
const placeOf = (sample: number, rate: number): number => {
  const place = Math.floor((sample * 1000) / (rate * PEAK_MS));
  return startOf(place + 1, rate) <= sample ? place + 1 : place;
};

/** The first sample of a peak. */
const startOf = (place: number, rate: number): number => Math.floor((place * rate * PEAK_MS) / 1000);

function magnitudeOf(samples: Int16Array): number {
  let most = 0;
  for (const sample of samples) most = Math.max(most, Math.abs(sample));
  return most;
}
