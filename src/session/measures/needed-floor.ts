const FIRST_CAPACITY = 256;

/**
 * The smallest start floor with which a turn would not have run dry, from the arrivals and sizes of its audio frames.
 *
 * A player that starts at time s plays without a break exactly when every frame k is there by s + the audio before k.
 * With a floor of f samples it starts when the first frame arrives that brings the sum to f. So the floor must be larger
 * than what was there before the first frame that arrived no earlier than the least sufficient start; and starting with
 * the first frame needs no floor at all.
 */
export class NeededFloor {
  readonly #sampleRate: number;
  #arrivalsMs = new Float64Array(FIRST_CAPACITY);
  /** Samples of all frames before this one. */
  #before = new Float64Array(FIRST_CAPACITY);
  #frames = 0;
  #samples = 0;
  /** Start no earlier than so long after the first arrival. */
  #delayMs = 0;
  /** The first frame that arrived no earlier than that. It only moves on, since the delay only grows. */
  #startFrame = 0;

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate;
  }

  /** An audio frame has arrived; frames come in the order of their samples. */
  add(arrivalMs: number, samples: number): void {
    if (this.#frames === this.#arrivalsMs.length) {
      this.#arrivalsMs = wider(this.#arrivalsMs);
      this.#before = wider(this.#before);
    }
    this.#arrivalsMs[this.#frames] = arrivalMs;
    this.#before[this.#frames] = this.#samples;
    this.#frames += 1;
    const sinceFirstMs = arrivalMs - (this.#arrivalsMs[0] ?? arrivalMs);
    this.#delayMs = Math.max(this.#delayMs, sinceFirstMs - this.#msOf(this.#samples));
    this.#samples += samples;
    while (this.#sinceFirstMs(this.#startFrame) < this.#delayMs) this.#startFrame += 1;
  }

  /** In ms of audio, to the sample; 0: none. */
  get ms(): number {
    return this.#startFrame === 0 ? 0 : this.#msOf((this.#before[this.#startFrame] ?? 0) + 1);
  }

  #sinceFirstMs(frame: number): number {
    return (this.#arrivalsMs[frame] ?? 0) - (this.#arrivalsMs[0] ?? 0);
  }

  #msOf(samples: number): number {
    return (samples * 1000) / this.#sampleRate;
  }
}

function wider(values: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const copy = new Float64Array(values.length * 2);
  copy.set(values);
  return copy;
}
