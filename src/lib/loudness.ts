import { smallest } from './collections/arrays.ts';
import { FULL_SCALE } from './pcm.ts';

/**
 * The weighting of BS.1770 as two analogue filters, from which the coefficients follow that it publishes for 48 kHz:
 * each with its gains for high, middle and low frequencies.
 */
const SHELF = {
  hz: 1681.974450955533,
  q: 0.7071752369554196,
  high: 1.5848647011308556,
  middle: 1.2587209302325617,
  low: 1,
};
/** The published filter has a gain slightly above one, which other rates must share. */
const HIGH_PASS = {
  hz: 38.13547087602444,
  q: 0.5003270373238773,
  high: 1.0049948987146884,
  middle: 0,
  low: 0,
};

const OFFSET_LU = -0.691;
const STEP_S = 0.1;
/** A block lasts 400 ms and overlaps the next one by 75 %. */
const STEPS_IN_BLOCK = 4;
const ABSOLUTE_GATE_LUFS = -70;
const RELATIVE_GATE_LU = -10;

const energyOf = (lufs: number): number => 10 ** ((lufs - OFFSET_LU) / 10);
const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Returns the integrated loudness of one channel by ITU-R BS.1770, in LUFS; null where nothing passes the gates. A sound
 * shorter than a block is one block of its own length, from 100 ms on.
 * @param blocks samples in order; block boundaries have no meaning
 * @param sampleRate 8 to 48 kHz; the weighting is exact to 0.05 dB from 16 kHz on, and to 0.21 dB at 8 kHz
 */
export function integratedLoudness(blocks: Iterable<Int16Array>, sampleRate: number): number | null {
  const steps = stepEnergies(blocks, sampleRate);
  const length = Math.min(STEPS_IN_BLOCK, steps.length);
  const energies = steps.slice(Math.max(0, length - 1)).map((_, at) => meanOf(steps.slice(at, at + length)));
  const audible = energies.filter((energy) => energy > energyOf(ABSOLUTE_GATE_LUFS));
  const gate = meanOf(audible) * 10 ** (RELATIVE_GATE_LU / 10);
  const loud = audible.filter((energy) => energy > gate);
  return loud.length === 0 ? null : OFFSET_LU + 10 * Math.log10(meanOf(loud));
}

/** Returns the mean square of each complete step of 100 ms, weighted by frequency. */
function stepEnergies(blocks: Iterable<Int16Array>, sampleRate: number): number[] {
  const shelf = sectionAt(sampleRate, SHELF);
  const high = sectionAt(sampleRate, HIGH_PASS);
  const stepSamples = Math.round(STEP_S * sampleRate);
  const energies: number[] = [];
  let [s1, s2, h1, h2, inStep, squares] = [0, 0, 0, 0, 0, 0];
  for (const block of blocks) {
    for (let at = 0; at < block.length; at += 1) {
      const x = (block[at] ?? 0) / FULL_SCALE;
      const y = shelf.b0 * x + s1;
      s1 = shelf.b1 * x - shelf.a1 * y + s2;
      s2 = shelf.b2 * x - shelf.a2 * y;
      const z = high.b0 * y + h1;
      h1 = high.b1 * y - high.a1 * z + h2;
      h2 = high.b2 * y - high.a2 * z;
      squares += z * z;
      inStep += 1;
      if (inStep < stepSamples) continue;
      energies.push(squares / stepSamples);
      squares = 0;
      inStep = 0;
    }
  }
  return energies;
}

/** Returns the coefficients of a second-order section with `a0` of 1. */
function sectionAt(sampleRate: number, { hz, q, high, middle, low }: typeof SHELF) {
  // The frequency as the bilinear transform warps it.
  const k = Math.tan((Math.PI * hz) / sampleRate);
  const a0 = 1 + k / q + k * k;
  return {
    b0: (high + (middle * k) / q + low * k * k) / a0,
    b1: (2 * (low * k * k - high)) / a0,
    b2: (high - (middle * k) / q + low * k * k) / a0,
    a1: (2 * (k * k - 1)) / a0,
    a2: (1 - k / q + k * k) / a0,
  };
}

/** A sound without speech may be almost silent, and must not make all others so. */
const LEAST_TARGET_LUFS = -40;

/**
 * Returns the gains that equalise loudness by reducing all sounds to the quietest. An unknown loudness keeps its gain.
 * @param lufs loudness of each sound; null is unknown
 */
export function equalLoudnessGains(lufs: readonly (number | null)[]): number[] {
  const target = Math.max(LEAST_TARGET_LUFS, smallest(lufs.filter((one) => one !== null)));
  return lufs.map((one) => (one === null ? 1 : Math.min(1, 10 ** ((target - one) / 20))));
}

/** The interpolation filter of BS.1770, annex 2: two of its four phases. The other two are these, reversed. */
const FIRST = [
  0.001708984375, 0.010986328125, -0.0196533203125, 0.033203125, -0.0594482421875, 0.1373291015625,
  0.97216796875, -0.102294921875, 0.047607421875, -0.026611328125, 0.014892578125, -0.00830078125,
];
const SECOND = [
  -0.0291748046875, 0.029296875, -0.0517578125, 0.089111328125, -0.16650390625, 0.465087890625, 0.77978515625,
  -0.2003173828125, 0.1015625, -0.0582275390625, 0.0330810546875, -0.0189208984375,
];
const TAPS = 12;
/** Magnitudes of a phase sum up to less, so that no interpolated sample exceeds the loudest sample under it by more. */
const MOST_GAIN = 2.03;

/**
 * Returns the true peak of one channel in dBTP, the peak between samples too (BS.1770, annex 2); null while all are 0.
 * @param aboveDbtp a lower peak is null, which costs less than to measure it
 */
export function truePeak(sound: Int16Array, aboveDbtp = Number.NEGATIVE_INFINITY): number | null {
  // The filter begins before the sound.
  const samples = new Int16Array(TAPS - 1 + sound.length);
  samples.set(sound, TAPS - 1);
  const floor = FULL_SCALE * 10 ** (aboveDbtp / 20);
  let peak = floor;
  let loudUntil = 0;
  for (let last = TAPS - 1; last < samples.length; last += 1) {
    const magnitude = Math.abs(samples[last] ?? 0);
    if (magnitude * MOST_GAIN > peak) loudUntil = last + TAPS;
    if (last >= loudUntil) continue;
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let tap = 0; tap < TAPS; tap += 1) {
      const sample = samples[last - tap] ?? 0;
      a += (FIRST[tap] ?? 0) * sample;
      b += (SECOND[tap] ?? 0) * sample;
      c += (SECOND[TAPS - 1 - tap] ?? 0) * sample;
      d += (FIRST[TAPS - 1 - tap] ?? 0) * sample;
    }
    peak = Math.max(peak, magnitude, Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(d));
  }
  return peak === floor ? null : 20 * Math.log10(peak / FULL_SCALE);
}
