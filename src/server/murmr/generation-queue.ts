import { SAMPLE_RATE } from '#protocol/murmr/wire/limits.ts';
import type { RealtimeServerFrame } from '#protocol/murmr/wire/server-frames.ts';
import type { Connection } from '../connection.ts';
import { FrameCutter } from '../frame-cutter.ts';
import type { Engine } from '../speech/engine.ts';
import type { Pass } from './access.ts';
import { speechOf, type VoiceChoice } from './voice-choice.ts';

/** One emission of the text buffer, with the voice chosen at that time (decision 7). */
export interface Generation {
  text: string;
  voice: VoiceChoice;
}

/** Waiting characters at which the queue is full: about two hours of speech. */
const MAX_WAITING_CHARS = 100_000;
/** Waiting generations at which the queue is full. */
const MAX_WAITING_GENERATIONS = 4096;

interface Options {
  connection: Connection;
  engine: Engine;
  /** Fairness key at the engine. */
  engineKey: string;
  /** Sends one audio frame. The samples are overwritten afterwards. */
  sendAudio(samples: Int16Array): void;
  send(frame: RealtimeServerFrame): void;
  emptied(): void;
  failed(error: unknown): void;
}

/** Speaks generations in their order (decision 30), once the key is accepted. */
export class GenerationQueue {
  readonly #options: Options;
  #abort = new AbortController();
  #stopped = false;
  #waiting: Generation[] = [];
  #characters = 0;
  #isFull = false;
  #pass: Pass | null = null;
  #speaking = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Generations that are not finished. */
  get length(): number {
    return this.#waiting.length + (this.#speaking ? 1 : 0);
  }

  /** Starts speaking: the key is accepted. */
  open(pass: Pass): void {
    this.#pass = pass;
    this.#run();
  }

  /** Accepts every generation; a full queue applies back-pressure to the connection. */
  add(generation: Generation): void {
    this.#waiting.push(generation);
    this.#characters += generation.text.length;
    this.#run();
    this.#applyBackPressure();
  }

  /** Stops for good and sends nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#abort.abort();
    this.#waiting = [];
    this.#characters = 0;
  }

  #run(): void {
    const pass = this.#pass;
    const next = pass && !this.#speaking && !this.#stopped ? this.#waiting.shift() : undefined;
    if (!pass || !next) return;
    this.#characters -= next.text.length;
    this.#applyBackPressure();
    this.#speaking = true;
    this.#options.connection.background(async () => {
      try {
        await this.#speak(next, pass);
      } catch (error) {
        if (!this.#stopped) this.#options.failed(error);
      } finally {
        this.#speaking = false;
      }
      if (this.#stopped) return;
      if (this.#waiting.length === 0) this.#options.emptied();
      else this.#run();
    });
  }

  /** Stops reading instead of rejecting text, because clients expect all of it to be spoken. */
  #applyBackPressure(): void {
    const isFull = this.#characters >= MAX_WAITING_CHARS || this.#waiting.length >= MAX_WAITING_GENERATIONS;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    if (isFull) this.#options.connection.pause();
    else this.#options.connection.resume();
  }

  /** Rejects when the engine fails or is aborted. */
  async #speak({ text, voice }: Generation, pass: Pass): Promise<void> {
    const { connection, engine, engineKey, send, sendAudio } = this.#options;
    const { clock } = connection;
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const refusal = await pass.generation(text.length);
    if (signal.aborted) return;
    if (refusal) {
      send({ type: 'error', ...refusal });
      return;
    }
    const startedMs = clock.nowMs();
    let firstAudioMs: number | null = null;
    const cutter = new FrameCutter(SAMPLE_RATE);
    const deliver = (samples: Int16Array): void => {
      firstAudioMs ??= clock.nowMs();
      sendAudio(samples);
    };
    const request = { ...speechOf(voice, text), session: engineKey };
    for await (const block of engine.synthesize(request, signal)) {
      if (signal.aborted) return;
      for (const samples of cutter.push(block.samples)) deliver(samples);
      await connection.drained();
    }
    if (signal.aborted) return;
    const rest = cutter.end();
    if (rest) deliver(rest);
    send({
      type: 'done',
      total_chunks: cutter.count,
      duration_ms: Math.round((cutter.samples * 1000) / SAMPLE_RATE),
      first_chunk_latency_ms: Math.round((firstAudioMs ?? startedMs) - startedMs),
    });
  }
}
