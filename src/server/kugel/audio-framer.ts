import { encodeG711 } from '../../lib/g711.ts';
import { bytesPerSample, type KugelAudioFormat } from '../../protocol/kugel/audio-format.ts';

/** Length of an audio frame (`facts 1.5`: 4800 samples at 24 kHz). */
const FRAME_MS = 200;
/** The first one of a turn is half as long, since it decides when the turn can be heard. */
const FIRST_FRAME_MS = 100;

/** Cuts the samples of a turn into audio frames. `idx` counts over the turn. */
export class AudioFramer {
  readonly #format: KugelAudioFormat;
  /** Ends every frame. */
  readonly #tail: string;
  readonly #pending: Int16Array;
  #filled = 0;
  #frames = 0;
  #samples = 0;

  constructor(format: KugelAudioFormat, contextId?: string) {
    this.#format = format;
    this.#tail = contextId === undefined ? '}' : `,"context_id":${JSON.stringify(contextId)}}`;
    this.#pending = new Int16Array((format.sampleRate * FRAME_MS) / 1000);
  }

  /** Audio frames so far. */
  get count(): number {
    return this.#frames;
  }

  /** Samples in them. */
  get samples(): number {
    return this.#samples;
  }

  /** Adds samples of a chunk and gives back the frames that are full. */
  *push(samples: Int16Array, chunkId: number): Generator<string> {
    let from = 0;
    while (from < samples.length) {
      const size = this.#frameSamples();
      const part = samples.subarray(from, from + size - this.#filled);
      this.#pending.set(part, this.#filled);
      this.#filled += part.length;
      from += part.length;
      if (this.#filled === size) yield this.#take(chunkId);
    }
  }

  /** The rest of a chunk, shorter than a frame; null where there is none. A frame never spans two chunks. */
  end(chunkId: number): string | null {
    return this.#filled > 0 ? this.#take(chunkId) : null;
  }

  #frameSamples(): number {
    return (this.#format.sampleRate * (this.#frames === 0 ? FIRST_FRAME_MS : FRAME_MS)) / 1000;
  }

  #take(chunkId: number): string {
    const samples = this.#pending.subarray(0, this.#filled);
    this.#filled = 0;
    const { encoding, sampleRate } = this.#format;
    const bytes =
      encoding === 'pcm_s16le'
        ? Buffer.from(samples.buffer, samples.byteOffset, samples.length * bytesPerSample(encoding))
        : Buffer.from(encodeG711(encoding, samples).buffer);
    const idx = this.#frames;
    this.#frames += 1;
    this.#samples += samples.length;
    // Assembled by hand: base64 needs no escaping, and JSON.stringify would look through all of it.
    return `{"audio":"${bytes.toString('base64')}","enc":"${encoding}","idx":${idx},"sr":${sampleRate},"samples":${samples.length},"chunk_id":${chunkId}${this.#tail}`;
  }
}
