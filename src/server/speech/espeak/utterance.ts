import { addAll } from '#lib/collections/arrays.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import { SpeechBlockBuilder } from '../audio/speech-block-builder.ts';
import type { SpeechBlock, SpeechRequest } from '../engine.ts';
import { espeakLanguage, isLanguage, SPOKEN_LANGUAGES } from '../languages.ts';
import { spokenLanguageOf } from '../text/detect-language.ts';
import type { SpokenPart } from '../text/part-builder.ts';
import { PieceCutter, type SpeechPiece } from '../text/pieces.ts';
import { ScriptReaders } from '../text/script-readers.ts';
import { spokenParts } from '../text/spoken-text.ts';
import { WordClock } from '../text/word-clock.ts';
import { toEspeakInput } from './espeak-input.ts';
import { type Onset, PAUSE, type SpeakJob } from './worker-messages.ts';

/** Pauses synthesis at this much unread audio, so that a slow reader costs little work and memory. */
const MAX_UNREAD_MS = 1000;
/** Memory of unread audio of all requests, beyond which a request has no more than one piece. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

/** Unread audio of all requests of an engine. */
export interface UnreadAudio {
  bytes: number;
}
/** Limits of espeak. */
const MIN_WORDS_PER_MINUTE = 80;
const MAX_WORDS_PER_MINUTE = 450;
/** espeak's intonation range for a variation of 0 and of 1; its default is 50. */
const FLAT_RANGE = 8;
const LIVELY_RANGE = 99;

interface Running {
  readonly job: SpeakJob;
  readonly piece: SpeechPiece;
  readonly sourceAt: readonly number[];
  readonly startMs: number;
}

/** One running request: the text still to speak, and the audio that is not read yet. */
export class Utterance {
  readonly session: string;
  readonly context: string;
  readonly #request: SpeechRequest;
  /** espeak's name of it. */
  readonly #language: string;
  readonly #espeakVoice: string;
  readonly #readers: ScriptReaders;
  readonly #readyAgain: () => void;
  readonly #parts: Iterator<SpokenPart>;
  readonly #cutter = new PieceCutter();
  readonly #clock: WordClock;
  readonly #builder: SpeechBlockBuilder;
  readonly #blocks: SpeechBlock[] = [];
  readonly #unread: UnreadAudio;
  #running: Running | undefined;
  /** What was running, and had not begun when its thread gave it back. */
  #returned: Running | undefined;
  #nextPart: IteratorResult<SpokenPart>;
  #hasRead = false;
  /** A piece has had audio. Silences between pieces do not count. */
  #hasSpoken = false;
  /** Waits for its turn to read on in the text. */
  #isWaiting = false;
  #unreadSamples = 0;
  #firstAudioAtMs: number | undefined;
  #finished = false;
  #failure: { readonly reason: unknown } | undefined;
  #wake: (() => void) | undefined;

  /**
   * Throws for a language that the engine does not support.
   * @param readyAgain called when it can provide a piece after it had to wait in the middle of its text
   */
  constructor(request: SpeechRequest, unread: UnreadAudio, readyAgain: () => void) {
    const language = spokenLanguageOf(request);
    if (!isLanguage(language)) {
      throw new Error(
        `language '${language}' is not spoken here; expected one of ${SPOKEN_LANGUAGES.join(', ')}`,
      );
    }
    const { variant, accents } = request.voice.espeak;
    this.session = request.session;
    this.context = request.context ?? '';
    this.#request = request;
    this.#unread = unread;
    this.#readyAgain = readyAgain;
    this.#language = espeakLanguage(language, accents);
    this.#espeakVoice = `${this.#language}+${variant}`;
    this.#readers = new ScriptReaders(request.text, language);
    this.#parts = spokenParts(request.text, { ...request, language, saysSounds: true });
    this.#nextPart = this.#parts.next();
    this.#clock = new WordClock(request.text);
    this.#builder = new SpeechBlockBuilder(request.sampleRate);
  }

  /** Can provide a piece now. */
  get ready(): boolean {
    const isIdle = this.#running === undefined && !this.#isWaiting;
    const hasRoom = this.#unreadMs < (this.#unread.bytes < MAX_UNREAD_BYTES ? MAX_UNREAD_MS : 0);
    return isIdle && !this.over && (hasRoom || this.#unreadSamples === 0);
  }

  /** No more audio follows. */
  get over(): boolean {
    return this.#finished || this.#failure !== undefined;
  }

  get hasAudio(): boolean {
    return this.#firstAudioAtMs !== undefined;
  }

  /** Synthesised audio minus the time since its first block, in ms; undefined without audio. */
  leadMs(nowMs: number): number | undefined {
    return this.#firstAudioAtMs === undefined
      ? undefined
      : this.#builder.atMs - (nowMs - this.#firstAudioAtMs);
  }

  /** Removes the next piece and emits the pauses before it. Undefined if there is none for now. */
  nextJob(job: number, maxLength: number): SpeakJob | undefined {
    if (this.#returned && this.ready) {
      this.#running = { ...this.#returned, job: { ...this.#returned.job, job } };
      this.#returned = undefined;
      return this.#running.job;
    }
    while (this.ready) {
      const piece = this.#cutter.next(maxLength);
      if (piece === undefined) {
        this.#read();
      } else if (piece.kind === 'silence') {
        this.#push(this.#builder.silence(piece.durationMs));
      } else {
        return this.#begin(job, piece);
      }
    }
    return undefined;
  }

  /** The running piece has not begun, and is the next one again. */
  takeBack(): void {
    this.#returned = this.#running;
    this.#running = undefined;
  }

  /** Reads the next part of the text. The first one at once, others when the event loop has served others. */
  #read(): void {
    const part = this.#nextPart;
    const pause = part.done || !this.#hasRead ? undefined : yieldIfLong();
    if (part.done) {
      this.#finish();
    } else if (pause === undefined) {
      this.#hasRead = true;
      this.#cutter.add(part.value.runs);
      this.#clock.add(part.value.words);
      this.#nextPart = this.#parts.next();
    } else {
      this.#isWaiting = true;
      void pause.then(() => {
        this.#isWaiting = false;
        this.#readyAgain();
      });
    }
  }

