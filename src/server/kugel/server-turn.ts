import { audioFormatOf, type KugelAudioFormat } from '#protocol/kugel/wire/audio-format.ts';
import { defaultsOf } from '#protocol/kugel/wire/client-frames.ts';
import type { StreamConfig } from '#protocol/kugel/wire/stream-client.ts';
import { streamSettings } from '#protocol/kugel/wire/stream-settings.ts';
import { NO_TURN, type TurnMeter } from '../metrics/meter.ts';
import type { Pronunciation, SpeechRequest } from '../speech/engine.ts';
import { TextBuffer } from '../speech/text/text-buffer.ts';
import type { EngineVoice } from '../speech/voices/voices.ts';
import { AudioFramer } from './audio-framer.ts';
import type { KugelStore } from './store.ts';

/** The values of the protocol for absent settings (seed). */
const DEFAULTS = defaultsOf(streamSettings) as Required<
  Omit<StreamConfig, 'voice_id' | 'output_format' | 'language' | 'dictionary_ids' | 'project_id'>
>;

export interface TurnOptions {
  config: StreamConfig;
  voice: EngineVoice;
  store: KugelStore;
  /** Written into every audio frame; undefined on an endpoint without contexts. */
  contextId?: string;
}

/** One turn of a session: its settings at the beginning, its text and its progress. */
export class ServerTurn {
  readonly voice: EngineVoice;
  readonly config: StreamConfig & typeof DEFAULTS;
  readonly format: KugelAudioFormat;
  readonly framer: AudioFramer;
  /** Aborts the current chunk. */
  readonly abort = new AbortController();
  /** Follows the turn once its generation begins. */
  meter: TurnMeter = NO_TURN;
  /** Accepts no more text. */
  ended = false;
  characters = 0;
  samples = 0;
  textChunks = 0;
  /** Waiting chunks and the sum of their lengths. */
  readonly #chunks: string[] = [];
  #chunkCharacters = 0;
  readonly #buffer: TextBuffer;
  readonly #store: KugelStore;
  #pronunciations: readonly Pronunciation[] | null = null;

  constructor({ config, voice, store, contextId }: TurnOptions) {
    this.config = { ...DEFAULTS, ...config };
    this.voice = voice;
    this.#store = store;
    this.format = audioFormatOf(config);
    this.framer = new AudioFramer(this.format, contextId);
    this.#buffer = new TextBuffer({
      schedule: this.config.chunk_length_schedule,
      autoMode: this.config.auto_mode,
      maxBufferLength: this.config.max_buffer_length,
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
    return this.framer.cutter.samples / this.format.sampleRate;
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

  end(): void {
    this.ended = true;
    this.#queue([this.#buffer.rest()]);
  }

  /** Engine request for one chunk. */
  request(text: string): Omit<SpeechRequest, 'session'> {
    const { voice } = this;
    const { speed, temperature, language, normalize } = this.config;
    // Waiting turns hold no pronunciations, because each change of a dictionary would make a copy of 10,000 entries.
    this.#pronunciations ??= this.#store.dictionaries.current.pronunciations(
      this.config,
      language ?? voice.languages[0],
    );
    return {
      text,
      voice,
      sampleRate: this.format.sampleRate,
      speed,
      variation: temperature,
      language,
      normalize,
      pronunciations: this.#pronunciations,
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
