/** Returns when a sample left the speakers, in wall-clock ms; null if unknown. */
type WallMsOf = (sample: number) => number | null;

/** Tracks the least margin. A frame's margin is the unheard audio before it at its arrival, known once that was heard. */
export class LeastMargin {
  /** Frames with an unknown margin, in order. Bounded by the audio that is received and not heard. */
  #unheard: { startSample: number; arrivedMs: number }[] = [];
  #leastMs: number | null = null;

  /** Null until the second audio frame was heard. */
  get ms(): number | null {
    return this.#leastMs;
  }

  /** Ignores the first frame, which has no margin. */
  arrived(startSample: number, arrivedMs: number): void {
    if (startSample > 0) this.#unheard.push({ startSample, arrivedMs });
  }

  /** Call when all samples before `beforeSample` have left the speakers. */
  played(beforeSample: number, sampleRate: number, wallMsOf: WallMsOf): void {
    let known = 0;
    for (const { startSample, arrivedMs } of this.#unheard) {
      if (startSample > beforeSample) break;
      const lastMs = wallMsOf(startSample - 1);
      if (lastMs === null) break;
      const marginMs = lastMs + 1000 / sampleRate - arrivedMs;
      this.#leastMs = this.#leastMs === null ? marginMs : Math.min(this.#leastMs, marginMs);
      known += 1;
    }
    if (known > 0) this.#unheard = this.#unheard.slice(known);
  }
}
