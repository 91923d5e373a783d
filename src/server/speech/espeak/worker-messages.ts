import type { EngineSampleRate } from '../engine.ts';

/** One piece to say, with everything that says how. */
export interface SpeakJob {
  readonly job: number;
  readonly ssml: string;
  /** espeak's language and variant, such as `en-us+f2`. */
  readonly espeakVoice: string;
  readonly pitch: number;
  readonly range: number;
  readonly wordsPerMinute: number;
  readonly gainDb: number;
  readonly sampleRate: EngineSampleRate;
}

/**
 * What is heard from when: the 0-based code point of the job's SSML that begins to sound, or `PAUSE`, and
 * the time in ms from the start of the job's audio.
 */
export type Onset = readonly [codePoint: number, atMs: number];
export const PAUSE = -1;

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unusable'; readonly missing: boolean; readonly reason: string }
  | {
      readonly kind: 'block';
      readonly job: number;
      readonly samples: Int16Array<ArrayBuffer>;
      readonly sounds: readonly Onset[];
    }
  | { readonly kind: 'done'; readonly job: number }
  | { readonly kind: 'failed'; readonly job: number; readonly reason: string };

/** Enough that jobs held by one thread at a time hardly ever meet in a cell; if they do, one runs to its end. */
export const CANCEL_CELLS = 64;

export interface EspeakWorkerData {
  /**
   * Int32 cells holding numbers of jobs to abort, the job n in cell n modulo their count. Read in the middle of
   * a synthesis, where no message arrives.
   */
  readonly cancelledJobs: SharedArrayBuffer;
}
