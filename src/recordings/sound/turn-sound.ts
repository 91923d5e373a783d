import { FULL_SCALE } from '#lib/pcm.ts';
import type { SpokenWord } from '#protocol/core/speech-event.ts';

/** Levels are measured in windows of 10 ms, as fine as the places of findings. */
export const WINDOW_S = 0.01;
/** Samples below this level are inaudible, as in every measure. */
const AUDIBLE_DBFS = -50;
/** In a quiet voice, speech reaches further down: this far below its loud windows. */
const SPEECH_RANGE_DB = 32;
const LEAST_DBFS = -70;

/** A run of samples, its end exclusive. */
export interface Stretch {
  from: number;
  to: number;
}

/** A place where the audio of one frame follows that of another. */
export interface Seam {
  /** The first sample of the later frame. */
  sample: number;
}

/** A word with its place in the samples of the turn. */
export interface PlacedWord extends Stretch {
  word: string;
  /** Its sentence goes on. */
  isInSentence: boolean;
}

/** A part of the text and the samples that it became. */
export interface SoundChunk extends Stretch {
  text: string | null;
  /** In the times of {@link SpokenWord}; null where the server sent none. */
  words: readonly SpokenWord[] | null;
  /** Length as the server says; null where it does not. */
  statedSeconds: number | null;
}

/** Something wrong with the sound, in samples of the turn. */
export interface SoundFault<Id> extends Stretch {
  id: Id;
  message: string;
}

const SENTENCE_END = /[.!?…。！？।؟۔\n]/;

/** The sound of one turn, with what the rules share. */
export class TurnSound {
  readonly samples: Int16Array;
  /** In Hz. */
  readonly sampleRate: number;
  readonly seams: readonly Seam[];
  readonly chunks: readonly SoundChunk[];
  readonly words: readonly PlacedWord[];
  /** All text of the turn, as its chunks have it, and as the client sent it. */
  readonly text: string;
  readonly sentText: string;
  /** The rest of the turn was never sent, because it was cancelled or lost. */
  readonly isCut: boolean;
  /** Peaks in dBFS, by window. */
  readonly levels: Float32Array;
  /** The level of loud speech: nine of ten windows are quieter. */
  readonly loudDbfs: number;
  /** Runs without audible sound, in their order. */
  readonly silences: readonly Stretch[];

  constructor(
    turn: Pick<TurnSound, 'samples' | 'sampleRate' | 'seams' | 'chunks' | 'text' | 'sentText' | 'isCut'>,
  ) {
    this.samples = turn.samples;
    this.sampleRate = turn.sampleRate;
    this.seams = turn.seams;
    this.chunks = turn.chunks;
    this.text = turn.text;
    this.sentText = turn.sentText;
    this.isCut = turn.isCut;
    this.levels = levelsOf(turn.samples, this.window);
    this.loudDbfs = this.levels.slice().sort()[Math.floor(this.levels.length * 0.9)] ?? LEAST_DBFS;
    this.silences = this.#silences();
    this.words = turn.chunks.flatMap((chunk) => this.#timed(chunk));
  }

  get window(): number {
    return Math.max(1, Math.round(WINDOW_S * this.sampleRate));
  }

  get isSilent(): boolean {
    return !this.levels.some((level) => level >= AUDIBLE_DBFS);
  }

  /** The samples from the first to the last audible one. */
  get audible(): Stretch {
    const { length } = this.samples;
    const [first] = this.silences;
    const last = this.silences.at(-1);
    return { from: first?.from === 0 ? first.to : 0, to: last?.to === length ? last.from : length };
  }

  secondsOf({ from, to }: Stretch): number {
    return (to - from) / this.sampleRate;
  }

  /** Seconds of audible sound in a stretch. */
  heardIn(stretch: Stretch): number {
    const silent = this.silences.reduce((sum, silence) => sum + overlap(silence, stretch), 0);
    return (stretch.to - stretch.from - silent) / this.sampleRate;
  }

  #silences(): Stretch[] {
    const { levels, window, samples } = this;
    const threshold = Math.max(LEAST_DBFS, Math.min(AUDIBLE_DBFS, this.loudDbfs - SPEECH_RANGE_DB));
    const found: Stretch[] = [];
    for (let at = 0, from = -1; at <= levels.length; at += 1) {
      const isSilent = (levels[at] ?? Number.POSITIVE_INFINITY) < threshold;
      if (isSilent && from < 0) from = at;
      if (isSilent || from < 0) continue;
      found.push({ from: from * window, to: Math.min(at * window, samples.length) });
      from = -1;
    }
    return found;
  }

  #timed({ from, text, words }: SoundChunk): PlacedWord[] {
    return (words ?? []).map(({ word, startMs, endMs, charEnd }, at) => {
      // Without offsets, the sentence may end.
      const next = charEnd > 0 ? words?.[at + 1]?.charStart : undefined;
      const isInSentence =
        next !== undefined && !SENTENCE_END.test(word.slice(-1) + (text ?? '').slice(charEnd, next));
      const placeOf = (ms: number): number =>
        Math.min(this.samples.length, from + Math.round((ms * this.sampleRate) / 1000));
      return { word, from: placeOf(startMs), to: placeOf(endMs), isInSentence };
    });
  }
}

/** Samples that two stretches share. */
export const overlap = (a: Stretch, b: Stretch): number =>
  Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from));

/** Returns the level of each window in dBFS: half of what its samples span. So a constant offset is no sound. */
function levelsOf(samples: Int16Array, window: number): Float32Array {
  const levels = new Float32Array(Math.ceil(samples.length / window));
  for (let at = 0; at < levels.length; at += 1) {
    const end = Math.min(samples.length, (at + 1) * window);
    let least = FULL_SCALE;
    let most = -FULL_SCALE;
    for (let i = at * window; i < end; i += 1) {
      const sample = samples[i] ?? 0;
      if (sample < least) least = sample;
      if (sample > most) most = sample;
    }
    levels[at] = 20 * Math.log10((most - least) / 2 / FULL_SCALE + 1e-6);
  }
  return levels;
}
