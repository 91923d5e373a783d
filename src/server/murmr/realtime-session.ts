import { bytesFromSamples } from '#lib/pcm.ts';
import { describeIssues } from '#protocol/core/issue.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import {
  type ClientMessage,
  type ConfigMessage,
  parseClientFields,
} from '#protocol/murmr/wire/client-frames.ts';
import {
  AUTH_FAILED,
  AUTH_TIMEOUT,
  errorName,
  INVALID_MESSAGE,
  SERVER_ERROR,
} from '#protocol/murmr/wire/errors.ts';
import { GenerationBuffer } from '#protocol/murmr/wire/generation-buffer.ts';
import type { RealtimeServerFrame } from '#protocol/murmr/wire/server-frames.ts';
import { MAX_BUFFER_CHARS, SAMPLE_RATE } from '#protocol/murmr/wire/settings.ts';
import { FrameCutter } from '../audio/frame-cutter.ts';
import type { Connection } from '../connection.ts';
import type { EndpointMeter } from '../metrics/meter.ts';
import { type ContextParts, ContextSpeech } from '../sessions/context-speech.ts';
import { type IdleTimer, JsonSession } from '../sessions/json-session.ts';
import { EngineBusyError } from '../speech/engine.ts';
import { type MurmrRefusal, type Pass, SLOTS_OCCUPIED } from './access.ts';
import type { MurmrServices } from './services.ts';
import { speechOf, type VoiceChoice, voiceChoice } from './voice-choice.ts';

/** One emission of the text buffer, with the voice chosen at that time. */
export interface Generation {
  text: string;
  voice: VoiceChoice;
}

interface SpeechOptions extends ContextParts {
  /** Sends one audio frame. The samples are overwritten afterwards. */
  sendAudio(samples: Int16Array): void;
  sendFrame(frame: RealtimeServerFrame): void;
}

/** The generations of a connection. */
class RealtimeSpeech extends ContextSpeech<Generation, SpeechOptions> {
  #pass: Pass | null = null;

  /** The key was accepted. */
  open(pass: Pass): void {
    this.#pass = pass;
    this.queue.open();
  }

  add(generation: Generation): void {
    this.queue.add(generation);
  }

  override stop(): void {
    super.stop();
    this.#pass?.leave();
  }

  protected rest(): void {}

  /** Sends the audio of a generation and its end, or the refusal. */
  protected async speak({ text, voice }: Generation, signal: AbortSignal): Promise<void> {
    const { connection, sendFrame, sendAudio } = this.options;
    const { clock } = connection;
    const refusal = await this.#pass?.generation(text.length);
    if (signal.aborted) return;
    if (refusal) {
      sendFrame({ type: 'error', ...refusal });
      return;
    }
    const startedMs = clock.nowMs();
    let firstAudioMs: number | null = null;
    const cutter = new FrameCutter(SAMPLE_RATE);
    const deliver = (samples: Int16Array): void => {
      firstAudioMs ??= clock.nowMs();
      sendAudio(samples);
    };
    const isWhole = await this.synthesize(speechOf(voice, text), signal, (block) => {
      for (const samples of cutter.push(block.samples)) deliver(samples);
    });
    if (!isWhole) return;
    const rest = cutter.end();
    if (rest) deliver(rest);
    sendFrame({
      type: 'done',
      total_chunks: cutter.count,
      duration_ms: Math.round((cutter.samples * 1000) / SAMPLE_RATE),
      first_chunk_latency_ms: Math.round((firstAudioMs ?? startedMs) - startedMs),
    });
  }
}

export interface RealtimeOptions {
  connection: Connection;
  services: Pick<MurmrServices, 'engine' | 'catalogue' | 'access' | 'log'>;
  meter: EndpointMeter;
  /** Sent in the handshake and logged; `session_id` is its beginning. */
  requestId: string;
}

/** Time limit of the config message. */
const CONFIG_WITHIN_MS = 10_000;
/** Duration of authentication, during which the client may go on (murmr-key-2). */
const AUTHENTICATION_MS = 200;
/** Length of `session_id`. */
const SESSION_ID_CHARS = 8;

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
 * is queued, then spoken or dropped (murmr-key-3, murmr-key-4).
 */
