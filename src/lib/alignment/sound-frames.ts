import { ANALYSED_HZ, analyseFrame, BANDS, HOP, WINDOW } from './mel-bands.ts';

/** Numbers that describe a frame: cepstral coefficients, and how each changes. */
const CEPSTRA = 13;
export const FEATURES = 2 * CEPSTRA;
/** Loudness tells sounds apart best, so the first coefficient counts twice. */
const LOUDNESS_WEIGHT = 2;
/** Bands this far below the loudest are noise. */
const FLOOR_DB = 45;
/** Frames on each side by which the change of a coefficient is measured. */
const REACH = 3;
/** The sum of 2 k² for k up to {@link REACH}. */
const SLOPE_SCALE = 28;
/** Silent frames that remain at each edge of a pause, because pauses differ between voices. */
const KEPT_SILENCE = 3;

/** Speech is at most this far below the loud frames, and this far above the quiet ones where those are noise. */
const SPEECH_RANGE_DB = 38;
const ABOVE_NOISE_DB = 8;
const BELOW_LOUD_DB = 12;

export const FRAME_MS = (1000 * HOP) / ANALYSED_HZ;
const MIDDLE_MS = (500 * WINDOW) / ANALYSED_HZ;

/** The time of the middle of a frame, and the frame whose middle is at a time, as a fraction. */
export const msOfFrame = (frame: number): number => frame * FRAME_MS + MIDDLE_MS;
export const frameOfMs = (ms: number): number => (ms - MIDDLE_MS) / FRAME_MS;

/** Frames of a stretch of sound without its longer silences. */
export interface SpeechFeatures {
  /** Of each row, its frame, counted from the start of the sound. */
  readonly kept: Int32Array;
  /** {@link FEATURES} numbers a row, each with mean 0 and variance 1 over speech. */
  readonly rows: Float32Array;
  /** Of each frame from the first of the stretch on, 1 for speech. */
  readonly isSpeech: Uint8Array;
}

