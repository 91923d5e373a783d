import { SortedValues } from '#lib/statistics/percentiles.ts';

/** Allowed for late audio frames while nothing is known: more than nothing, so that one frame alone never suffices. */
export const UNKNOWN_ALLOWANCE_MS = 60;
/** Put on top of what was observed: scheduling, and the quantum in which playing starts. */
export const MARGIN_MS = 20;
/** No turn waits for more audio than this, unless a single audio frame is longer. */
export const MAX_FLOOR_MS = 1500;
/** An underrun has delayed the turn already; it costs no more than this on top. */
const MAX_RESUME_ALLOWANCE_MS = 250;
/** A server that sends seconds at once is not waited for as long as its frames are. */
const MAX_WAITED_FRAME_MS = 400;

const REMEMBERED_TURNS = 10;
/** Of the remembered turns this share would have played without a gap; from five turns on one stall counts no more. */
const SHARE = 0.8;

/** What the start floor is, and why. */
export interface StartFloor {
  /** Audio to have before playing starts. */
  floorMs: number;
  /** How long to wait for it at most, from the first audio on. */
  maxWaitMs: number;
  reason: string;
}

/**
 * Chooses the start floor from the gaps that turns have shown. A turn that starts playing d ms after its first audio
 * frame has no gap exactly when, for every frame k, arrival(k) − arrival(0) ≤ d + audio before k; the least such d is
 * what the turn *would have needed*. Times are ms on any one clock.
 */
export class JitterEstimator {
  /** What the last turns would have needed, oldest first; negative where audio came faster than it plays. */
  readonly #needed: number[] = [];
  #firstArrivalMs: number | null = null;
  #audioMs = 0;
  #largestFrameMs = 0;
  #worstMs = Number.NEGATIVE_INFINITY;
  #underrun = false;
  /** As of the last look; null when something that it depends on has changed. */
  #floor: StartFloor | null = null;

  /** A turn's audio begins anew. The one before counts as it was, unless it had too few frames to tell anything. */
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

  /** An audio frame arrived. */
  frame(arrivalMs: number, durationMs: number): void {
    if (this.#firstArrivalMs === null) {
      this.#firstArrivalMs = arrivalMs;
      // The size of the turn before counted until this one has shown its own.
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

  /** The player ran dry in this turn. */
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
