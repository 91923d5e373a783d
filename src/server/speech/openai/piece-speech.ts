import { createResampler, type Resampler } from '#lib/resample.ts';
import type { SpeechBlockBuilder } from '../audio/speech-block-builder.ts';
import type { SpeechBlock, SpeechRequest, WordTiming } from '../engine.ts';
import type { SpeechPiece } from '../text/pieces.ts';
import type { WordClock } from '../text/word-clock.ts';
import { CaptionFollower, type WordCaption } from './captions.ts';
import { reportSounds } from './heard-sounds.ts';
import { SpeechFault } from './speech-fault.ts';
import { estimateSounds, LevelTracker } from './word-estimate.ts';

/** Longest audio of a piece: `ofAny`, and `ofCharacter` more for each of its characters. */
const MAX_SECONDS = { ofAny: 30, ofCharacter: 1 };
const HAS_LETTER = /[\p{L}\p{N}]/u;

/** Turns the audio of one piece into blocks of the request, with the words in it. */
export class PieceSpeech {
  readonly #piece: SpeechPiece;
  readonly #sampleRate: SpeechRequest['sampleRate'];
  readonly #builder: SpeechBlockBuilder;
  readonly #clock: WordClock;
  readonly #startMs: number;
  readonly #levels: LevelTracker;
  readonly #captions: CaptionFollower;
  #resampler: Resampler | undefined;
  #hasCaptions = false;
  /** Captions whose audio has not come yet. */
  #ahead: readonly WordCaption[] = [];
  #samplesLeft: number;

  constructor(
    piece: SpeechPiece,
    sampleRate: SpeechRequest['sampleRate'],
    builder: SpeechBlockBuilder,
    clock: WordClock,
  ) {
    this.#piece = piece;
    this.#sampleRate = sampleRate;
    this.#builder = builder;
    this.#clock = clock;
    this.#startMs = builder.atMs;
    this.#levels = new LevelTracker(sampleRate);
    this.#captions = new CaptionFollower(piece.mapped);
    const { ofAny, ofCharacter } = MAX_SECONDS;
    this.#samplesLeft = sampleRate * (ofAny + ofCharacter * piece.mapped.text.length);
    clock.begin(builder.atMs);
  }

  /** @param sourceRate of the samples, in Hz; the same for the whole piece */
  push(samples: Int16Array, sourceRate: number, captions: readonly WordCaption[]): readonly SpeechBlock[] {
    this.#resampler ??= createResampler(sourceRate, this.#sampleRate);
    const isSame = sourceRate === this.#sampleRate;
    const audio = isSame ? samples : rounded(this.#resampler.push(Float32Array.from(samples)));
    this.#addCaptions(captions, this.#atMsAfter(audio));
    return this.#blocks(audio);
  }

  /** The piece is complete. Throws where the server has left its text out. */
  async end(): Promise<readonly SpeechBlock[]> {
    const audio = rounded(this.#resampler?.end() ?? new Float32Array(0));
    const blocks = this.#blocks(audio);
    const { mapped, sourceEnd } = this.#piece;
    const atMs = this.#builder.atMs;
    if (atMs === this.#startMs && HAS_LETTER.test(mapped.text)) {
      throw new SpeechFault('the speech server sent no audio');
    }
    this.#report(this.#ahead, atMs);
    const estimated = this.#hasCaptions ? [] : await estimateSounds(mapped, this.#levels, this.#startMs);
    const words = [...reportSounds(this.#clock, estimated, atMs), ...this.#clock.end(atMs, sourceEnd)];
    this.#builder.addWords(this.#hasCaptions ? words : words.map(asEstimated));
    return blocks;
  }

  /** The rest of the pause behind the piece. The server may have made a part of it. */
  pause(pace: number): readonly SpeechBlock[] {
    return this.#builder.silence(Math.max(0, this.#piece.pauseMs / pace - this.#levels.silentEndMs));
  }

  /** Reports the captions of the audio up to `untilMs`, and keeps the others for the audio that follows. */
  #addCaptions(captions: readonly WordCaption[], untilMs: number): void {
    const all = this.#ahead.concat(captions);
    const later = all.findIndex(({ start_time }) => this.#startMs + start_time * 1000 >= untilMs);
    const heard = later === -1 ? all.length : later;
    this.#ahead = all.slice(heard);
    this.#report(all.slice(0, heard), untilMs);
  }

  #report(captions: readonly WordCaption[], untilMs: number): void {
    const sounds = this.#captions.sounds(captions, this.#startMs);
    if (sounds.length > 0) this.#hasCaptions = true;
    this.#builder.addWords(reportSounds(this.#clock, sounds, untilMs));
  }

  #atMsAfter(audio: Int16Array): number {
    return this.#builder.atMs + (audio.length * 1000) / this.#sampleRate;
  }

  #blocks(audio: Int16Array): readonly SpeechBlock[] {
    this.#samplesLeft -= audio.length;
    if (this.#samplesLeft < 0)
      throw new SpeechFault('the speech server sent more audio than the text can have');
    this.#levels.push(audio);
    return this.#builder.speech(audio);
  }
}

const asEstimated = (word: WordTiming): WordTiming => ({ ...word, isEstimated: true });

/** A filter may exceed the range of its input. */
const rounded = (samples: Float32Array): Int16Array =>
  Int16Array.from(samples, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample))));
