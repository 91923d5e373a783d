import type { SpokenWord } from '#protocol/core/speech-event.ts';
import type { EngineVoice } from './voices/voices.ts';

/** A word of the request: offsets into its `text` as written, whole ms from the start of its audio. */
export interface WordTiming extends Readonly<SpokenWord> {
  /** Found in the audio afterwards, because the engine reports no times. */
  readonly isEstimated?: true;
}

/** A sound of the voice in IPA: whole stretches of audio, in ms from the start of the request's audio. */
export interface PhonemeTiming {
  readonly phoneme: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** A block of audio: signed 16-bit mono at the rate of the request, never empty. */
export interface SpeechBlock {
  readonly samples: Int16Array;
  /** Words whose timing became final with this block. They never end after the audio so far. */
  readonly words: readonly WordTiming[];
  /** Those that became final with this block, where they were asked for and the engine knows them. */
  readonly phonemes?: readonly PhonemeTiming[];
}

/** A dictionary entry: spoken for `word` as a whole word. */
export interface Pronunciation {
  readonly word: string;
  readonly replacement: string;
  /** Spoken instead of `replacement` where the engine can say it. */
  readonly ipa?: string | null;
  readonly caseSensitive: boolean;
}

/**
 * The markup of a text. `tags`: `break`, `spell`, `prosody rate` and words in IPA.
 * `newlines`: newlines alone, as pauses. Tags are then read out like any other text.
 */
export type Markup = 'tags' | 'newlines';

export interface SpeechRequest {
  readonly text: string;
  /** `tags` unless given. */
  readonly markup?: Markup;
  /** A voice of the catalogue, or one shaped from a description. */
  readonly voice: EngineVoice;
  readonly sampleRate: number;
  /** 0.7 to 1.2; 1 is the voice's own pace. */
  readonly speed: number;
  /** 0 to 1, the protocol's temperature: how lively the intonation is. */
  readonly variation: number;
  /** One of `SPOKEN_LANGUAGES`; undefined means that of the text, or the first one of the voice where it cannot be detected. */
  readonly language: string | undefined;
  /** False reads numerals digit by digit instead of as quantities. */
  readonly normalize: boolean;
  readonly pronunciations: readonly Pronunciation[];
  /** The blocks have times of phonemes. */
  readonly hasPhonemes?: boolean;
  /** Fairness: sessions get equal shares of the engine, and so do the contexts of one session. */
  readonly session: string;
  readonly context?: string;
}

/** The settings of a request for ordinary speech. */
export const ORDINARY_SPEECH = {
  sampleRate: 24_000,
  speed: 1,
  variation: 0.4,
  language: undefined,
  normalize: true,
  pronunciations: [],
} as const satisfies Partial<SpeechRequest>;

/** The engine is overloaded, down or too slow now. A later request may succeed. */
export class EngineBusyError extends Error {
  override readonly name = 'EngineBusyError';
}

/** The engine was closed. Its requests fail with this. */
export class EngineClosedError extends Error {
  override readonly name = 'EngineClosedError';
  constructor() {
    super('the speech engine is closed');
  }
}

/** Converts text to audio and word timings. Several requests run at once without starving each other. */
export interface Engine {
  /**
   * Starts with the first pull and synthesises only about a second ahead. Leaving the loop early stops it.
   * Throws `signal.reason` promptly after an abort, an EngineBusyError when a retry may help, and another Error with a
   * plain message when the engine fails.
   * Text without anything speakable yields no block.
   */
  synthesize(request: SpeechRequest, signal: AbortSignal): AsyncIterable<SpeechBlock>;
  /** Ends the threads; running requests fail with an EngineClosedError. */
  close(): Promise<void>;
}
