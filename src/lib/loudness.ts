import { FULL_SCALE } from './pcm.ts';

/** Second-order section with `a0` of 1. */
interface Biquad {
  b0: number;
  b1: number;
  b2: number;
  a1: number;
  a2: number;
}

/** The weighting of BS.1770 at 48 kHz, as the analogue filters from which its published coefficients follow. */
const SHELF = { hz: 1681.974450955533, q: 0.7071752369554196, gain: 10 ** (3.999843853973347 / 20) };
const HIGH_PASS = { hz: 38.13547087602444, q: 0.5003270373238773 };
/** Exponent of the shelf's gain at its centre. */
const SHELF_MIDDLE = 0.4996667741545416;
const REFERENCE_RATE = 48_000;

const OFFSET_LU = -0.691;
const STEP_S = 0.1;
/** A block lasts 400 ms and overlaps the next one by 75 %. */
const STEPS_IN_BLOCK = 4;
const ABSOLUTE_GATE_LUFS = -70;
const RELATIVE_GATE_LU = -10;

const energyOf = (lufs: number): number => 10 ** ((lufs - OFFSET_LU) / 10);
const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Measures the integrated loudness of one channel by ITU-R BS.1770. Costs two filters a sample. */
export class LoudnessMeter {
  readonly #shelf: Biquad;
  readonly #highPass: Biquad;
  /** State of the two filters. */
  readonly #held = new Float64Array(4);
  readonly #stepSamples: number;
  #inStep = 0;
  #squares = 0;
  /** Mean square of each complete step of 100 ms, weighted by frequency. */
  readonly #steps: number[] = [];

  /** @param sampleRate 8 to 48 kHz; the weighting is exact to 0.05 dB from 16 kHz on, and to 0.21 dB at 8 kHz */
  constructor(sampleRate: number) {
    this.#shelf = shelfAt(sampleRate);
    this.#highPass = highPassAt(sampleRate);
    this.#stepSamples = Math.round(STEP_S * sampleRate);
  }

