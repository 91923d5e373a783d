import type { Log } from '../../log.ts';
import { SpeechBlockBuilder } from '../audio/speech-block-builder.ts';
import { type Engine, EngineBusyError, type SpeechBlock, type SpeechRequest } from '../engine.ts';
import { isLanguage, type Language } from '../languages.ts';
import { spokenLanguageOf } from '../text/detect-language.ts';
import type { SpeechPiece } from '../text/pieces.ts';
import { spokenParts } from '../text/spoken-text.ts';
import { WordClock } from '../text/word-clock.ts';
import type { EngineVoice } from '../voices/voices.ts';
import { readCaptions } from './captions.ts';
import { inputPieces } from './input-pieces.ts';
import { PieceSpeech } from './piece-speech.ts';
import { RequestSlots } from './request-slots.ts';
import { SampleReader } from './sample-reader.ts';
import type { ServerVoice } from './server-voices.ts';
import { SpeechCalls } from './speech-calls.ts';
import { SpeechFault } from './speech-fault.ts';
import type { SpeechServerSettings } from './speech-server.ts';

interface Options {
  readonly settings: SpeechServerSettings;
  /** The server's voice that speaks for a voice of this server. */
  readonly voiceFor: (voice: EngineVoice, language: Language) => ServerVoice;
  readonly log: Log;
  /** Longest wait that the server may ask for; a longer one fails the request at once. */
  readonly patienceMs?: number;
}

const CLOSED = 'the speech engine is closed';
const PATIENCE_MS = 10_000;
/** A reader that pauses for longer gives its place to another request. */
const STALLED_MS = 500;
/** Words a minute of a described voice that speaks at the server's own pace. */
const ORDINARY_WORDS_PER_MINUTE = 168;

/** Speaks through a server with OpenAI's `POST /v1/audio/speech`. */
export class OpenAiEngine implements Engine {
  readonly #options: Options;
  readonly #calls: SpeechCalls;
  readonly #slots: RequestSlots;
  /** Ends the requests that run; null once the engine is closed. */
  #running: Set<() => void> | null = new Set();

  constructor(options: Options) {
    const { settings, log, patienceMs = PATIENCE_MS } = options;
    this.#options = options;
    this.#calls = new SpeechCalls(settings, log, patienceMs);
    this.#slots = new RequestSlots(settings.requests);
  }

  async *synthesize(
    request: SpeechRequest,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechBlock, void, undefined> {
    signal.throwIfAborted();
    if (this.#running === null) throw new Error(CLOSED);
    const abort = new AbortController();
    const onAbort = () => abort.abort(signal.reason);
    const onClose = () => abort.abort(new Error(CLOSED));
    signal.addEventListener('abort', onAbort, { once: true });
    this.#running.add(onClose);
    try {
      yield* this.#speak(request, abort.signal);
    } catch (error) {
      if (!(error instanceof SpeechFault)) throw error;
      this.#calls.failed(error);
      throw error.isPassing ? new EngineBusyError(error.message) : error;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#running?.delete(onClose);
    }
  }

  async close(): Promise<void> {
    const running = this.#running ?? [];
    this.#running = null;
    for (const end of running) end();
  }

  async *#speak(request: SpeechRequest, signal: AbortSignal): AsyncGenerator<SpeechBlock, void, undefined> {
    const language = spokenLanguageOf(request);
    if (!isLanguage(language)) throw new Error(`language '${language}' is not spoken here`);
    const parts = spokenParts(request.text, { ...request, language, saysSounds: false });
    const voice = this.#options.voiceFor(request.voice, language);
    const builder = new SpeechBlockBuilder(request.sampleRate);
    const clock = new WordClock(request.text);
    for await (const piece of inputPieces(parts, clock)) {
      if (piece.kind === 'silence') {
        yield* builder.silence(piece.durationMs);
        continue;
      }
      const pace = piece.rate ?? request.speed;
      const leave = await this.#slots.enter(request, signal);
      const speech = new PieceSpeech(piece, request.sampleRate, builder, clock);
      try {
        for await (const block of this.#blocks(piece, speech, voice, pace * ownPace(request.voice), signal)) {
          const stalled = setTimeout(leave, STALLED_MS);
          try {
            yield block;
          } finally {
            clearTimeout(stalled);
          }
          signal.throwIfAborted();
        }
      } finally {
        leave();
      }
      yield* speech.pause(pace);
    }
    builder.addWords(clock.end(builder.atMs, request.text.length));
    yield* builder.end();
  }

  async *#blocks(
    piece: SpeechPiece,
    speech: PieceSpeech,
    voice: ServerVoice,
    speed: number,
    signal: AbortSignal,
  ): AsyncGenerator<SpeechBlock, void, undefined> {
    const input = piece.mapped.text.trim();
    const answer = await this.#calls.speak(input, voice, speed, signal);
    const reader = new SampleReader(answer.sampleRate);
    const parts = answer.isCaptioned
      ? readCaptions(answer.bytes, input.length)
      : withoutCaptions(answer.bytes);
    for await (const { bytes, captions } of parts) {
      const samples = reader.push(bytes);
      const { sampleRate } = reader;
      const yieldedMs = performance.now();
      yield* speech.push(samples, sampleRate, captions);
      answer.heard((samples.length * 1000) / sampleRate, performance.now() - yieldedMs);
    }
    yield* speech.push(reader.end(), reader.sampleRate, []);
    yield* await speech.end();
    this.#noteFormat(reader);
  }

  #noteFormat({ sampleRate: hz, hasHalfSample }: SampleReader): void {
    const { sampleRate: expectedHz } = this.#options.settings;
    if (hz !== expectedHz)
      this.#calls.note('the speech server sends audio at another rate', { hz, expectedHz });
    if (hasHalfSample) this.#calls.note('the speech server sends half a sample at the end');
  }
}

async function* withoutCaptions(source: AsyncIterable<Uint8Array>) {
  for await (const bytes of source) yield { bytes, captions: [] };
}

/** The pace that a description asks for, in tenths. Other voices have the server's own. */
const ownPace = ({ handle, espeak }: EngineVoice): number =>
  handle === undefined ? Math.round((espeak.wordsPerMinute / ORDINARY_WORDS_PER_MINUTE) * 10) / 10 : 1;