/** Shares of all values that are below the loudest bands, the loud frames of a band, and its quiet frames. */
const LOUDEST_SHARE = 0.98;
const LOUD_SHARE = 0.9;
const QUIET_SHARE = 0.05;
const shareOf = (sorted: Float32Array, share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? 0;

const BASIS = Float32Array.from({ length: CEPSTRA * BANDS }, (_, at) => {
  const [coefficient, band] = [Math.floor(at / BANDS), at % BANDS];
  return Math.cos((Math.PI * coefficient * (band + 0.5)) / BANDS) * Math.sqrt(2 / BANDS);
});

/** The bands of a sound that grows, at 10.4 KB a second. */
export class SoundFrames {
  #bands = new Float32Array(BANDS * 128);
  #levels = new Float32Array(128);
  #count = 0;
  /** Samples that later frames need, with the one before them. */
  #held: Float32Array = new Float32Array(1);

  get count(): number {
    return this.#count;
  }

  /** @param samples at {@link ANALYSED_HZ}; full scale is 1 */
  push(samples: Float32Array): void {
    const sound = new Float32Array(this.#held.length + samples.length);
    sound.set(this.#held);
    sound.set(samples, this.#held.length);
    let at = 1;
    for (; at + WINDOW <= sound.length; at += HOP) {
      this.#reserve(this.#count + 1);
      this.#levels[this.#count] = analyseFrame(sound, at, this.#bands, this.#count * BANDS);
      this.#count += 1;
    }
    this.#held = sound.slice(at - 1);
  }

  /** Returns how far each band of the frames is above its quietest, in the logarithm of power. Noise makes it small. */
  ranges(from: number, to: number): Float32Array {
    const values = new Float32Array(to - from);
    return Float32Array.from({ length: BANDS }, (_, band) => {
      for (let at = 0; at < values.length; at += 1)
        values[at] = this.#bands[(from + at) * BANDS + band] as number;
      values.sort();
      return shareOf(values, LOUD_SHARE) - shareOf(values, QUIET_SHARE);
    });
  }

  /** Returns the features of the frames from `from` to `to`, exclusive. @param ranges what is lower in a band counts as noise */
  features(from: number, to: number, ranges: Float32Array): SpeechFeatures {
    const isSpeech = speechOf(this.#levels.subarray(0, to), from);
    const kept = withoutSilence(isSpeech, from);
    const cepstra = cepstraOf(this.#bands.subarray(from * BANDS, to * BANDS), to - from, ranges);
    return { kept, rows: normalisedRows(cepstra, kept, isSpeech, from), isSpeech };
  }

  #reserve(count: number): void {
    if (count <= this.#levels.length) return;
    const [bands, levels] = [this.#bands, this.#levels];
    this.#bands = new Float32Array(2 * bands.length);
    this.#bands.set(bands);
    this.#levels = new Float32Array(2 * levels.length);
    this.#levels.set(levels);
  }
}

/** Returns 1 for frames from `from` on that are loud enough for speech, judged by all levels so far, because voices differ. */
function speechOf(levels: Float32Array, from: number): Uint8Array {
  const sorted = levels.slice().sort();
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  const [loud, quiet] = [at(0.9), at(0.05)];
  const limit = Math.max(loud - SPEECH_RANGE_DB, Math.min(quiet + ABOVE_NOISE_DB, loud - BELOW_LOUD_DB));
  return Uint8Array.from(levels.subarray(from), (level) => (level > limit ? 1 : 0));
}

/** Returns the frames that remain where pauses are cut to their edges. */
function withoutSilence(isSpeech: Uint8Array, offset: number): Int32Array {
  const { length } = isSpeech;
  const kept = new Int32Array(length);
  let count = 0;
  for (let from = 0; from < length; ) {
    let to = from + 1;
    while (to < length && isSpeech[to] === isSpeech[from]) to += 1;
    for (let at = from; at < to; at += 1) {
      const isEdge = (from > 0 && at < from + KEPT_SILENCE) || (to < length && at >= to - KEPT_SILENCE);
      if (isSpeech[at] === 0 && !isEdge) continue;
      kept[count] = offset + at;
      count += 1;
    }
    from = to;
  }
  return kept.subarray(0, count);
}

function cepstraOf(bands: Float32Array, frames: number, ranges: Float32Array): Float32Array {
  const cepstra = new Float32Array(frames * CEPSTRA);
  const sorted = bands.slice().sort();
  const floor = shareOf(sorted, LOUDEST_SHARE) - (FLOOR_DB / 10) * Math.LN10;
  const values = new Float32Array(frames);
  const floors = Float32Array.from({ length: BANDS }, (_, band) => {
    for (let at = 0; at < frames; at += 1) values[at] = bands[at * BANDS + band] as number;
    values.sort();
    return Math.max(floor, shareOf(values, LOUD_SHARE) - (ranges[band] as number));
  });
  for (let frame = 0; frame < frames; frame += 1) {
    for (let coefficient = 0; coefficient < CEPSTRA; coefficient += 1) {
      let sum = 0;
      for (let band = 0; band < BANDS; band += 1)
        sum +=
          (BASIS[coefficient * BANDS + band] as number) *
          Math.max(bands[frame * BANDS + band] as number, floors[band] as number);
      cepstra[frame * CEPSTRA + coefficient] = sum;
    }
  }
  return cepstra;
}

function normalisedRows(
  cepstra: Float32Array,
  kept: Int32Array,
  isSpeech: Uint8Array,
  offset: number,
): Float32Array {
  const rows = new Float32Array(kept.length * FEATURES);
  const last = isSpeech.length - 1;
  for (let coefficient = 0; coefficient < CEPSTRA; coefficient += 1) {
    for (let row = 0; row < kept.length; row += 1) {
      const frame = (kept[row] as number) - offset;
      let slope = 0;
      for (let step = 1; step <= REACH; step += 1)
        slope +=
          step *
          ((cepstra[Math.min(last, frame + step) * CEPSTRA + coefficient] as number) -
            (cepstra[Math.max(0, frame - step) * CEPSTRA + coefficient] as number));
      rows[row * FEATURES + coefficient] = cepstra[frame * CEPSTRA + coefficient] as number;
      rows[row * FEATURES + CEPSTRA + coefficient] = slope / SLOPE_SCALE;
    }
  }
  for (let feature = 0; feature < FEATURES; feature += 1) {
    let [sum, squares, count] = [0, 0, 0];
    for (let row = 0; row < kept.length; row += 1) {
      if (isSpeech[(kept[row] as number) - offset] === 0) continue;
      const value = rows[row * FEATURES + feature] as number;
      sum += value;
      squares += value * value;
      count += 1;
    }
    const mean = count === 0 ? 0 : sum / count;
    const deviation = Math.sqrt(Math.max(1e-6, squares / Math.max(1, count) - mean * mean));
    const scale = (feature % CEPSTRA === 0 ? LOUDNESS_WEIGHT : 1) / deviation;
    for (let row = 0; row < kept.length; row += 1)
      rows[row * FEATURES + feature] = ((rows[row * FEATURES + feature] as number) - mean) * scale;
  }
  return rows;
}
