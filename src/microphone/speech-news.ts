/** Detector to session worker. Times are wall clock. */
export type SpeechNews =
  /**
   * The detector decided that a person speaks. `pause`: the voice is to wait until it is known whether speech lasts.
   * `confirm`: it lasted, so what was paused is to be cancelled. `cancel`: the voice is to be cancelled at once.
   */
  | { kind: 'pause' | 'confirm' | 'cancel'; onsetMs: number; decidedMs: number }
  /** A false alarm: what was paused is to go on. */
  | { kind: 'continue' };
