import { defaultsOf } from '#protocol/kugel/wire/client-frames.ts';
import type { UsageObject } from '#protocol/kugel/wire/server-frames.ts';
import { audioFormatOf, type KugelAudioFormat, streamSettings } from '#protocol/kugel/wire/settings.ts';
import type { StreamConfig } from '#protocol/kugel/wire/stream-client.ts';
import { FrameCutter } from '../audio/frame-cutter.ts';
import { encodeSamples } from '../audio/output.ts';
import { NO_TURN, type TurnMeter } from '../metrics/meter.ts';
import type { Pronunciation, SpeechRequest } from '../speech/engine.ts';
import { TextBuffer } from '../speech/text/text-buffer.ts';
import type { EngineVoice } from '../speech/voices/voices.ts';
import type { KeyAccount } from '../state/key-accounts.ts';
import type { KugelStore } from './store.ts';

/** EUR cents per second of audio; yields the documented samples. */
const CENTS_PER_SECOND = 0.09;

/** Rounds seconds to whole milliseconds, which removes floating-point noise. */
export const roundedSeconds = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Usage of a turn. An unpriced account gets null and `cost_unavailable`, never 0 (kugel-bill-2). */
export function bill(
  { condition }: Pick<KeyAccount, 'condition'>,
  turn: { audioSeconds: number; characters: number; modelId: string },
): UsageObject {
  const charge =
    condition !== 'unpriced'
      ? // Scales before rounding, because 5.4 × 0.09 is slightly above 0.486 and 1.5 × 0.09 slightly below 0.135.
        {
          cost_cents: Math.round(Number((turn.audioSeconds * CENTS_PER_SECOND * 100).toFixed(6))) / 100,
          currency: 'eur',
        }
      : { cost_cents: null, cost_unavailable: true };
  return {
    audio_seconds: turn.audioSeconds,
    characters: turn.characters,
    ...charge,
    model_id: turn.modelId,
  };
}

/** Writes the samples of a turn as audio frames. `idx` counts over the turn. */
export class AudioFramer {
  readonly #format: KugelAudioFormat;
  /** End of every frame's JSON. */
  readonly #tail: string;
  /** Counts frames and samples. */
  readonly cutter: FrameCutter;

  constructor(format: KugelAudioFormat, contextId?: string) {
    this.#format = format;
    this.#tail = contextId === undefined ? '}' : `,"context_id":${JSON.stringify(contextId)}}`;
    this.cutter = new FrameCutter(format.sampleRate);
  }

  /** Adds samples of a chunk and yields the full frames. */
  *push(samples: Int16Array, chunkId: number): Generator<string> {
    for (const frame of this.cutter.push(samples)) yield this.#write(frame, chunkId);
  }

  /** The rest of a chunk; null if there is none. A frame never spans two chunks. */
  end(chunkId: number): string | null {
    const rest = this.cutter.end();
    return rest && this.#write(rest, chunkId);
  }

  #write(samples: Int16Array, chunkId: number): string {
    const { encoding, sampleRate } = this.#format;
    const bytes = Buffer.from(encodeSamples(encoding, samples).buffer);
    const idx = this.cutter.count - 1;
    // Concatenates instead of calling JSON.stringify, which would scan all of the base64 for escapes.
    return `{"audio":"${bytes.toString('base64')}","enc":"${encoding}","idx":${idx},"sr":${sampleRate},"samples":${samples.length},"chunk_id":${chunkId}${this.#tail}`;
  }
}

/** The values of the protocol for absent settings. */
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
