/** One reading of a track's playhead: `sample` of `turn` leaves the speakers at `atMs`. */
export interface PlayheadReading {
  epoch: number;
  /** Null where no turn is at the playhead. */
  turn: number | null;
  sample: number;
  /** Wall clock. */
  atMs: number;
  /** Whether it moves from there on. */
  isPlaying: boolean;
  /** The turn is heard again: each epoch is another hearing. */
  isRepeat: boolean;
  /** Samples that are queued behind it: it cannot be further. */
  queuedSamples: number;
  sampleRate: number;
}

/** Readings follow one another at the rate of a screen. An older one shows that the page or the worker stood still. */
const MAX_AHEAD_MS = 500;

/** The sample, with its fraction, that leaves the speakers at `nowMs` by one reading alone. */
export function playheadSample(reading: PlayheadReading, nowMs: number): number {
  const { sample, atMs, isPlaying, queuedSamples, sampleRate } = reading;
  const aheadMs = Math.min(nowMs - atMs, MAX_AHEAD_MS);
  return sample + Math.min((aheadMs * sampleRate) / 1000, isPlaying ? queuedSamples : 0);
}

export interface PlayheadPlace {
  turn: number;
  sample: number;
  /** Names the repeat; null while the turn is heard for the first time. */
  repeat: number | null;
}

/**
 * The playhead of one track at paint time, never ahead of the queued audio. It never goes back within one hearing, because
 * late readings are behind the extrapolated playhead.
 */
export class Playhead {
  #reading: PlayheadReading | null = null;
  #shown: PlayheadPlace | null = null;

  read(reading: PlayheadReading): void {
    this.#reading = reading;
  }

  /** The sample that leaves the speakers at that wall time; null where no turn is at the playhead. */
  at(nowMs: number): PlayheadPlace | null {
    const reading = this.#reading;
    if (!reading || reading.turn === null) return null;
    const { turn } = reading;
    const repeat = reading.isRepeat ? reading.epoch : null;
    const isSameHearing = this.#shown?.turn === turn && this.#shown.repeat === repeat;
    // A repeat may start within the turn. Extrapolation to before its first reading would light words that it skips.
    const start = reading.isRepeat ? reading.sample : 0;
    const before = isSameHearing ? (this.#shown?.sample ?? 0) : start;
    this.#shown = { turn, sample: Math.max(before, Math.floor(playheadSample(reading, nowMs))), repeat };
    return this.#shown;
  }
}
