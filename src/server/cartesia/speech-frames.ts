import { audioFormatOf } from '#protocol/cartesia/wire/output-format.ts';
import { chunkFrame, phonemesFrame, timestampsFrame } from '#protocol/cartesia/wire/server-frames.ts';
import { AUDIO_ENCODINGS, type UncompressedFormat } from '#protocol/core/audio-format.ts';
import { FrameCutter } from '../audio/frame-cutter.ts';
import { encodeSamples } from '../audio/output.ts';
import type { SpeechBlock } from '../speech/engine.ts';
import { atVolume, type CartesiaSpeaker } from './speaker.ts';
import { phonemeLists, wordLists, wordsWithMarks } from './words.ts';

/** Bytes of the first chunk and of all others; the last one is shorter (`facts-cartesia`, R8, O13). */
const CHUNK_BYTES = { first: 4096, others: 16_384 } as const;

interface Options {
  context: string;
  /** Null for none in the frames. */
  flushId: number | null;
  text: string;
  speaker: CartesiaSpeaker;
  nowMs(): number;
  /** Start of the text in the context. */
  fromMs: number;
}

/** Makes the frames of one text: chunks, and the times of its words and phonemes between them. */
export class SpeechFrames {
  readonly #options: Options;
  readonly #cutter: FrameCutter;
  readonly #format: UncompressedFormat;
  #chunkMs: number;
  /** Made with the first words. */
  #marked: ReturnType<typeof wordsWithMarks> | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#format = audioFormatOf(options.speaker.settings);
    const { bytesPerSample } = AUDIO_ENCODINGS[this.#format.encoding];
    this.#cutter = new FrameCutter(this.#format.sampleRate, {
      first: CHUNK_BYTES.first / bytesPerSample,
      others: CHUNK_BYTES.others / bytesPerSample,
    });
    this.#chunkMs = options.nowMs();
  }

  /** Length of the chunks so far. */
  get durationMs(): number {
    return (this.#cutter.samples * 1000) / this.#format.sampleRate;
  }

  *add({ samples, words, phonemes = [] }: SpeechBlock): Generator<object> {
    const { context, flushId, text, speaker, fromMs } = this.#options;
    for (const chunk of this.#cutter.push(atVolume(speaker, samples))) yield this.#chunk(chunk);
    for (const list of phonemeLists(phonemes, fromMs)) yield phonemesFrame(context, list, flushId);
    if (speaker.settings.add_timestamps !== true || words.length === 0) return;
    this.#marked ??= wordsWithMarks(text);
    for (const list of wordLists(text, words, this.#marked, fromMs))
      yield timestampsFrame(context, list, flushId);
  }

  *end(): Generator<object> {
    const rest = this.#cutter.end();
    if (rest) yield this.#chunk(rest);
  }

  /** `step_time` counts from the chunk before, or from the start of the text (O14). */
  #chunk(samples: Int16Array): object {
    const { context, flushId, nowMs } = this.#options;
    const sinceMs = this.#chunkMs;
    this.#chunkMs = nowMs();
    const data = Buffer.from(encodeSamples(this.#format.encoding, samples)).toString('base64');
    return chunkFrame(context, data, Math.round((this.#chunkMs - sinceMs) * 100) / 100, flushId);
  }
}
