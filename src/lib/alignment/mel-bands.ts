/** Samples a second of analysed sound. Every audio format keeps this band, also a telephone's. */
export const ANALYSED_HZ = 8000;
/** Samples from one frame to the next (10 ms), and of one frame (25 ms). */
export const HOP = 80;
export const WINDOW = 200;
/** Points of the transform, a power of two. */
const POINTS = 256;
const BINS = POINTS / 2;
/** Bands that follow the ear, between these frequencies. */
export const BANDS = 26;
const LOWEST_HZ = 100;
const HIGHEST_HZ = 3700;
/** Raises high frequencies, which are weak in speech. */
const PRE_EMPHASIS = 0.97;
/** Of full scale squared; keeps the logarithm of silence finite. */
const LEAST_POWER = 1e-9;

const HAMMING = Float32Array.from(
  { length: WINDOW },
  (_, at) => 0.54 - 0.46 * Math.cos((2 * Math.PI * at) / (WINDOW - 1)),
);
const COS = Float32Array.from({ length: BINS }, (_, at) => Math.cos((2 * Math.PI * at) / POINTS));
const SIN = Float32Array.from({ length: BINS }, (_, at) => -Math.sin((2 * Math.PI * at) / POINTS));
const REVERSED = Uint16Array.from({ length: POINTS }, (_, at) => {
  let reversed = 0;
  for (let bit = 1; bit < POINTS; bit *= 2) reversed = 2 * reversed + (at & bit ? 1 : 0);
  return reversed;
});

const melOf = (hz: number): number => 1127 * Math.log(1 + hz / 700);
const hzOf = (mel: number): number => 700 * (Math.exp(mel / 1127) - 1);

/** The bins of each band, and their weights, which rise to its middle. */
const FILTERS = Array.from({ length: BANDS }, (_, band) => {
  const edge = (at: number): number =>
    (hzOf(melOf(LOWEST_HZ) + ((melOf(HIGHEST_HZ) - melOf(LOWEST_HZ)) * at) / (BANDS + 1)) * POINTS) /
    ANALYSED_HZ;
  const [low, middle, high] = [edge(band), edge(band + 1), edge(band + 2)];
  const from = Math.ceil(low);
  const weights = Float32Array.from({ length: Math.max(1, Math.floor(high) - from + 1) }, (__, at) => {
    const bin = from + at;
    return bin <= middle ? (bin - low) / (middle - low) : (high - bin) / (high - middle);
  });
  return { from, weights };
});

const real = new Float32Array(POINTS);
const imaginary = new Float32Array(POINTS);
const power = new Float32Array(BINS + 1);

/** Transforms `real` and `imaginary` in place. */
function transform(): void {
  for (let at = 0; at < POINTS; at += 1) {
    const other = REVERSED[at] as number;
    if (other <= at) continue;
    const kept = real[at] as number;
    real[at] = real[other] as number;
    real[other] = kept;
  }
  imaginary.fill(0);
  for (let length = 2; length <= POINTS; length *= 2) {
    const half = length / 2;
    const step = POINTS / length;
    for (let from = 0; from < POINTS; from += length) {
      for (let at = 0; at < half; at += 1) {
        const [a, b] = [from + at, from + at + half];
        const cos = COS[at * step] as number;
        const sin = SIN[at * step] as number;
        const x = (real[b] as number) * cos - (imaginary[b] as number) * sin;
        const y = (real[b] as number) * sin + (imaginary[b] as number) * cos;
        real[b] = (real[a] as number) - x;
        imaginary[b] = (imaginary[a] as number) - y;
        real[a] = (real[a] as number) + x;
        imaginary[a] = (imaginary[a] as number) + y;
      }
    }
  }
}

/**
 * Writes the logarithmic power of each band of a frame into `target`.
 * @param samples at {@link ANALYSED_HZ}; full scale is 1
 * @param from first sample of the frame, at least 1, because the sample before it counts
 * @returns the level of the frame in dB of full scale
 */
export function analyseFrame(
  samples: Float32Array,
  from: number,
  target: Float32Array,
  targetAt: number,
): number {
  let energy = 0;
  let before = samples[from - 1] as number;
  for (let at = 0; at < WINDOW; at += 1) {
    const sample = samples[from + at] as number;
    real[at] = (sample - PRE_EMPHASIS * before) * (HAMMING[at] as number);
    energy += sample * sample;
    before = sample;
  }
  real.fill(0, WINDOW);
  transform();
  for (let bin = 0; bin <= BINS; bin += 1)
    power[bin] = (real[bin] as number) ** 2 + (imaginary[bin] as number) ** 2;
  for (let band = 0; band < BANDS; band += 1) {
    const { from: first, weights } = FILTERS[band] as (typeof FILTERS)[number];
    let sum = LEAST_POWER;
    for (let at = 0; at < weights.length; at += 1)
      sum += (weights[at] as number) * (power[first + at] as number);
    target[targetAt + band] = Math.log(sum);
  }
  return 10 * Math.log10(energy / WINDOW + 1e-10);
}
