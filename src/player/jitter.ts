import { SortedValues } from '#lib/statistics/percentiles.ts';

/** The allowance for late audio frames while gaps are unknown: above 0, so that a single frame never suffices. */
export const UNKNOWN_ALLOWANCE_MS = 60;
/** Added to observed gaps, for scheduling and the quantum in which playing starts. */
export const MARGIN_MS = 20;
/** No turn waits for more audio than this, unless a single audio frame is longer. */
export const MAX_FLOOR_MS = 1500;
/** The limit after an underrun, which has delayed the turn already. */
const MAX_RESUME_ALLOWANCE_MS = 250;
/** The wait does not grow with the frames of a server that sends seconds at once. */
const MAX_WAITED_FRAME_MS = 400;

const REMEMBERED_TURNS = 10;
/** The share of remembered turns that would have played without a gap. From five turns on, it ignores one stall. */
const SHARE = 0.8;

/** The start floor with its reason. */
export interface StartFloor {
  /** The audio to be queued before playing starts. */
  floorMs: number;
  /** The longest wait for it, from the first audio on. */
  maxWaitMs: number;
  reason: string;
}

/**
 * Chooses the start floor from observed gaps. A turn that starts playing d ms after its first audio frame has no gap
 * exactly when, for every frame k, arrival(k) − arrival(0) ≤ d + audio before k. The least such d is the delay that the
 * turn *would have needed*. Times are ms on any one clock.
 */
export class JitterEstimator {
  /** The delays that the last turns would have needed, oldest first; negative where audio came faster than it plays. */
  readonly #needed: number[] = [];
  #firstArrivalMs: number | null = null;
  #audioMs = 0;
  #largestFrameMs = 0;
  #worstMs = Number.NEGATIVE_INFINITY;
  #underrun = false;
  /** The last choice; null once one of its inputs has changed. */
  #floor: StartFloor | null = null;

  /** Begins a turn. The one before is remembered, unless it had a single frame. */
  beginTurn(): void {
    if (this.#worstMs > Number.NEGATIVE_INFINITY) {
      this.#needed.push(this.#worstMs);
      if (this.#needed.length > REMEMBERED_TURNS) this.#needed.shift();
    }
    this.#firstArrivalMs = null;
    this.#audioMs = 0;
    this.#worstMs = Number.NEGATIVE_INFINITY;
    this.#underrun = false;
    this.#floor = null;
  }

  frame(arrivalMs: number, durationMs: number): void {
    if (this.#firstArrivalMs === null) {
      this.#firstArrivalMs = arrivalMs;
      // Until now, the frame size of the turn before was assumed.
      this.#largestFrameMs = durationMs;
      this.#floor = null;
    } else {
      const lateMs = arrivalMs - this.#firstArrivalMs - this.#audioMs;
      if (lateMs > this.#worstMs || durationMs > this.#largestFrameMs) this.#floor = null;
      this.#worstMs = Math.max(this.#worstMs, lateMs);
      this.#largestFrameMs = Math.max(this.#largestFrameMs, durationMs);
    }
    this.#audioMs += durationMs;
  }

  underrun(): void {
    this.#underrun = true;
    this.#floor = null;
  }

  get floor(): StartFloor {
    this.#floor ??= this.#choose();
    return this.#floor;
  }

  #choose(): StartFloor {
    const frameMs = this.#largestFrameMs;
    if (frameMs === 0) return { floorMs: 0, maxWaitMs: 0, reason: 'no audio yet' };
    const [allowanceMs, why] = this.#allowance();
    const floorMs = Math.max(frameMs, Math.min(MAX_FLOOR_MS, frameMs + allowanceMs));
    const added = Math.round(floorMs - frameMs);
    return {
      floorMs,
      maxWaitMs: Math.min(floorMs, Math.min(frameMs, MAX_WAITED_FRAME_MS) + allowanceMs),
      reason: `one audio frame of ${Math.round(frameMs)} ms${added > 0 ? ` + ${added} ms` : ''} ${why}`,
    };
  }

  #allowance(): [allowanceMs: number, why: string] {
    const seenMs = this.#worstMs > 0 ? this.#worstMs + MARGIN_MS : 0;
    if (this.#underrun) {
      const allowanceMs = Math.min(Math.max(seenMs, UNKNOWN_ALLOWANCE_MS), MAX_RESUME_ALLOWANCE_MS);
      return [allowanceMs, 'after an underrun in this turn'];
    }
    if (this.#needed.length === 0) {
      return [Math.max(seenMs, UNKNOWN_ALLOWANCE_MS), 'until gaps are known'];
    }
    const past = new SortedValues();
    for (const needed of this.#needed) past.add(needed);
    const neededMs = past.percentile(SHARE);
    const pastMs = neededMs > 0 ? neededMs + MARGIN_MS : 0;
    if (seenMs > pastMs) return [seenMs, 'for gaps seen in this turn'];
    return pastMs > 0 ? [pastMs, 'for gaps of recent turns'] : [0, 'because recent turns had no gaps'];
  }
}
