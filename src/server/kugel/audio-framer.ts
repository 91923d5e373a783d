import type { KugelAudioFormat } from '#protocol/kugel/wire/audio-format.ts';
import { FrameCutter } from '../audio/frame-cutter.ts';
import { encodeSamples } from '../audio/output.ts';

/** Writes the samples of a turn as audio frames. `idx` counts over the turn. */
export class AudioFramer {
  readonly #format: KugelAudioFormat;
  /** End of every frame's JSON. */
  readonly #tail: string;
  /** Counts frames and samples. */
  readonly cutter: FrameCutter;

  constructor(format: KugelAudioFormat, contextId?: string) {
    this.#format = format;
    this.#tail = contextId === undefined ? '}' : `,"context_id":${JSON.stringify(contextId)}}`;
    this.cutter = new FrameCutter(format.sampleRate);
  }

  /** Adds samples of a chunk and yields the full frames. */
  *push(samples: Int16Array, chunkId: number): Generator<string> {
    for (const frame of this.cutter.push(samples)) yield this.#write(frame, chunkId);
  }

  /** The rest of a chunk; null if there is none. A frame never spans two chunks. */
  end(chunkId: number): string | null {
    const rest = this.cutter.end();
    return rest && this.#write(rest, chunkId);
  }

  #write(samples: Int16Array, chunkId: number): string {
    const { encoding, sampleRate } = this.#format;
    const bytes = Buffer.from(encodeSamples(encoding, samples).buffer);
    const idx = this.cutter.count - 1;
    // Concatenates instead of calling JSON.stringify, which would scan all of the base64 for escapes.
    return `{"audio":"${bytes.toString('base64')}","enc":"${encoding}","idx":${idx},"sr":${sampleRate},"samples":${samples.length},"chunk_id":${chunkId}${this.#tail}`;
  }
}
