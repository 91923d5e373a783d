/** One piece to synthesise, with all settings. */
export interface SpeakJob {
  readonly job: number;
  readonly ssml: string;
  /** espeak's language and variant, such as `en-us+f2`. */
  readonly espeakVoice: string;
  readonly pitch: number;
  readonly range: number;
  readonly wordsPerMinute: number;
  readonly gainDb: number;
  readonly sampleRate: number;
  /** The job's audio begins with its first sound. */
  readonly isTrimmed: boolean;
  /** The onsets name their phonemes. */
  readonly hasPhonemes: boolean;
}

/**
 * An onset: the 0-based code point of the job's SSML that begins to sound, or `PAUSE`, and the time in ms from the
 * start of the job's audio. Also the phoneme in IPA, where the job asks for it.
 */
export type Onset = readonly [codePoint: number, atMs: number, phoneme?: string];
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

/** More than a thread holds at once. */
export const JOB_CELLS = 64;

export interface EspeakWorkerData {
  /**
   * Int32 cells, job n in cell n modulo their count: n while it waits, −n once it has begun, and 0 when it is not wanted any
   * more. Both sides read and write it during a synthesis, when no message arrives.
   */
  readonly jobs: SharedArrayBuffer;
}
