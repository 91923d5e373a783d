/** Samples of a turn that left the speakers without a break, the first of them at `atMs` on the wall clock. */
export interface HeardSpan {
  sample: number;
  count: number;
  atMs: number;
}

/** Wall time and audio clock differ by more only where the audio clock stood still in between. */
const STOOD_STILL_MS = 50;

/**
 * What of a turn left the speakers, in that order. Within one output times are counted on by the audio clock, so that
 * the silence between two spans comes out to the sample.
 */
export class HeardSpans {
  readonly #spans: HeardSpan[] = [];
  /** Audio frame and wall time that belong together; null where frames count anew. */
  #origin: { frame: number; atMs: number } | null = null;
  /** The audio frame behind the last span. */
  #endFrame = 0;
  #end = 0;

  get list(): readonly HeardSpan[] {
    return this.#spans;
  }

  /** All samples before it were heard; the furthest that any was. */
  get end(): number {
    return this.#end;
  }

  /** @param wallMsOf when what plays at an audio frame leaves the speakers */
  add(
    { sample, count, frame }: { sample: number; count: number; frame: number },
    sampleRate: number,
    wallMsOf: (frame: number) => number,
  ): void {
    this.#end = Math.max(this.#end, sample + count);
    const last = this.#spans.at(-1);
    if (this.#origin && last && last.sample + last.count === sample && this.#endFrame === frame) {
      last.count += count;
    } else {
      this.#spans.push({ sample, count, atMs: this.#atMs(frame, sampleRate, wallMsOf) });
    }
    this.#endFrame = frame + count;
  }

  /** What comes next comes from another output. */
  break(): void {
    this.#origin = null;
  }

  #atMs(frame: number, sampleRate: number, wallMsOf: (frame: number) => number): number {
    const wallMs = wallMsOf(frame);
    const { frame: from, atMs } = this.#origin ?? { frame, atMs: wallMs };
    const counted = atMs + ((frame - from) / sampleRate) * 1000;
    if (this.#origin && Math.abs(counted - wallMs) <= STOOD_STILL_MS) return counted;
    this.#origin = { frame, atMs: wallMs };
    return wallMs;
  }
}
