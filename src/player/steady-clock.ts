/** Quanta in a row that must follow one another: 16 ms at 24 kHz. */
const STEADY_QUANTA = 3;

/**
 * A browser renders the first quantum at frame 0 and then moves rendering to another thread, over which the audio clock
 * jumps by anything up to a tenth of a second. What would play before the jump would be torn there, and nobody could
 * tell when it was heard; so nothing plays until the clock has been seen to run.
 */
export class SteadyClock {
  #nextFrame = -1;
  #inARow = 0;

  /** Told each quantum as it comes; true from the moment on that the clock runs. */
  runs(frame: number, quantum: number): boolean {
    if (this.#inARow >= STEADY_QUANTA) return true;
    this.#inARow = frame === this.#nextFrame ? this.#inARow + 1 : 0;
    this.#nextFrame = frame + quantum;
    return this.#inARow >= STEADY_QUANTA;
  }
}
