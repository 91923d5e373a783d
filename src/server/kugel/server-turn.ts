import { audioFormatOf, type KugelAudioFormat } from '#protocol/kugel/wire/audio-format.ts';
import { DEFAULT_MODEL } from '#protocol/kugel/wire/generation.ts';
import type { StreamConfig } from '#protocol/kugel/wire/stream-client.ts';
import type { SpeechRequest } from '../speech/engine.ts';
import type { Voice } from '../speech/voices/voices.ts';
import { AudioFramer } from './audio-framer.ts';
import { pronunciationsOf } from './dictionaries.ts';
import { TextBuffer } from './text-buffer.ts';

/** Defaults of the seed. */
const DEFAULTS = {
  model_id: DEFAULT_MODEL,
  temperature: 0.4,
  speed: 1,
  normalize: true,
  flush_timeout_ms: 500,
  max_buffer_length: 1000,
  chunk_length_schedule: [5, 80, 150, 250],
  auto_mode: false,
} as const;

/** One turn of a session: its settings at the beginning, its text and its progress. */
export class ServerTurn {
  readonly voice: Voice;
  readonly modelId: string;
  readonly flushTimeoutMs: number;
  readonly wordTimestamps: boolean;
  readonly format: KugelAudioFormat;
  readonly framer: AudioFramer;
  /** Aborts the current chunk. */
  readonly abort = new AbortController();
  /** Accepts no more text. */
  ended = false;
  characters = 0;
  samples = 0;
  textChunks = 0;
  /** Waiting chunks and the sum of their lengths. */
  readonly #chunks: string[] = [];
  #chunkCharacters = 0;
  readonly #buffer: TextBuffer;
  readonly #config: StreamConfig;

  /** @param contextId written into every audio frame; undefined on an endpoint without contexts */
  constructor(config: StreamConfig, voice: Voice, contextId?: string) {
    this.#config = { ...config };
    this.voice = voice;
    this.modelId = config.model_id ?? DEFAULTS.model_id;
    this.flushTimeoutMs = config.flush_timeout_ms ?? DEFAULTS.flush_timeout_ms;
    this.wordTimestamps = config.word_timestamps ?? false;
    this.format = audioFormatOf(config);
    this.framer = new AudioFramer(this.format, contextId);
    this.#buffer = new TextBuffer({
      schedule: config.chunk_length_schedule ?? DEFAULTS.chunk_length_schedule,
      autoMode: config.auto_mode ?? DEFAULTS.auto_mode,
      maxBufferLength: config.max_buffer_length ?? DEFAULTS.max_buffer_length,
    });
  }

  /** Characters of chunks and text that are not spoken yet. */
  get unspokenCharacters(): number {
    return this.#chunkCharacters + this.#buffer.length;
  }

  get hasChunk(): boolean {
    return this.#chunks.length > 0;
  }

  /** Removes and returns the next chunk; undefined if none is ready. */
  takeChunk(): string | undefined {
    const chunk = this.#chunks.shift();
    this.#chunkCharacters -= chunk?.length ?? 0;
    return chunk;
  }

  /** Audio of completed chunks. */
  get audioSeconds(): number {
    return this.samples / this.format.sampleRate;
  }

  /** Audio of all sent frames, including an aborted chunk. */
  get sentSeconds(): number {
    return this.framer.samples / this.format.sampleRate;
  }

  /** @returns whether text still waits for a boundary */
  add(text: string): boolean {
    this.characters += text.length;
    this.#queue(this.#buffer.add(text));
    return this.#buffer.length > 0;
  }

  /** Emits the waiting text after `flush_timeout_ms` without new text. */
  goStale(): void {
    this.#queue([this.#buffer.stale()]);
  }

  /** Ends the text of the turn. */
  end(): void {
    this.ended = true;
    this.#queue([this.#buffer.rest()]);
  }

  /** Engine request for one chunk. */
  request(text: string, session: string): SpeechRequest {
    const config = this.#config;
    return {
      text,
      voice: this.voice,
      sampleRate: this.format.sampleRate,
      speed: config.speed ?? DEFAULTS.speed,
      variation: config.temperature ?? DEFAULTS.temperature,
      language: config.language,
      normalize: config.normalize ?? DEFAULTS.normalize,
      pronunciations: pronunciationsOf(config.dictionary_ids, config.language ?? this.voice.languages[0]),
      session,
    };
  }

  #queue(chunks: readonly (string | null)[]): void {
    for (const chunk of chunks) {
      const text = chunk?.trim();
      if (!text) continue;
      this.#chunks.push(text);
      this.#chunkCharacters += text.length;
    }
  }
}
