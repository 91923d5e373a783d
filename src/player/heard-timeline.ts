/** `fromSample` left the speakers at `wallMs`, and what comes after it followed without a break. */
export interface HeardStretch {
  fromSample: number;
  wallMs: number;
}

/**
 * When each sample of a turn left the speakers. Samples follow one another at the stream's rate, except where an
 * underrun or another turn came between; each such place begins a new stretch.
 */
export class HeardTimeline {
  readonly #stretches: HeardStretch[] = [];

  /** In order. */
  get stretches(): readonly HeardStretch[] {
    return [...this.#stretches];
  }

  /** `fromSample` left the speakers at `wallMs`, and what comes after it follows without a break. */
  begin(fromSample: number, wallMs: number): void {
    // What was expected of later samples did not come true.
    while ((this.#stretches.at(-1)?.fromSample ?? -1) >= fromSample) this.#stretches.pop();
    this.#stretches.push({ fromSample, wallMs });
  }

  /** Null where nothing was heard yet, and for a sample before the first that was. */
  wallMsOf(sample: number, sampleRate: number): number | null {
    const stretch = this.#stretches.findLast((candidate) => candidate.fromSample <= sample);
    return stretch ? stretch.wallMs + ((sample - stretch.fromSample) / sampleRate) * 1000 : null;
  }
}
