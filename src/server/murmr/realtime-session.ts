import { bytesFromSamples } from '#lib/pcm.ts';
import {
  type ClientMessage,
  type ConfigMessage,
  parseClientMessage,
} from '#protocol/murmr/wire/client-frames.ts';
import {
  AUTH_FAILED,
  AUTH_TIMEOUT,
  errorName,
  INVALID_MESSAGE,
  SERVER_ERROR,
} from '#protocol/murmr/wire/errors.ts';
import { GenerationBuffer } from '#protocol/murmr/wire/generation-buffer.ts';
import { MAX_BUFFER_CHARS, SAMPLE_RATE } from '#protocol/murmr/wire/limits.ts';
import type { RealtimeServerFrame } from '#protocol/murmr/wire/server-frames.ts';
import { type Connection, GOING_AWAY_CLOSE, type Session } from '../connection.ts';
import { faultFields, type Log } from '../log.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { type Engine, EngineBusyError } from '../speech/engine.ts';
import { GenerationQueue, WaitingText } from '../speech/generation-queue.ts';
import type { VoiceCatalogue } from '../speech/voices/voice-catalogue.ts';
import { type Access, type MurmrRefusal, type Pass, SLOTS_OCCUPIED } from './access.ts';
import { type Generation, speakGeneration } from './generation.ts';
import { type VoiceChoice, voiceChoice } from './voice-choice.ts';

export interface RealtimeOptions {
  connection: Connection;
  engine: Engine;
  catalogue: VoiceCatalogue;
  access: Access;
  meter: EndpointMeter;
  /** Sent in the handshake and logged; `session_id` is its beginning. */
  requestId: string;
  log: Log;
}

/** Time limit of the config message (seed). */
const CONFIG_WITHIN_MS = 10_000;
/** Duration of authentication, during which the client may go on (seed, "Parallel Authentication"). */
const AUTHENTICATION_MS = 200;
/** Length of `session_id` (`facts 6.2`). */
const SESSION_ID_CHARS = 8;

/** Close of a connection when the server shuts down (`facts 6.4`). */

const FORMAT = { sample_rate: SAMPLE_RATE, format: 'pcm_s16le' } as const;
/** End of every audio frame's JSON. */
const AUDIO_TAIL = `,${JSON.stringify(FORMAT).slice(1)}`;

/** Key and voice of the accepted config. */
interface Configured {
  key: string;
  voice: VoiceChoice;
}

/**
 * One connection to `/v1/realtime`. The config is acknowledged before the key is checked. Text that arrives meanwhile
 * is queued, then spoken or dropped (`facts 6.3.2` to `4`).
 */
export class RealtimeSession implements Session {
  readonly #options: RealtimeOptions;
  readonly #buffer = new GenerationBuffer();
  readonly #queue: GenerationQueue<Generation>;
  #config: Configured | null = null;
  #pass: Pass | null = null;
  #binaryMode = false;
  /** The server shuts down: speaks the queue and accepts no more text. */
  #leaving = false;
  #closed = false;
  /** Cancels the timer of the config, later of the authentication. */
  #cancelTimer: () => void;

