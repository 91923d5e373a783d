import { addAll } from '#lib/collections/arrays.ts';
import type { PhonemeTiming, SpeechBlock, SpeechRequest, WordTiming } from '../engine.ts';

/** Pauses between sentences are cut into blocks like speech. */
const SILENT_BLOCK_MS = 100;
/** Carries the last word timings when no audio is left to carry them. */
const CLOSING_SILENCE_MS = 10;

/** Builds the blocks of one request in order. Word timings leave with the block that follows them. */
export class SpeechBlockBuilder {
  readonly #sampleRate: SpeechRequest['sampleRate'];
  #samples = 0;
  #words: WordTiming[] = [];
  #phonemes: PhonemeTiming[] = [];
  /** Begun, and not ended. */
  #phoneme: { readonly phoneme: string; readonly startMs: number } | null = null;

  constructor(sampleRate: SpeechRequest['sampleRate']) {
    this.#sampleRate = sampleRate;
  }

  /** Length of the audio so far. */
  get atMs(): number {
    return (this.#samples * 1000) / this.#sampleRate;
  }

  addWords(words: readonly WordTiming[]): void {
    addAll(this.#words, words);
  }

  /** Ends the phoneme before, and begins another. @param phoneme null for a pause */
  sound(phoneme: string | null, atMs: number): void {
    if (this.#phoneme)
      this.#phonemes.push({ ...this.#phoneme, endMs: Math.max(atMs, this.#phoneme.startMs) });
    this.#phoneme = phoneme === null ? null : { phoneme, startMs: atMs };
  }

  /** A block of these samples; none for no samples, because a block is never empty. */
  speech(samples: Int16Array): readonly SpeechBlock[] {
    if (samples.length === 0) return [];
    this.#samples += samples.length;
    const words = this.#words;
    this.#words = [];
    const phonemes = this.#phonemes;
    this.#phonemes = [];
    return [phonemes.length > 0 ? { samples, words, phonemes } : { samples, words }];
  }

  silence(durationMs: number): readonly SpeechBlock[] {
    const total = Math.round((durationMs * this.#sampleRate) / 1000);
    const blockLength = (SILENT_BLOCK_MS * this.#sampleRate) / 1000;
    const blocks: SpeechBlock[] = [];
    for (let made = 0; made < total; made += blockLength) {
      addAll(blocks, this.speech(new Int16Array(Math.min(blockLength, total - made))));
    }
    return blocks;
  }

  /** The last blocks: a short silence where words or phonemes wait for a block. */
  end(): readonly SpeechBlock[] {
    return this.#words.length + this.#phonemes.length > 0 ? this.silence(CLOSING_SILENCE_MS) : [];
  }
}
