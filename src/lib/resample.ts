/** Zero crossings of the kernel on each side; aliases are about 70 dB down, which speech masks. */
const HALF_CROSSINGS = 10;
/** Share of the lower Nyquist frequency that passes; the rest is the filter's slope. */
const PASS_SHARE = 0.92;
const KAISER_BETA = 7;

/**
 * Converts a stream of samples from one rate to another, block by block, without a seam between blocks.
 * In all, n input samples become ceil(n × outRate / inRate) output samples; output sample k has the
 * time k / outRate. The input counts as silent before its start and after its end.
 */
export interface Resampler {
  /** Returns the final output after this block, possibly empty, in the scale of the input. */
  push(block: Float32Array): Float32Array;
  /** Returns the rest at the end of the input and resets the resampler. */
  end(): Float32Array;
}

interface Kernel {
  /** `up` output steps equal `down` input steps: outRate / inRate, reduced. */
  readonly up: number;
  readonly down: number;
  /** Input samples on each side of an output sample. */
  readonly reach: number;
  /** `up` rows of 2 × reach weights. */
  readonly weights: Float32Array;
}

const kernels = new Map<string, Kernel>();

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function kernelFor(inRate: number, outRate: number): Kernel {
  const key = `${inRate}:${outRate}`;
  const known = kernels.get(key);
  if (known !== undefined) return known;
  const divisor = gcd(inRate, outRate);
  const up = outRate / divisor;
  const down = inRate / divisor;
  const cutoff = Math.min(1, outRate / inRate) * PASS_SHARE;
  // Even, so that the taps are a multiple of four.
  const reach = 2 * Math.ceil(HALF_CROSSINGS / Math.min(1, outRate / inRate) / 2);
  const width = 2 * reach;
  const weights = new Float32Array(up * width);
  const windowAtZero = besselI0(KAISER_BETA);
  for (let phase = 0; phase < up; phase += 1) {
    const row = weights.subarray(phase * width, (phase + 1) * width);
    let sum = 0;
    for (let tap = 0; tap < width; tap += 1) {
      const distance = tap - (reach - 1) - phase / up;
      const x = Math.PI * cutoff * distance;
      const sinc = x === 0 ? 1 : Math.sin(x) / x;
      const edge = distance / reach;
      const window =
        Math.abs(edge) >= 1 ? 0 : besselI0(KAISER_BETA * Math.sqrt(1 - edge * edge)) / windowAtZero;
      row[tap] = sinc * window;
      sum += sinc * window;
    }
    // Normalises every phase to a gain of one at 0 Hz, because a constant would otherwise ripple.
    for (let tap = 0; tap < width; tap += 1) row[tap] = (row[tap] ?? 0) / sum;
  }
  const kernel: Kernel = { up, down, reach, weights };
  kernels.set(key, kernel);
  return kernel;
}

/**
 * Dot product of two ranges; `length` is a multiple of four. The engine's hottest loop: four accumulators, because
 * each addition depends on the previous one.
 */
function dot(a: Float32Array, aStart: number, b: Float32Array, bStart: number, length: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  for (let i = 0, x = aStart, y = bStart; i < length; i += 4, x += 4, y += 4) {
    s0 += (a[x] as number) * (b[y] as number);
    s1 += (a[x + 1] as number) * (b[y + 1] as number);
    s2 += (a[x + 2] as number) * (b[y + 2] as number);
    s3 += (a[x + 3] as number) * (b[y + 3] as number);
  }
  return s0 + s1 + (s2 + s3);
}

class SincResampler implements Resampler {
  readonly #kernel: Kernel;
  /** Input that later output still needs. It begins `reach - 1` samples before the next output sample. */
  #held: Float32Array;
  #pushed = 0;
  #produced = 0;
  /** How many of the `up` steps the next output sample lies behind an input sample. */
  #phase = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#held = new Float32Array(kernel.reach - 1);
  }

  push(block: Float32Array): Float32Array {
    this.#append(block);
    this.#pushed += block.length;
    const { up, down, reach } = this.#kernel;
    // Output k needs input up to floor(k × down / up) + reach.
    const certain = Math.ceil(((this.#pushed - reach) * up) / down);
    return this.#produce(certain - this.#produced);
  }

  end(): Float32Array {
    const { up, down, reach } = this.#kernel;
    this.#append(new Float32Array(reach));
    const tail = this.#produce(Math.ceil((this.#pushed * up) / down) - this.#produced);
    this.#held = new Float32Array(reach - 1);
    this.#pushed = 0;
    this.#produced = 0;
    this.#phase = 0;
    return tail;
  }

  #append(block: Float32Array): void {
    const joined = new Float32Array(this.#held.length + block.length);
    joined.set(this.#held);
    joined.set(block, this.#held.length);
    this.#held = joined;
  }

  #produce(wanted: number): Float32Array {
    const { up, down, reach, weights } = this.#kernel;
    const width = 2 * reach;
    const held = this.#held;
    const out = new Float32Array(Math.max(0, wanted));
    // Places are counted, not divided: where two streams of different rates speak in turn, V8 gives up its code at each
    // division.
    const phaseStep = down % up;
    const step = (down - phaseStep) / up;
    let phase = this.#phase;
    let at = 0;
    for (let i = 0; i < out.length; i += 1) {
      out[i] = dot(held, at, weights, phase * width, width);
      at += step;
      phase += phaseStep;
      if (phase >= up) {
        phase -= up;
        at += 1;
      }
    }
    this.#phase = phase;
    this.#produced += out.length;
    this.#held = held.slice(at);
    return out;
  }
}

/** Passes samples through, for equal rates. */
const passThrough: Resampler = { push: (block) => block, end: () => new Float32Array(0) };

export const createResampler = (inRate: number, outRate: number): Resampler =>
  inRate === outRate ? passThrough : new SincResampler(kernelFor(inRate, outRate));
