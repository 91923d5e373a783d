import type { GateSettings } from './gate.ts';

/** Effect of speech over the voice: it cancels at once, or pauses until it has lasted. */
export type OnSpeech = 'pause' | 'cancel';

export interface DetectorSettings extends GateSettings {
  onSpeech: OnSpeech;
}

/** Chosen by `npm run bench presenter`. */
export const DEFAULT_DETECTOR: DetectorSettings = {
  onSpeech: 'pause',
  threshold: 0.7,
  leastLevelDb: -45,
  leastMs: 64,
  hangOverMs: 300,
  lastingMs: 500,
};
