import { percentile } from './percentiles.ts';
import { seededRandom } from './random.ts';

/** A 95 % interval, in the unit of the values. */
export interface Interval {
  low: number;
  high: number;
}

/** A figure of a sample with its interval. */
export interface IntervalEstimate {
  /** NaN where there are no values. */
  value: number;
  /** Null where there are too few values. */
  interval: Interval | null;
}

/** Two comparable samples, such as runs of the same text. */
export interface Stratum {
  a: readonly number[];
  b: readonly number[];
}

/** Error on each side of an interval. */
const TAIL = 0.025;
const RESAMPLES = 2000;
/** The same values have the same interval at every look, and where a result file is opened again. */
const SEED = 1;

/** Returns the least number of values that bound the percentile on both sides. @param share in (0, 1) */
export const valuesNeeded = (share: number): number =>
  Math.ceil(Math.log(TAIL) / Math.log(Math.max(share, 1 - share)));

/** Returns percentiles by nearest rank, each with its bootstrap interval. @param shares in (0, 1) */
export function percentileEstimates(
  values: readonly number[],
  shares: readonly number[],
): IntervalEstimate[] {
  const sorted = ascending(values);
  const count = sorted.length;
  const bounded = shares
    .filter((share) => count >= valuesNeeded(share))
    .map((share) => ({
      share,
      rank: Math.ceil(share * count),
      low: new Float64Array(RESAMPLES),
      high: new Float64Array(RESAMPLES),
    }));
  const resample = resampler(sorted, seededRandom(SEED));
  for (let at = 0; bounded.length > 0 && at < RESAMPLES; at += 1) {
    const drawn = resample();
    for (const { rank, low, high } of bounded) {
      low[at] = drawn[rank - 1] ?? Number.NaN;
      // Few values lie beyond a high percentile. Its own rank would make the upper bound too low.
      high[at] = drawn[Math.min(rank, count - 1)] ?? Number.NaN;
    }
  }
  return shares.map((share) => {
    const found = bounded.find((each) => each.share === share);
    return {
      value: percentile(sorted, share),
      interval: found ? { low: lowerOf(found.low), high: upperOf(found.high) } : null,
    };
  });
}

/**
 * Returns the median of `b` less the median of `a`, the mean over all strata, with its bootstrap interval. A few stalled
 * runs move a mean by any amount, but hardly a median. Strata with too few values for an interval count only where
 * there are no others.
 */
export function medianDifference(strata: readonly Stratum[]): IntervalEstimate {
  const needed = valuesNeeded(0.5);
  const large = strata.filter(({ a, b }) => Math.min(a.length, b.length) >= needed);
  const used = (large.length > 0 ? large : strata).map(({ a, b }) => ({ a: ascending(a), b: ascending(b) }));
  const value = meanOf(used.map(({ a, b }) => median(b) - median(a)));
  if (large.length === 0) return { value, interval: null };
  const random = seededRandom(SEED);
  const resamplers = used.map(({ a, b }) => ({ a: resampler(a, random), b: resampler(b, random) }));
  const drawn = Float64Array.from({ length: RESAMPLES }, () =>
    meanOf(resamplers.map(({ a, b }) => median(b()) - median(a()))),
  );
  return { value, interval: { low: lowerOf(drawn), high: upperOf(drawn) } };
}

/** Returns a function that draws with replacement, in ascending order. The result is valid until the next call. */
function resampler(sorted: readonly number[], random: () => number): () => Float64Array {
  const times = new Uint16Array(sorted.length);
  const drawn = new Float64Array(sorted.length);
  return () => {
    times.fill(0);
    for (let draw = 0; draw < times.length; draw += 1) {
      const index = Math.floor(random() * times.length);
      times[index] = (times[index] ?? 0) + 1;
    }
    let end = 0;
    for (let index = 0; index < times.length; index += 1) {
      const value = sorted[index] ?? Number.NaN;
      for (let more = times[index] ?? 0; more > 0; more -= 1) drawn[end++] = value;
    }
    return drawn;
  };
}

/** The mean of the two middle values if their number is even. */
function median(sorted: ArrayLike<number>): number {
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

const ascending = (values: readonly number[]): number[] => [...values].sort((x, y) => x - y);

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const lowerOf = (drawn: Float64Array): number => drawn.sort()[Math.floor(TAIL * RESAMPLES)] ?? Number.NaN;
const upperOf = (drawn: Float64Array): number =>
  drawn.sort()[Math.ceil((1 - TAIL) * RESAMPLES) - 1] ?? Number.NaN;
