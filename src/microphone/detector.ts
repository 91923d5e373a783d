import { createResampler, type Resampler } from '#lib/resample.ts';
import { AudioClock } from '#player/clock.ts';
import type { DetectorSettings, OnSpeech } from './detector-settings.ts';
import { type GateEvent, SpeechGate } from './gate.ts';
import { MODEL_RATE, type SpeechModel } from './speech-model.ts';
import type { SpeechNews } from './speech-news.ts';

/** The last judgement, for the meter. */
export interface JudgedSound {
  levelDb: number;
  probability: number;
  isSpeech: boolean;
}

export interface DetectorHandlers {
  heard(heard: JudgedSound): void;
  /** Speech over the voice. */
  news(news: SpeechNews): void;
}

/** Quieter sound has this level too. */
const LEAST_DB = -100;

/** Finds speech in a stream of sound, and says when it began by the wall clock. */
export class Detector {
  readonly #model: SpeechModel;
  readonly #handlers: DetectorHandlers;
  readonly #gate: SpeechGate;
  readonly #clock: AudioClock;
  readonly #resampler: Resampler;
  readonly #nowMs: () => number;
  readonly #frame: Float32Array;
  #filled = 0;
  /** Samples of whole frames so far, at the model's rate. */
  #judged = 0;
  #onSpeech: OnSpeech;
  /** The decision that speech, while it lasts, rests on. */
  #decision: { onsetMs: number; decidedMs: number } | null = null;
  #work: Promise<void> = Promise.resolve();

  /** @param sampleRate of the sound, in Hz */
  constructor(
    model: SpeechModel,
    settings: DetectorSettings,
    sampleRate: number,
    handlers: DetectorHandlers,
    nowMs: () => number,
  ) {
    this.#model = model;
    this.#handlers = handlers;
    this.#gate = new SpeechGate(settings);
    this.#onSpeech = settings.onSpeech;
    this.#clock = new AudioClock(MODEL_RATE);
    this.#resampler = createResampler(sampleRate, MODEL_RATE);
    this.#nowMs = nowMs;
    this.#frame = new Float32Array(model.frameSamples);
  }

  set settings(settings: DetectorSettings) {
    this.#gate.settings = settings;
    this.#onSpeech = settings.onSpeech;
  }

  /**
   * Judges the next sound, which follows the sound before without a break.
   * @returns when it is judged
   */
  hear(samples: Float32Array): Promise<void> {
    const arrivedMs = this.#nowMs();
    const sound = this.#resampler.push(samples);
    this.#work = this.#work.then(() => this.#judge(sound, arrivedMs));
    return this.#work;
  }

  /** Ends speech that lasts, where the sound ends. */
  async stop(): Promise<void> {
    await this.#work;
    for (const event of this.#gate.stop()) this.#happened(event);
  }

  async #judge(sound: Float32Array, arrivedMs: number): Promise<void> {
    const endS = (this.#judged + this.#filled + sound.length) / MODEL_RATE;
    this.#clock.anchor({ contextTimeS: endS, wallMs: arrivedMs, outputLatencyMs: 0 });
    const frame = this.#frame;
    for (let at = 0; at < sound.length; ) {
      const part = sound.subarray(at, at + frame.length - this.#filled);
      frame.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled < frame.length) return;
      this.#filled = 0;
      const probability = await this.#model.probability(frame);
      const levelDb = levelOf(frame);
      const fromMs = (this.#judged / MODEL_RATE) * 1000;
      this.#judged += frame.length;
      const toMs = (this.#judged / MODEL_RATE) * 1000;
      for (const event of this.#gate.next({ fromMs, toMs, probability, levelDb })) this.#happened(event);
      this.#handlers.heard({ levelDb, probability, isSpeech: this.#gate.isSpeech });
    }
  }

  #happened(event: GateEvent): void {
    const { news } = this.#handlers;
    switch (event.kind) {
      case 'began': {
        const decidedMs = this.#nowMs();
        const onsetMs = Math.min(
          this.#clock.wallMsOf((event.onsetMs / 1000) * MODEL_RATE) ?? decidedMs,
          decidedMs,
        );
        this.#decision = { onsetMs, decidedMs };
        news({ kind: this.#onSpeech, ...this.#decision });
        break;
      }
      case 'lasted':
        if (this.#decision) news({ kind: 'confirm', ...this.#decision });
        break;
      case 'ended':
        if (!event.hasLasted) news({ kind: 'continue' });
        this.#decision = null;
        break;
    }
  }
}

/** Returns the root mean square in dB of full scale. */
function levelOf(samples: Float32Array): number {
  let squares = 0;
  for (let i = 0; i < samples.length; i += 1) squares += (samples[i] ?? 0) ** 2;
  return Math.max(LEAST_DB, 10 * Math.log10(squares / samples.length));
}
