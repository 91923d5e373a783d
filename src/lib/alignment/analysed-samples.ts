import { FULL_SCALE } from '../pcm.ts';
import { createResampler } from '../resample.ts';
import { ANALYSED_HZ } from './mel-bands.ts';

/** Converts a sound that grows, in 16-bit samples at any rate, to the samples that `SoundWords` analyses. */
export class AnalysedSamples {
  readonly #resampler;

  constructor(sampleRate: number) {
    this.#resampler = createResampler(sampleRate, ANALYSED_HZ);
  }

  push(samples: Int16Array): Float32Array {
    return this.#resampler.push(Float32Array.from(samples, (sample) => sample / FULL_SCALE));
  }

  end(): Float32Array {
    return this.#resampler.end();
  }
}
