import type { JudgedSound } from './detector.ts';
import type { DetectorSettings } from './detector-settings.ts';

/** Page to detector worker. */
export type DetectorCommand =
  /** `sound`: from the capture worklet, at `sampleRate` in Hz. `session`: to the session worker. */
  | {
      type: 'start';
      sound: MessagePort;
      session: MessagePort;
      sampleRate: number;
      settings: DetectorSettings;
    }
  | { type: 'settings'; settings: DetectorSettings }
  /** Ends speech that lasts. The worker reports `stopped`, and can be ended. */
  | { type: 'stop' };

/** Detector worker to page. */
export type DetectorReport =
  /** The model is loaded, and listens. */
  | { type: 'listening' }
  | { type: 'failed'; reason: string }
  | { type: 'heard'; heard: JudgedSound }
  | { type: 'stopped' };
