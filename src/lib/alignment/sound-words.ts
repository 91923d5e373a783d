import { bisect } from '../collections/bisect.ts';
import { ANALYSED_HZ } from './mel-bands.ts';
import { FRAME_MS, frameOfMs, msOfFrame, SoundFrames, type SpeechFeatures } from './sound-frames.ts';
import { warp } from './warp.ts';

/** A stretch of sound, in ms from its start. */
export interface SpokenSpan {
  readonly startMs: number;
  readonly endMs: number;
}

/** A span in which a word was found. */
export interface FoundSpan extends SpokenSpan {
  /**
   * The least time that {@link STRETCH_MS} of the reference take in the sound, of those that begin in the word. Silences do
   * not count. Null where the reference is over before.
   */
  readonly leastMs: number | null;
}

const STRETCH_FRAMES = 50;
/** So much of the reference shows lost sound also within a word, and between two. */
export const STRETCH_MS = STRETCH_FRAMES * FRAME_MS;

/** Frames of sound that are matched at once, and by how many the next match begins later. They bound time and memory. */
const WINDOW_FRAMES = 800;
const ADVANCE_FRAMES = 400;
/** The last sound is matched to its end, in one window that is longer, because a short rest has too little to match. */
const LAST_FRAMES = 1600;
/** Frames of the reference for a window, because a voice may be faster than that of the reference. */
const REFERENCE_SHARE = 2;
const LAST_REFERENCE_FRAMES = 6400;
/** A match near an end that is open may still change. */
const UNSURE_FRAMES = 120;
/** A window of the reference begins before its first word by as much. */
const LEAD_FRAMES = 2;
/** Rows of the sound on each side of the diagonal, and as a share of all. */
const HALF_BAND = 250;
const HALF_SHARE = 0.12;
/** A word neither begins nor ends in a silence of 120 ms, nor up to 40 ms beside one. */
const PAUSE_FRAMES = 12;
const SNAP_FRAMES = 4;

/**
 * Finds the words of a text in the sound of any voice, by the sound of another voice whose word times are known: the
 * reference. The sound grows. Text and sound that have nothing to do with each other give times without meaning, in as
 * much time and memory.
 */
export class SoundWords {
  #reference = new SoundFrames();
  readonly #sound = new SoundFrames();
  #words: SpokenSpan[] = [];
  #found: FoundSpan[] = [];
  /** Words whose times are final, and the frame of the sound from which the next one is searched. */
  #final = 0;
  #from = 0;
  #referenceMs = 0;

  /** Begins with another text. The sound stays. */
  forgetReference(): void {
    this.#reference = new SoundFrames();
    this.#words = [];
    this.#found = [];
    this.#final = 0;
    this.#from = 0;
    this.#referenceMs = 0;
  }

  /**
   * Adds a part of the text. All parts precede the first {@link measure}.
   * @param samples at `ANALYSED_HZ` @param words in order, from the start of the part
   */
  addReference(samples: Float32Array, words: readonly SpokenSpan[]): void {
    this.#reference.push(samples);
    for (const { startMs, endMs } of words)
      this.#words.push({ startMs: this.#referenceMs + startMs, endMs: this.#referenceMs + endMs });
    this.#referenceMs += (1000 * samples.length) / ANALYSED_HZ;
  }

  /** @param samples at `ANALYSED_HZ` */
  addSound(samples: Float32Array): void {
    this.#sound.push(samples);
  }