  /** Audio of the running piece. */
  block(samples: Int16Array, sounds: readonly Onset[]): void {
    const running = this.#running;
    if (running === undefined || this.over) return;
    // The engine rounds its times to a millisecond, which may be behind its samples.
    const lastMs = this.#builder.atMs + (samples.length * 1000) / this.#request.sampleRate;
    for (const [codePoint, inPieceMs, phoneme] of sounds) {
      const atMs = Math.min(running.startMs + inPieceMs, lastMs);
      if (phoneme !== undefined) this.#builder.sound(phoneme, atMs);
      if (codePoint === PAUSE) {
        this.#builder.sound(null, atMs);
        this.#clock.pause(atMs);
      } else {
        const source = running.sourceAt[codePoint];
        if (source !== undefined) this.#builder.addWords(this.#clock.sound(source, atMs));
      }
    }
    this.#hasSpoken ||= samples.length > 0;
    this.#push(this.#builder.speech(samples));
  }

  /** The running piece is complete. */
  done(): void {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined || this.over) return;
    this.#builder.sound(null, this.#builder.atMs);
    this.#builder.addWords(this.#clock.end(this.#builder.atMs, running.piece.sourceEnd));
    this.#push(this.#builder.silence(running.piece.pauseMs / this.#pace(running.piece)));
  }

  /** Fails with this reason and drops unread audio. */
  fail(reason: unknown): void {
    if (this.over && this.#blocks.length === 0) return;
    this.#failure ??= { reason };
    this.#blocks.length = 0;
    this.#count(-this.#unreadSamples);
    this.#wake?.();
  }

  /** The next block; undefined after the last one. Throws the reason of a failure. */
  async pull(): Promise<SpeechBlock | undefined> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.reason;
      const block = this.#blocks.shift();
      if (block !== undefined) {
        this.#count(-block.samples.length);
        return block;
      }
      if (this.#finished) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  #count(samples: number): void {
    this.#unreadSamples += samples;
    this.#unread.bytes += samples * Int16Array.BYTES_PER_ELEMENT;
  }

  get #unreadMs(): number {
    return (this.#unreadSamples * 1000) / this.#request.sampleRate;
  }

  /** The rate of `prosody` replaces the request's speed. */
  #pace(piece: SpeechPiece): number {
    return piece.rate ?? this.#request.speed;
  }

  #begin(job: number, piece: SpeechPiece): SpeakJob {
    const { voice, variation, sampleRate } = this.#request;
    const { accents } = voice.espeak;
    const foreign = piece.spelled
      ? []
      : this.#readers
          .stretches(piece.mapped.text)
          .map((stretch) => ({ ...stretch, language: espeakLanguage(stretch.language, accents) }));
    const { ssml, sourceAt } = toEspeakInput(piece.mapped, { ...piece, language: this.#language, foreign });
    this.#clock.begin(this.#builder.atMs);
    const wordsPerMinute = Math.round(voice.espeak.wordsPerMinute * this.#pace(piece));
    const speakJob = {
      job,
      ssml,
      espeakVoice: this.#espeakVoice,
      pitch: voice.espeak.pitch,
      range: Math.round(FLAT_RANGE + (LIVELY_RANGE - FLAT_RANGE) * Math.min(1, Math.max(0, variation))),
      wordsPerMinute: Math.min(MAX_WORDS_PER_MINUTE, Math.max(MIN_WORDS_PER_MINUTE, wordsPerMinute)),
      gainDb: voice.espeak.gainDb,
      sampleRate,
      // espeak puts 12 ms and more of silence before most consonants, for which a listener would wait.
      isTrimmed: !this.#hasSpoken,
      hasPhonemes: this.#request.hasPhonemes === true,
    };
    this.#running = { job: speakJob, piece, sourceAt, startMs: this.#builder.atMs };
    return speakJob;
  }

  #finish(): void {
    this.#builder.addWords(this.#clock.end(this.#builder.atMs, this.#request.text.length));
    this.#push(this.#builder.end());
    this.#finished = true;
    this.#wake?.();
  }

  #push(blocks: readonly SpeechBlock[]): void {
    if (blocks.length === 0) return;
    this.#firstAudioAtMs ??= performance.now();
    for (const block of blocks) this.#count(block.samples.length);
    addAll(this.#blocks, blocks);
    this.#wake?.();
  }
}
