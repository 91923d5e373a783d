/** A detector of voice activity with its state, for one stream of sound. */
export interface SpeechModel {
  /** Samples that it judges at once, at {@link MODEL_RATE}. */
  readonly frameSamples: number;
  /** Returns the probability of speech in the next frame, 0 to 1. The caller awaits each call. */
  probability(frame: Float32Array): Promise<number>;
}

/** Rate of the sound that models judge, in Hz. */
export const MODEL_RATE = 16_000;