  /**
   * Returns the times of the words in the sound so far, from the first one on. Those of the last seconds may change with
   * more sound. Earlier calls do not change the result.
   * @param isWhole the sound is complete, and ends with the text
   */
  measure(isWhole: boolean): readonly FoundSpan[] {
    const { count } = this.#sound;
    while (this.#final < this.#words.length) {
      if (count - this.#from <= LAST_FRAMES) return this.#found.slice(0, this.#match(count, isWhole));
      this.#advance(this.#match(this.#from + WINDOW_FRAMES, false));
    }
    return this.#found.slice();
  }

  /** Makes the times of words final that the next window does not search. */
  #advance(known: number): void {
    const least = this.#from + ADVANCE_FRAMES;
    const startOf = (word: number): number => Math.floor(frameOfMs(this.#found[word]?.startMs ?? 0));
    const later = this.#found
      .slice(this.#final, known)
      .findIndex((_, at) => startOf(this.#final + at) >= least);
    if (later >= 0) {
      this.#final += later;
      this.#from = startOf(this.#final) - LEAD_FRAMES;
      return;
    }
    this.#final = known;
    this.#from = least;
  }

  /** Matches the sound up to a frame. Returns how many words have times. */
  #match(to: number, isLast: boolean): number {
    const referenceFrom =
      this.#final === 0
        ? 0
        : Math.max(0, Math.floor(frameOfMs(this.#words[this.#final]?.startMs ?? 0)) - LEAD_FRAMES);
    const most = isLast ? LAST_REFERENCE_FRAMES : Math.ceil(REFERENCE_SHARE * (to - this.#from)) + HALF_BAND;
    const referenceTo = Math.min(this.#reference.count, referenceFrom + most);
    if (to <= this.#from || referenceTo <= referenceFrom) return this.#final;
    // Both count as noise what is noise in one of them.
    const ranges = this.#reference.ranges(referenceFrom, referenceTo);
    const others = this.#sound.ranges(this.#from, to);
    for (let band = 0; band < ranges.length; band += 1)
      ranges[band] = Math.min(ranges[band] as number, others[band] as number);
    const reference = this.#reference.features(referenceFrom, referenceTo, ranges);
    const sound = this.#sound.features(this.#from, to, ranges);
    const half = Math.max(HALF_BAND, Math.ceil(HALF_SHARE * sound.kept.length));
    const { first, last, reached } = warp(reference.rows, sound.rows, { half, isOpen: !isLast });
    if (reached === 0) return this.#final;
    const pauses = new Pauses(sound, this.#from);
    for (let word = this.#final; word < this.#words.length; word += 1) {
      const { startMs, endMs } = this.#words[word] as SpokenSpan;
      const [from, end] = [rowAt(reference.kept, startMs), rowAt(reference.kept, endMs) - 1];
      if (from >= reached || end >= reached || frameOfMs(startMs) > referenceTo) return word;
      const starts = pauses.behind(sound.kept[first[from] ?? 0] ?? 0);
      if (!isLast && starts > to - UNSURE_FRAMES) return word;
      const ends = pauses.before(sound.kept[last[Math.max(from, end)] ?? 0] ?? 0);
      let leastMs: number | null = null;
      for (let row = from, to = from + STRETCH_FRAMES; row <= end && to <= reached; row += 1, to += 1) {
        if (to === reached && !isLast) break;
        const columns = (to === reached ? sound.kept.length : (first[to] ?? 0)) - (first[row] ?? 0);
        leastMs = Math.min(leastMs ?? columns * FRAME_MS, columns * FRAME_MS);
      }
      this.#found[word] = { startMs: msOfFrame(starts), endMs: msOfFrame(Math.max(starts, ends)), leastMs };
    }
    return this.#words.length;
  }
}

/** The first row at or behind a time. */
const rowAt = (kept: Int32Array, ms: number): number => {
  const frame = frameOfMs(ms);
  return Math.min(
    kept.length - 1,
    bisect(0, kept.length, (at) => (kept[at] ?? 0) < frame),
  );
};

/** Silences within a stretch of sound that no word reaches into. */
class Pauses {
  readonly #isSpeech: Uint8Array;
  readonly #offset: number;

  constructor({ isSpeech }: SpeechFeatures, offset: number) {
    this.#isSpeech = isSpeech;
    this.#offset = offset;
  }

  /** Returns a frame, or the end of the pause at it. */
  behind(frame: number): number {
    const pause = this.#near(frame, 1);
    return pause && pause.to < this.#isSpeech.length ? pause.to + this.#offset : frame;
  }

  /** Returns a frame, or the start of the pause at it. */
  before(frame: number): number {
    const pause = this.#near(frame, -1);
    return pause ? pause.from + this.#offset : frame;
  }

  #near(frame: number, direction: number): { from: number; to: number } | null {
    for (let step = 0; step <= SNAP_FRAMES; step += 1) {
      const at = frame - this.#offset + direction * step;
      if (this.#isSpeech[at] !== 0) continue;
      let [from, to] = [at, at + 1];
      while (this.#isSpeech[from - 1] === 0) from -= 1;
      while (this.#isSpeech[to] === 0) to += 1;
      if (to - from >= PAUSE_FRAMES) return { from, to };
    }
    return null;
  }
}
