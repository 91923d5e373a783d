import type { Log } from '../../log.ts';
import { sourceRate } from './sample-reader.ts';
import type { ServerVoice } from './server-voices.ts';
import { SpeechFault } from './speech-fault.ts';
import { type ServerAnswer, SpeechServer, type SpeechServerSettings } from './speech-server.ts';

const SPEECH = '/audio/speech';
/** Kokoro-FastAPI: audio with the times of its words. */
const CAPTIONED = '/dev/captioned_speech';
/** `speed` of OpenAI. */
const MIN_SPEED = 0.25;
const MAX_SPEED = 4;

const PCM_OR_WAV =
  /^(|application\/octet-stream|binary\/.*|audio\/(pcm|l16|raw|basic|wav|wave|x-wav|vnd\.wave))$/;

/** An answer with audio. */
export interface SpokenAnswer extends Pick<ServerAnswer, 'bytes' | 'heard'> {
  /** JSON with audio and captions instead of audio. */
  readonly isCaptioned: boolean;
  /** Of audio that does not state its rate, in Hz. */
  readonly sampleRate: number;
}

/** Asks a server for speech, with what it has shown to support. */
export class SpeechCalls {
  readonly #server: SpeechServer;
  readonly #settings: SpeechServerSettings;
  readonly #log: Log;
  /** Undefined until the server has said so. */
  #hasCaptions: boolean | undefined;
  /** False once the server has refused a speed that is not 1. */
  #takesSpeed = true;
  /** Lines that are logged once. */
  readonly #noted = new Set<string>();

  constructor(settings: SpeechServerSettings, log: Log, patienceMs: number) {
    this.#settings = settings;
    this.#server = new SpeechServer(settings, patienceMs);
    this.#log = log.child({ server: settings.url.host });
  }

  /** Audio for one request's text. Throws a SpeechFault, and `signal.reason` after an abort. */
  async speak(input: string, voice: ServerVoice, speed: number, signal: AbortSignal): Promise<SpokenAnswer> {
    const plain = {
      model: this.#settings.model,
      ...voice.parameters,
      input,
      voice: voice.name,
      response_format: 'pcm',
    };
    const bounded = Math.min(MAX_SPEED, Math.max(MIN_SPEED, Math.round(speed * 100) / 100));
    const hasSpeed = this.#takesSpeed && bounded !== 1;
    const fields = hasSpeed ? { ...plain, speed: bounded } : plain;
    const captioned = await this.#captioned(fields, signal);
    if (captioned) return captioned;
    try {
      return await this.#uncaptioned(fields, signal);
    } catch (error) {
      if (!hasSpeed || !isRefusedRequest(error)) throw error;
      const answer = await this.#uncaptioned(plain, signal);
      this.#takesSpeed = false;
      this.note('the speech server takes no speed, and speaks at its own');
      return answer;
    }
  }

  /** Logs a peculiarity of the server once. */
  note(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    const line = JSON.stringify([message, fields]);
    if (this.#noted.has(line)) return;
    this.#noted.add(line);
    this.#log.warn(fields, message);
  }

  /** Logs a fault. */
  failed({ message, fields }: SpeechFault): void {
    this.#log.warn(fields, message);
  }

  async #uncaptioned(fields: object, signal: AbortSignal): Promise<SpokenAnswer> {
    // Some servers stream events unless raw audio is named.
    const body = { ...fields, stream_format: 'audio' };
    const answer = await this.#server.call(this.#server.address(SPEECH), body, signal);
    if (answer.status !== 200) return await this.#server.refuse(answer);
    const { bytes, heard, type, statedRate = this.#settings.sampleRate, close } = answer;
    try {
      if (PCM_OR_WAV.test(type))
        return { bytes, heard, isCaptioned: false, sampleRate: sourceRate(statedRate) };
      throw new SpeechFault('the speech server sent something else than PCM', { type });
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Null where the server has no captions. */
  async #captioned(fields: object, signal: AbortSignal): Promise<SpokenAnswer | null> {
    if (!(await this.#offersCaptions(signal))) return null;
    const body = { ...fields, stream: true, return_timestamps: true };
    const answer = await this.#server.call(this.#server.outsideAddress(CAPTIONED), body, signal);
    const { status, type, bytes, heard } = answer;
    if (status === 404 || status === 405) {
      answer.close();
      this.#hasCaptions = false;
      return null;
    }
    if (status !== 200) return await this.#server.refuse(answer);
    if (type === 'application/json') {
      return { bytes, heard, isCaptioned: true, sampleRate: this.#settings.sampleRate };
    }
    answer.close();
    throw new SpeechFault('the speech server sent something else than captions', { type });
  }

  /** A path that exists for another method answers with 405. */
  async #offersCaptions(signal: AbortSignal): Promise<boolean> {
    if (this.#hasCaptions !== undefined) return this.#hasCaptions;
    const status = await this.#server.probe(this.#server.outsideAddress(CAPTIONED), signal);
    if (status !== undefined && status < 500) this.#hasCaptions = status === 405;
    return this.#hasCaptions ?? false;
  }
}

const isRefusedRequest = (error: unknown): boolean =>
  error instanceof SpeechFault && (error.fields.status === 400 || error.fields.status === 422);
