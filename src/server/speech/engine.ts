import type { EngineVoice } from './voices/voices.ts';

/** Sample rates in Hz that the engine can deliver. */
export type EngineSampleRate = 8000 | 16000 | 22050 | 24000;

/**
 * When a word of the request is heard.
 * `charStart` and `charEnd` are UTF-16 offsets into `SpeechRequest.text` as written, end exclusive;
 * `startMs` and `endMs` are whole milliseconds from the start of this request's audio.
 */
export interface WordTiming {
  readonly word: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly charStart: number;
  readonly charEnd: number;
}

/**
 * Audio as it is made: signed 16-bit mono at the rate of the request, never empty.
 * `words` holds the words whose timing became final with this block; they never end after the audio so far.
 */
export interface SpeechBlock {
  readonly samples: Int16Array;
  readonly words: readonly WordTiming[];
}

/** A dictionary entry: wherever `word` stands as a whole word, `replacement` is spoken instead. */
export interface Pronunciation {
  readonly word: string;
  readonly replacement: string;
  readonly caseSensitive: boolean;
}

/**
 * What in a text is more than text. `tags`: those of facts 1.7 (`break`, `spell`, `prosody rate`) and words in IPA.
 * `newlines`: newlines alone, as pauses (facts 7); a tag is read out like any other text.
 */
export type Markup = 'tags' | 'newlines';

export interface SpeechRequest {
  readonly text: string;
  /** `tags` unless given. */
  readonly markup?: Markup;
  /** A voice of the catalogue, or one shaped from a description. */
  readonly voice: EngineVoice;
  readonly sampleRate: EngineSampleRate;
  /** 0.8 to 1.2; 1 is the voice's own pace. */
  readonly speed: number;
  /** 0 to 1, the protocol's temperature: how lively the intonation is. */
  readonly variation: number;
  /** One of `LANGUAGES`; undefined means the first language of the voice. */
  readonly language: string | undefined;
  /** False reads numerals digit by digit instead of as quantities. */
  readonly normalize: boolean;
  readonly pronunciations: readonly Pronunciation[];
  /** Fairness key: requests of one session share that session's turn at the engine. */
  readonly session: string;
}

/** Text in, audio and word timings out. Several requests run at once without starving each other. */
export interface Engine {
  /**
   * Starts with the first pull and makes only a few seconds more than was pulled.
   * Throws `signal.reason` promptly after an abort, and an Error with a plain message when the engine fails.
   * Leaving the loop early stops the work. Text with nothing speakable in it yields no block.
   */
  synthesize(request: SpeechRequest, signal: AbortSignal): AsyncIterable<SpeechBlock>;
  /** Ends the threads; running requests fail. */
  close(): Promise<void>;
}
