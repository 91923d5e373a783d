import { madeOnce } from '#lib/collections/maps.ts';
import { FULL_SCALE, peakMagnitude } from '#lib/pcm.ts';

/** The audio that one peak covers. */
export const PEAK_MS = 10;
const LARGEST_PEAK = 255;

/** New peaks of a turn. The first may replace the last peak of the part before, which was incomplete. */
export interface EnvelopePart {
  turn: number;
  /** Index of the first peak, counted from the start of the turn's audio. */
  from: number;
  /** Highest magnitude in each {@link PEAK_MS}; 255 is full scale. */
  peaks: Uint8Array;
}

/** The part of a `PcmStore` that an envelope needs. */
export interface Samples {
  readonly sampleRate: number;
  readonly length: number;
  /** Samples from `from` on, at least one while it is below `length`. */
  view(from: number, most?: number): Int16Array;
}

interface Progress {
  /** Samples that peaks include so far. */
  read: number;
  /** The highest magnitude so far in the incomplete peak. */
  magnitude: number;
}

/** The loudness of each turn over time, as 100 bytes for each second of audio. Every sample is read once. */
export class Envelopes {
  readonly #progress = new Map<number, Progress>();
  #fresh = new Map<number, { from: number; peaks: number[] }>();

  /** Adds the samples that a turn has received since the last call. */
  received(turn: number, samples: Samples): void {
    const progress = madeOnce(this.#progress, turn, () => ({ read: 0, magnitude: 0 }));
    while (progress.read < samples.length) {
      const peak = placeOf(progress.read, samples.sampleRate);
      const end = startOf(peak + 1, samples.sampleRate);
      const view = samples.view(progress.read, end - progress.read);
      progress.magnitude = Math.max(progress.magnitude, peakMagnitude(view));
      progress.read += view.length;
      this.#put(turn, peak, progress.magnitude);
      if (progress.read === end) progress.magnitude = 0;
    }
  }

  /** Forgets how far a turn was read. Later samples make all its peaks be computed again. */
  ended(turn: number): void {
    this.#progress.delete(turn);
  }

  /** The parts since the last call. */
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

/** The index of a sample's peak. At rates that do not divide evenly, peaks differ by a sample in length. */
const placeOf = (sample: number, rate: number): number => {
  const place = Math.floor((sample * 1000) / (rate * PEAK_MS));
  return startOf(place + 1, rate) <= sample ? place + 1 : place;
};

const startOf = (place: number, rate: number): number => Math.floor((place * rate * PEAK_MS) / 1000);
