import { percentile } from '#lib/statistics/percentiles.ts';

/** Frames of a turn that its line of generation is fitted to. More would cost memory and time in an endless turn. */
const FITTED_FRAMES = 500;

/**
 * How the audio of a turn arrived. The lateness of an audio frame is its arrival since the first frame, less the audio
 * before it: a turn that starts playing d ms after its first frame has no gap exactly when no lateness exceeds d.
 */
export interface Pace {
  /** Audio frames behind the first. */
  gaps: number;
  /** Largest growth of lateness from one frame to a later one, which is the delay that a turn from that frame on needs. */
  riseMs: number;
  /** As `riseMs`, but the earlier frame counts as empty. A first frame of any length shortens the delay by that length. */
  dryMs: number;
  /** Generation speed: ms between arrivals for each ms of audio, over the turn. Below 1 is faster than it plays. */
  rate: number;
  /** Width of the band around that line in which all frames arrived. */
  spreadMs: number;
}

/** Collects the arrivals of one turn. Times are ms on any one clock. */
export class Arrivals {
  frames = 0;
  /** See {@link Pace}; −∞ before the second frame. */
  riseMs = Number.NEGATIVE_INFINITY;
  /** The least lateness so far; 0 or less once there is a frame. */
  leastLatenessMs = Number.POSITIVE_INFINITY;
  #dryMs = Number.NEGATIVE_INFINITY;
  #firstMs = 0;
  #audioMs = 0;
  #leastEmptyMs = Number.POSITIVE_INFINITY;
  readonly #fitted: { arrivalMs: number; beforeMs: number }[] = [];

  /** Adds the next audio frame, and returns its lateness. */
  add(arrivalMs: number, durationMs: number): number {
    if (this.frames === 0) this.#firstMs = arrivalMs;
    const sinceFirstMs = arrivalMs - this.#firstMs;
    const latenessMs = sinceFirstMs - this.#audioMs;
    this.riseMs = Math.max(this.riseMs, latenessMs - this.leastLatenessMs);
    this.#dryMs = Math.max(this.#dryMs, latenessMs - this.#leastEmptyMs);
    this.leastLatenessMs = Math.min(this.leastLatenessMs, latenessMs);
    this.#leastEmptyMs = Math.min(this.#leastEmptyMs, latenessMs - durationMs);
    if (this.frames < FITTED_FRAMES) this.#fitted.push({ arrivalMs: sinceFirstMs, beforeMs: this.#audioMs });
    this.#audioMs += durationMs;
    this.frames += 1;
    return latenessMs;
  }

  /** Returns the pace so far; null before the second frame. */
  pace(): Pace | null {
    if (this.frames < 2) return null;
    return { gaps: this.frames - 1, riseMs: this.riseMs, dryMs: this.#dryMs, ...lineThrough(this.#fitted) };
  }
}

/** No server is that slow for a whole turn. */
const LARGEST_RATE = 8;
const SEARCH_STEPS = 64;

/** Fits the line with the narrowest band, which is never wider than the true jitter. The width is convex in the rate. */
function lineThrough(frames: readonly { arrivalMs: number; beforeMs: number }[]): {
  rate: number;
  spreadMs: number;
} {
  const widthAt = (rate: number): number => {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const { arrivalMs, beforeMs } of frames) {
      least = Math.min(least, arrivalMs - rate * beforeMs);
      most = Math.max(most, arrivalMs - rate * beforeMs);
    }
    return most - least;
  };
  let low = 0;
  let high = LARGEST_RATE;
  for (let step = 0; step < SEARCH_STEPS; step += 1) {
    const third = (high - low) / 3;
    if (widthAt(low + third) <= widthAt(high - third)) high -= third;
    else low += third;
  }
  const rate = (low + high) / 2;
  return { rate, spreadMs: widthAt(rate) };
}

const REMEMBERED_TURNS = 10;
/** The share of remembered turns that would have played without a gap. From five turns on, it ignores one stall. */
const SHARE = 0.8;
/** Fewer gaps than these are no evidence. With n alike, the next one exceeds them all in one of n + 1 cases. */
const ENOUGH_GAPS = 8;
/** After an underrun, this many turns start carefully. */
const CAREFUL_TURNS = 10;
/** How far the band of generation may widen a rise, because the largest of few is below the largest of many. */
const WIDENED = 1.25;

/** Needs of a turn, as far as earlier turns show them. */
export interface Expectation {
  /** Gaps are known, and no recent turn had an underrun. */
  isKnown: boolean;
  /** Turns that start carefully because of an underrun, this one included. */
  carefulTurns: number;
  /** The delay that turns with such a first frame would have needed, negative where audio came early; −∞ without turns. */
  neededMs(frameMs: number): number;
}

/**
 * Arrivals of the last turns of one endpoint and server. All contexts share it, and the page keeps it for life.
 *
 * An expectation is wrong in at most one of any eleven consecutive turns, whatever arrives, because ten turns after an
 * underrun expect nothing of it (contexts that speak at once count as one turn).
 */
export class ArrivalHistory {
  readonly #paces: Pace[] = [];
  #carefulTurns = 0;

  /** Begins a turn. */
  expect(): Expectation {
    const paces = [...this.#paces];
    const carefulTurns = this.#carefulTurns;
    this.#carefulTurns = Math.max(0, carefulTurns - 1);
    return {
      isKnown: carefulTurns === 0 && paces.reduce((sum, { gaps }) => sum + gaps, 0) >= ENOUGH_GAPS,
      carefulTurns,
      neededMs: (frameMs) => {
        const needed = paces.map((pace) => neededOf(pace, frameMs));
        return needed.length === 0 ? Number.NEGATIVE_INFINITY : percentile(needed, SHARE);
      },
    };
  }

  remember(pace: Pace): void {
    this.#paces.push(pace);
    if (this.#paces.length > REMEMBERED_TURNS) this.#paces.shift();
  }

  /** A turn ran dry before its end. */
  underrun(): void {
    this.#carefulTurns = CAREFUL_TURNS;
  }
}

/**
 * The delay that a turn of this pace needs behind any first frame of that length. Frames later than any seen must be
 * expected within the band, but speech that comes in bursts has a wide band without late frames.
 */
function neededOf({ riseMs, dryMs, spreadMs, rate }: Pace, frameMs: number): number {
  const shownMs = Math.max(riseMs, dryMs - frameMs);
  const bandMs = spreadMs - (1 - Math.min(1, rate)) * frameMs;
  return Math.max(shownMs, Math.min(bandMs, shownMs * WIDENED));
}
