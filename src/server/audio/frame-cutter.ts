/** Length of an audio frame (wire-audio-1). */
const FRAME_MS = 200;
/** The first frame is half as long, because it decides when playback can start. */
const FIRST_FRAME_MS = 100;

/** Lengths of full frames, in samples. */
interface FrameLengths {
  first: number;
  others: number;
}

/** Cuts blocks of any length into audio frames. */
export class FrameCutter {
  readonly #lengths: FrameLengths;
  readonly #pending: Int16Array;
  #filled = 0;
  /** Audio frames so far, and the samples in them. */
  count = 0;
  samples = 0;

  /** @param sampleRate in Hz */
  constructor(
    sampleRate: number,
    lengths: FrameLengths = {
      first: (sampleRate * FIRST_FRAME_MS) / 1000,
      others: (sampleRate * FRAME_MS) / 1000,
    },
  ) {
    this.#lengths = lengths;
    this.#pending = new Int16Array(Math.max(lengths.first, lengths.others));
  }

  /** Adds samples and yields the full frames. A frame is valid until the next one. */
  *push(samples: Int16Array): Generator<Int16Array> {
    let from = 0;
    while (from < samples.length) {
      const size = this.#frameSamples();
      const part = samples.subarray(from, from + size - this.#filled);
      this.#pending.set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
      if (this.#filled === size) yield this.#take();
    }
  }

  /** The rest, shorter than a frame; null if there is none. */
  end(): Int16Array | null {
    return this.#filled > 0 ? this.#take() : null;
  }

  #frameSamples(): number {
    return this.count === 0 ? this.#lengths.first : this.#lengths.others;
  }

  #take(): Int16Array {
    const frame = this.#pending.subarray(0, this.#filled);
    this.#filled = 0;
    this.count += 1;
    this.samples += frame.length;
    return frame;
  }
}