  /** Takes the next samples. Block boundaries have no meaning. */
  add(samples: Int16Array): void {
    const { b0, b1, b2, a1, a2 } = this.#shelf;
    const high = this.#highPass;
    let [s1 = 0, s2 = 0, h1 = 0, h2 = 0] = this.#held;
    for (let at = 0; at < samples.length; at += 1) {
      const x = (samples[at] ?? 0) / FULL_SCALE;
      const y = b0 * x + s1;
      s1 = b1 * x - a1 * y + s2;
      s2 = b2 * x - a2 * y;
      const z = high.b0 * y + h1;
      h1 = high.b1 * y - high.a1 * z + h2;
      h2 = high.b2 * y - high.a2 * z;
      this.#squares += z * z;
      this.#inStep += 1;
      if (this.#inStep < this.#stepSamples) continue;
      this.#steps.push(this.#squares / this.#stepSamples);
      this.#squares = 0;
      this.#inStep = 0;
    }
    this.#held.set([s1, s2, h1, h2]);
  }

  /**
   * Loudness so far, in LUFS; null while nothing passes the gates. A sound shorter than a block is one block of its own
   * length, from 100 ms on.
   */
  get lufs(): number | null {
    const steps = this.#steps;
    const length = Math.min(STEPS_IN_BLOCK, steps.length);
    const blocks = steps.slice(Math.max(0, length - 1)).map((_, at) => meanOf(steps.slice(at, at + length)));
    const audible = blocks.filter((energy) => energy > energyOf(ABSOLUTE_GATE_LUFS));
    const gate = meanOf(audible) * 10 ** (RELATIVE_GATE_LU / 10);
    const loud = audible.filter((energy) => energy > gate);
    return loud.length === 0 ? null : OFFSET_LU + 10 * Math.log10(meanOf(loud));
  }
}

/** The frequency as the bilinear transform warps it. */
const warped = (hz: number, sampleRate: number): number => Math.tan((Math.PI * hz) / sampleRate);

function shelfAt(sampleRate: number): Biquad {
  const { hz, q, gain } = SHELF;
  const k = warped(hz, sampleRate);
  const middle = (gain ** SHELF_MIDDLE * k) / q;
  const a0 = 1 + k / q + k * k;
  return {
    b0: (gain + middle + k * k) / a0,
    b1: (2 * (k * k - gain)) / a0,
    b2: (gain - middle + k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  };
}

function highPassAt(sampleRate: number): Biquad {
  const { hz, q } = HIGH_PASS;
  const k = warped(hz, sampleRate);
  const reference = warped(hz, REFERENCE_RATE);
  const a0 = 1 + k / q + k * k;
  // The published filter has a gain slightly above one at 48 kHz, which other rates must share.
  const b0 = (1 + reference / q + reference * reference) / a0;
  return { b0, b1: -2 * b0, b2: b0, a1: (2 * (k * k - 1)) / a0, a2: (1 - k / q + k * k) / a0 };
}

/** A sound without speech may be almost silent, and must not make all others so. */
const LEAST_TARGET_LUFS = -40;

/**
 * Returns the gains that equalise loudness by reducing all sounds to the quietest. An unknown loudness keeps its gain.
 * @param lufs loudness of each sound; null is unknown
 */
export function equalLoudnessGains(lufs: readonly (number | null)[]): number[] {
  const target = Math.max(LEAST_TARGET_LUFS, Math.min(...lufs.filter((one) => one !== null)));
  return lufs.map((one) => (one === null ? 1 : Math.min(1, 10 ** ((target - one) / 20))));
}

/** The interpolation filter of BS.1770, annex 2: two of its four phases. The other two are these, reversed. */
const PHASES = [
  [
    0.001708984375, 0.010986328125, -0.0196533203125, 0.033203125, -0.0594482421875, 0.1373291015625,
    0.97216796875, -0.102294921875, 0.047607421875, -0.026611328125, 0.014892578125, -0.00830078125,
  ],
  [
    -0.0291748046875, 0.029296875, -0.0517578125, 0.089111328125, -0.16650390625, 0.465087890625,
    0.77978515625, -0.2003173828125, 0.1015625, -0.0582275390625, 0.0330810546875, -0.0189208984375,
  ],
].map((taps) => Float64Array.from(taps)) as [Float64Array, Float64Array];
const TAPS = 12;
/** No interpolated sample exceeds the loudest sample under the filter by more than this factor. */
const MOST_GAIN = Math.max(...PHASES.map((taps) => taps.reduce((sum, tap) => sum + Math.abs(tap), 0)));

/** Measures the true peak of one channel: the peak between samples too, by 4-fold oversampling (BS.1770, annex 2). */
export class TruePeakMeter {
  #peak = 0;
  /** Samples that the filter still covers. */
  #before = new Int16Array(TAPS - 1);

  /** Takes the next samples. Block boundaries have no meaning. */
  add(samples: Int16Array): void {
    const joined = new Int16Array(this.#before.length + samples.length);
    joined.set(this.#before);
    joined.set(samples, this.#before.length);
    let loudUntil = -1;
    for (let at = 0; at < joined.length; at += 1) {
      const magnitude = Math.abs(joined[at] ?? 0);
      if (magnitude * MOST_GAIN > this.#peak) loudUntil = at + TAPS;
      if (at < TAPS - 1 || at >= loudUntil) continue;
      this.#peak = Math.max(this.#peak, magnitude, interpolatedPeak(joined, at));
    }
    this.#before = joined.slice(samples.length);
  }

  /** True peak so far in dB of full scale; null while every sample is 0. */
  get dbtp(): number | null {
    return this.#peak === 0 ? null : 20 * Math.log10(this.#peak / FULL_SCALE);
  }
}

/** Returns the highest magnitude of the four samples that the filter yields when its newest sample is that at `last`. */
function interpolatedPeak(samples: Int16Array, last: number): number {
  const [first, second] = PHASES;
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let tap = 0; tap < TAPS; tap += 1) {
    const sample = samples[last - tap] ?? 0;
    a += (first[tap] ?? 0) * sample;
    b += (second[tap] ?? 0) * sample;
    c += (second[TAPS - 1 - tap] ?? 0) * sample;
    d += (first[TAPS - 1 - tap] ?? 0) * sample;
  }
  return Math.max(Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(d));
}
