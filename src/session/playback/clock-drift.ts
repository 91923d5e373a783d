import type { ClockAnchor } from '../messages.ts';

/** The audio clock moves in steps, so that an anchor may be late by some: the earliest of so many counts. */
const ANCHORS = 8;
/** A clock that has just begun to run goes in leaps. */
const SETTLING_ANCHORS = 8;
/** The audio clock stood still where an anchor is later by more: that is no drift. */
const STOOD_STILL_MS = 50;

/**
 * How far the audio clock has moved away from the wall clock since it began to run: two crystals never agree. In ms,
 * positive where the audio clock is ahead. What it lost by standing still (no permission, no device) does not count.
 */
export class ClockDrift {
  #first: number[] = [];
  #settling = SETTLING_ANCHORS;
  #latest: number[] = [];

  /** Another output, whose clock begins anew. */
  reset(): void {
    this.#first = [];
    this.#latest = [];
    this.#settling = SETTLING_ANCHORS;
  }

  /** @returns null until there is enough to compare */
  anchor({ contextTimeS, wallMs }: ClockAnchor): number | null {
    const originMs = wallMs - contextTimeS * 1000;
    const known = Math.min(...this.#latest);
    if (this.#latest.length > 0 && Math.abs(originMs - known) > STOOD_STILL_MS) this.reset();
    this.#latest.push(originMs);
    if (this.#latest.length > ANCHORS) this.#latest.shift();
    if (this.#settling > 0) {
      this.#settling -= 1;
      return null;
    }
    if (this.#first.length < ANCHORS) this.#first.push(originMs);
    if (this.#first.length < ANCHORS) return null;
    return Math.min(...this.#first) - Math.min(...this.#latest);
  }
}