  constructor(options: RealtimeOptions) {
    this.#options = options;
    const { connection } = options;
    this.#queue = new GenerationQueue({
      connection,
      waiting: new WaitingText(connection),
      speak: (generation, signal) => this.#speak(generation, signal),
      emptied: () => this.#closeIfDone(),
      failed: (error) => this.#failGeneration(error),
    });
    this.#cancelTimer = connection.clock.after(CONFIG_WITHIN_MS, () => {
      this.#end({ message: 'No config message within 10 seconds', code: AUTH_TIMEOUT });
    });
  }

  text(message: string): void {
    if (this.#closed) return;
    try {
      const parsed = parseClientMessage(message);
      if (parsed.ok) this.#accept(parsed.value);
      else this.#invalid(parsed.problem);
    } catch (error) {
      this.#fail(error);
    }
  }

  binary(): void {
    if (!this.#closed) this.#invalid('expected a text message with a JSON object, got a binary message');
  }

  gone(): void {
    this.#stop();
  }

  goingAway(): void {
    this.#leaving = true;
    this.#closeIfDone();
  }

  #accept(message: ClientMessage): void {
    if (message.type === 'config') {
      this.#configure(message);
    } else if (!this.#config) {
      this.#invalid(`type: expected config as the first message, got ${message.type}`);
    } else if (message.type === 'ping') {
      this.#send({ type: 'pong' });
    } else if (message.type === 'binary_mode') {
      this.#binaryMode = true;
      this.#send({ type: 'binary_mode_ack', ...FORMAT });
    } else if (!this.#leaving) {
      if (message.type === 'text') this.#take(message.text, this.#config);
      else this.#flush(this.#config);
    }
  }

  #configure(message: ConfigMessage): void {
    const chosen = voiceChoice(message, this.#options.catalogue);
    if ('problem' in chosen) {
      this.#invalid(chosen.problem);
      return;
    }
    if (this.#config && this.#config.key !== message.api_key) {
      this.#invalid('api_key: expected the key of the first config, got another one');
      return;
    }
    const isFirst = this.#config === null;
    this.#config = { key: message.api_key, voice: chosen.choice };
    this.#send({ type: 'config_ack', session_id: this.#options.requestId.slice(0, SESSION_ID_CHARS) });
    if (!isFirst) return;
    this.#cancelTimer();
    const { connection } = this.#options;
    this.#cancelTimer = connection.clock.after(AUTHENTICATION_MS, () =>
      connection.background(() => this.#authenticate(message.api_key)),
    );
  }

  async #authenticate(key: string): Promise<void> {
    const admitted = await this.#options.access.admit(key);
    if ('refusal' in admitted) {
      this.#end(admitted.refusal);
      return;
    }
    if (this.#closed) {
      admitted.pass.leave();
      return;
    }
    this.#pass = admitted.pass;
    this.#queue.open();
  }

  async #speak(generation: Generation, signal: AbortSignal): Promise<void> {
    const { connection, engine, requestId } = this.#options;
    if (!this.#pass) return;
    await speakGeneration(generation, signal, {
      connection,
      engine,
      engineKey: requestId,
      pass: this.#pass,
      send: (frame) => this.#send(frame),
      sendAudio: (samples) => this.#sendAudio(samples),
    });
  }

  #take(text: string, { voice }: Configured): void {
    const generations = this.#buffer.add(text);
    if (!generations) {
      this.#overflow(this.#buffer.length + text.length);
      return;
    }
    for (const generation of generations) this.#queue.add({ text: generation, voice });
  }

  #flush({ voice }: Configured): void {
    const text = this.#buffer.flush();
    if (text !== null) this.#queue.add({ text, voice });
  }

  /** Drops the whole text that would overflow. The socket stays open (decision 29). */
  #overflow(length: number): void {
    const problem = `buffer overflow: expected at most ${MAX_BUFFER_CHARS} characters, got ${length}`;
    this.#send({ type: 'error', message: `Invalid message: text: ${problem}`, code: INVALID_MESSAGE });
  }

  #invalid(problem: string): void {
    this.#end({ message: `Invalid message: ${problem}`, code: INVALID_MESSAGE });
  }

  /** An engine that is busy fails one generation, with the socket open (`facts 6.3.8`). */
  #failGeneration(error: unknown): void {
    if (!(error instanceof EngineBusyError)) {
      this.#fail(error);
      return;
    }
    const { log, requestId } = this.#options;
    log.error({ requestId, ...faultFields(error) }, 'generation failed');
    this.#send({ type: 'error', ...SLOTS_OCCUPIED });
  }

  #fail(error: unknown): void {
    const { log, requestId } = this.#options;
    log.error({ requestId, ...faultFields(error) }, 'generation failed');
    this.#end({ message: 'Internal server error', code: SERVER_ERROR });
  }

  /** Sends the error frame, then its close code (decision 28). */
  #end(refusal: MurmrRefusal): void {
    this.#send({ type: 'error', ...refusal });
    // The reason names the plan that a refused key needs (`facts 6.3.5`).
    const reason = refusal.code === AUTH_FAILED ? refusal.message : (errorName(refusal.code) ?? '');
    this.#close(refusal.code, reason);
  }

  #closeIfDone(): void {
    if (this.#leaving && this.#queue.length === 0)
      this.#close(GOING_AWAY_CLOSE.code, GOING_AWAY_CLOSE.reason);
  }

  #close(code: number, reason: string): void {
    if (this.#closed) return;
    this.#stop();
    this.#options.connection.close(code, reason);
  }

  #stop(): void {
    this.#closed = true;
    this.#cancelTimer();
    this.#queue.stop();
    this.#pass?.leave();
  }

  #sendAudio(samples: Int16Array): void {
    // Copies the samples, because a slow socket still holds them when the next ones overwrite the buffer.
    if (this.#closed) return;
    const bytes = bytesFromSamples(samples);
    if (this.#binaryMode) this.#options.connection.send(bytes);
    // Concatenates instead of calling JSON.stringify, which would scan all of the base64 for escapes.
    else
      this.#options.connection.send(
        `{"type":"audio","chunk":"${Buffer.from(bytes.buffer).toString('base64')}"${AUDIO_TAIL}`,
      );
  }

  #send(frame: RealtimeServerFrame): void {
    if (this.#closed) return;
    if (frame.type === 'error') this.#options.meter.refused(errorName(frame.code) ?? 'other');
    this.#options.connection.send(JSON.stringify(frame));
  }
}
