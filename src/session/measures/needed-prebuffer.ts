/** Doubles when it is full. A session keeps the frames of every turn, and most turns are short. */
const FIRST_CAPACITY = 16;

/**
 * Computes the smallest prebuffer target with which a turn would not have run dry.
 *
 * A player that starts at time s plays without a break if and only if every frame k arrives by s + the audio before k.
 * With a target of f samples, it starts at the frame that completes f. The target must therefore exceed the audio before
 * the first frame that arrived no earlier than the least sufficient start. A start with the first frame needs no target.
 */
export class NeededPrebuffer {
  readonly #sampleRate: number;
  #arrivalsMs = new Float64Array(FIRST_CAPACITY);
  /** Samples before each frame. */
  #before = new Float64Array(FIRST_CAPACITY);
  #frames = 0;
  #samples = 0;
  /** Least sufficient delay between first arrival and start. */
  #delayMs = 0;
  /** First frame that arrived after the delay. It only increases, because the delay only grows. */
  #startFrame = 0;

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate;
  }

  /** Adds an audio frame; frames are added in the order of their samples. */
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

  /** In ms of audio; 0 if no target is needed. */
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
