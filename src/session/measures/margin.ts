/** When a sample left the speakers, in wall-clock ms; null where that is not known. */
type WallMsOf = (sample: number) => number | null;

/**
 * How far generation ran ahead of hearing when that was closest. An audio frame's margin is how long what came before it
 * was still to be heard when it arrived, so it is known once the sample before the frame has been heard.
 */
export class LeastMargin {
  /** Frames whose margin is not known yet, in order: no more than are received and not heard. */
  #unheard: { startSample: number; arrivedMs: number }[] = [];
  #leastMs: number | null = null;

  /** Null until the second audio frame's place was heard. */
  get ms(): number | null {
    return this.#leastMs;
  }

  /** The first frame has nothing before it, so it has no margin. */
  arrived(startSample: number, arrivedMs: number): void {
    if (startSample > 0) this.#unheard.push({ startSample, arrivedMs });
  }

  /** All samples before this one have left the speakers. */
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
