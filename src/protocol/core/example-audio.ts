/** The audio of an example turn: frames of one constant sample, which is not silence. */
export const EXAMPLE_AUDIO = {
  frames: 12,
  frameMs: 50,
  sampleRate: 24_000,
  /** Samples of one frame. */
  samples: 1200,
  /** One frame of signed 16 bit samples, each 4096. */
  base64: 'ABAAEAAQ'.repeat(400),
} as const;
