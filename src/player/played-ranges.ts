import { STOOD_STILL_MS } from './clock.ts';
import type { PlayedSamples } from './turn-stream.ts';

/** Audio clocks differ from the wall clock by less. */
const MAX_DRIFT = 0.001;

type Run = Pick<PlayedSamples, 'sample' | 'count' | 'frame'>;

/** A run of samples of one turn; the first of them left the speakers at `atMs`, wall clock. */
export interface PlayedRange {
  readonly sample: number;
  readonly count: number;
  readonly atMs: number;
}

/**
 * The played ranges of one turn in the order of hearing. A range ends at silence, at another turn, at another output, and
 * where the audio clock stood still. Ranges overlap by a few ms where samples were heard twice, because the queue was
 * changed under a turn.
 */
export class PlayedRanges {
  /** In Hz. */
  readonly sampleRate: number;
  readonly #ranges: PlayedRange[];
  #end: number;
  /** An audio frame and its wall time, from which this output's later times are counted; null before the first. */
  #origin: { frame: number; atMs: number } | null = null;
  /** Lag of the audio clock behind the counted times that is its drift. */
  #driftMs = 0;
  #endFrame = 0;

  constructor(sampleRate: number, ranges: readonly PlayedRange[] = []) {
    this.sampleRate = sampleRate;
    this.#ranges = [...ranges];
    this.#end = ranges.reduce((end, { sample, count }) => Math.max(end, sample + count), 0);
  }

  get list(): readonly PlayedRange[] {
    return this.#ranges;
  }

  /** Behind the furthest sample that was played. */
  get end(): number {
    return this.#end;
  }

  /**
   * Adds the next run.
   * @param wallMsOf when an audio frame leaves the speakers
   * @returns whether a new range begins with it
   */
  add({ sample, count, frame }: Run, wallMsOf: (frame: number) => number): boolean {
    this.#end = Math.max(this.#end, sample + count);
    const last = this.#ranges.at(-1);
    const isNext = this.#origin && last && last.sample + last.count === sample && this.#endFrame === frame;
    const readMs = wallMsOf(frame);
    const lagMs = this.#lagMs(frame, readMs);
    const isNew = !isNext || lagMs > STOOD_STILL_MS;
    if (!isNew) this.#drift(lagMs, count);
    this.#endFrame = frame + count;
    if (isNew) this.#ranges.push({ sample, count, atMs: this.#atMs(frame, readMs, lagMs) });
    else this.#ranges[this.#ranges.length - 1] = { ...last, count: last.count + count };
    return isNew;
  }

  /** The next run comes from another output, whose frames count anew. */
  break(): void {
    this.#origin = null;
  }

  /**
   * Returns when a sample left the speakers, extrapolated behind the end of its range; null before the first range.
   * @param isEnd the sample ends something, so a break right before it counts, not the next range
   */
  wallMsOf(sample: number, isEnd = false): number | null {
    const range = this.#ranges.findLast((one) => (isEnd ? one.sample < sample : one.sample <= sample));
    return range ? range.atMs + this.#msOf(sample - range.sample) : null;
  }

  /** The sample, with its fraction, that left the speakers at a moment; null in silence, before and after. */
  sampleAt(ms: number): number | null {
    const range = this.#ranges.findLast(({ atMs }) => atMs <= ms);
    if (!range || ms > this.endMsOf(range)) return null;
    return range.sample + ((ms - range.atMs) / 1000) * this.sampleRate;
  }

  /** How much audio was played before a moment, in ms. */
  playedMsUntil(ms: number): number {
    let sum = 0;
    for (const range of this.#ranges) {
      if (range.atMs >= ms) break;
      sum += Math.min(this.endMsOf(range), ms) - range.atMs;
    }
    return sum;
  }

  /** The parts of the ranges that lie in a run of samples. */
  within(sample: number, count: number): PlayedRange[] {
    return this.#ranges.flatMap((range) => {
      const from = Math.max(sample, range.sample);
      const to = Math.min(sample + count, range.sample + range.count);
      const atMs = range.atMs + this.#msOf(from - range.sample);
      return from < to ? [{ sample: from, count: to - from, atMs }] : [];
    });
  }

  endMsOf({ atMs, count }: PlayedRange): number {
    return atMs + this.#msOf(count);
  }

  /** How much later an audio frame leaves than the count and the clock's drift say. */
  #lagMs(frame: number, readMs: number): number {
    if (!this.#origin) return 0;
    return readMs - (this.#origin.atMs + this.#msOf(frame - this.#origin.frame)) - this.#driftMs;
  }

  /** Takes a small lag as drift. */
  #drift(lagMs: number, count: number): void {
    const mostMs = this.#msOf(count) * MAX_DRIFT;
    this.#driftMs += Math.min(mostMs, Math.max(-mostMs, lagMs));
  }

  /** Counts on by the audio clock, so that the silence between two ranges is exact to the sample. */
  #atMs(frame: number, readMs: number, lagMs: number): number {
    if (this.#origin && Math.abs(lagMs) <= STOOD_STILL_MS)
      return this.#origin.atMs + this.#msOf(frame - this.#origin.frame);
    this.#origin = { frame, atMs: readMs };
    this.#driftMs = 0;
    return readMs;
  }

  #msOf(samples: number): number {
    return (samples / this.sampleRate) * 1000;
  }
}