export class RealtimeSession extends JsonSession<RealtimeOptions> {
  /** Only text is not read any more. */
  protected override readonly isDeafWhenLeaving = false;
  readonly #buffer = new GenerationBuffer();
  readonly #speech = new RealtimeSpeech({
    ...this.partsOfContext((error) => this.#failGeneration(error)),
    sendFrame: (frame) => this.#sendFrame(frame),
    sendAudio: (samples) => this.#sendAudio(samples),
  });
  protected readonly contexts = [this.#speech];
  #config: Configured | null = null;
  #binaryMode = false;
  readonly #configTimer: IdleTimer = this.onceAfter(CONFIG_WITHIN_MS, () =>
    this.#end({ message: 'No config message within 10 seconds', code: AUTH_TIMEOUT }),
  );

  protected read(fields: Fields): void {
    const parsed = parseClientFields(fields);
    if (parsed.ok) this.#accept(parsed.value);
    else this.unreadable(describeIssues(parsed.issues));
  }

  /** Ends the connection, because it sent no message of the protocol. */
  protected unreadable(problem: string): void {
    this.#end({ message: `Invalid message: ${problem}`, code: INVALID_MESSAGE });
  }

  binary(): void {
    this.unreadable('expected a text message with a JSON object, got a binary message');
  }

  #accept(message: ClientMessage): void {
    if (message.type === 'config') {
      this.#configure(message);
    } else if (!this.#config) {
      this.unreadable(`type: expected config as the first message, got ${message.type}`);
    } else if (message.type === 'ping') {
      this.#sendFrame({ type: 'pong' });
    } else if (message.type === 'binary_mode') {
      this.#binaryMode = true;
      this.#sendFrame({ type: 'binary_mode_ack', ...FORMAT });
    } else if (!this.isLeaving) {
      if (message.type === 'text') this.#take(message.text, this.#config);
      else this.#flush(this.#config);
    }
  }

  #configure(message: ConfigMessage): void {
    const { services, requestId } = this.options;
    const chosen = voiceChoice(message, services.catalogue);
    if ('problem' in chosen) {
      this.unreadable(chosen.problem);
      return;
    }
    if (this.#config && this.#config.key !== message.api_key) {
      this.unreadable('api_key: expected the key of the first config, got another one');
      return;
    }
    const isFirst = this.#config === null;
    this.#config = { key: message.api_key, voice: chosen.choice };
    this.#sendFrame({ type: 'config_ack', session_id: requestId.slice(0, SESSION_ID_CHARS) });
    if (!isFirst) return;
    this.#configTimer.stop();
    this.onceAfter(AUTHENTICATION_MS, () =>
      this.options.connection.background(() => this.#authenticate(message.api_key)),
    );
  }

  async #authenticate(key: string): Promise<void> {
    const admitted = await this.options.services.access.admit(key);
    if ('refusal' in admitted) this.#end(admitted.refusal);
    else if (this.isOver) admitted.pass.leave();
    else this.#speech.open(admitted.pass);
  }

  #take(text: string, { voice }: Configured): void {
    const generations = this.#buffer.add(text);
    if (!generations) {
      this.#overflow(this.#buffer.length + text.length);
      return;
    }
    for (const generation of generations) this.#speech.add({ text: generation, voice });
  }

  #flush({ voice }: Configured): void {
    const text = this.#buffer.flush();
    if (text !== null) this.#speech.add({ text, voice });
  }

  /** Drops the whole text that would overflow. The socket stays open. */
  #overflow(length: number): void {
    const problem = `buffer overflow: expected at most ${MAX_BUFFER_CHARS} characters, got ${length}`;
    this.#sendFrame({ type: 'error', message: `Invalid message: text: ${problem}`, code: INVALID_MESSAGE });
  }

  /** An engine that is busy fails one generation, with the socket open (murmr-open-3). */
  #failGeneration(error: unknown): void {
    if (error instanceof EngineBusyError) this.#sendFrame({ type: 'error', ...SLOTS_OCCUPIED });
    else this.#end({ message: 'Internal server error', code: SERVER_ERROR });
  }

  /** Sends the error frame, then its close code (murmr-error-1). */
  #end(refusal: MurmrRefusal): void {
    this.#sendFrame({ type: 'error', ...refusal });
    // The reason names the plan that a refused key needs (murmr-key-5).
    const reason = refusal.code === AUTH_FAILED ? refusal.message : (errorName(refusal.code) ?? '');
    this.close(refusal.code, reason);
  }

  #sendAudio(samples: Int16Array): void {
    // Copies the samples, because a slow socket still holds them when the next ones overwrite the buffer.
    if (this.isOver) return;
    const bytes = bytesFromSamples(samples);
    if (this.#binaryMode) this.options.connection.send(bytes);
    // Concatenates instead of calling JSON.stringify, which would scan all of the base64 for escapes.
    else this.send(`{"type":"audio","chunk":"${Buffer.from(bytes.buffer).toString('base64')}"${AUDIO_TAIL}`);
  }

  #sendFrame(frame: RealtimeServerFrame): void {
    if (this.isOver) return;
    if (frame.type === 'error') this.options.meter.refused(errorName(frame.code) ?? 'other');
    this.send(JSON.stringify(frame));
  }
}
