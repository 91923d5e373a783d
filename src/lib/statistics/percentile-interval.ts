import { binomialAtMost } from './binomial.ts';
import { percentile } from './percentiles.ts';

/** A percentile of a sample, and the confidence interval of the population's. */
export interface PercentileEstimate {
  /** Nearest rank, so that it occurred; NaN for no values. */
  value: number;
  /** Null if there are too few values for a bound; see {@link valuesNeeded}. */
  low: number | null;
  high: number | null;
}

export const CONFIDENCE = 0.95;

/**
 * Returns a percentile and its interval, exact for any distribution: the number of values below the true percentile is
 * binomial, so that two order statistics enclose it with at least `confidence`. The error is split evenly.
 * @param share in (0, 1)
 */
export function percentileEstimate(
  values: readonly number[],
  share: number,
  confidence = CONFIDENCE,
): PercentileEstimate {
  const sorted = [...values].sort((a, b) => a - b);
  const { low, high } = ranks(sorted.length, share, (1 - confidence) / 2);
  return {
    value: percentile(sorted, share),
    low: low === null ? null : (sorted[low - 1] ?? null),
    high: high === null ? null : (sorted[high - 1] ?? null),
  };
}

/** Ranks of the bounds, counted from 1: the narrowest with a small enough error. */
function ranks(count: number, share: number, error: number): { low: number | null; high: number | null } {
  let low: number | null = null;
  let high: number | null = null;
  const atMost = binomialAtMost(count, share);
  // The true percentile is below the value of rank k if at most k − 1 values are below it.
  for (let rank = 1; rank <= count; rank += 1) {
    const below = atMost[rank - 1] ?? 1;
    if (below <= error) low = rank;
    if (below >= 1 - error) {
      high = rank;
      break;
    }
  }
  return { low, high };
}

/** Returns the least number of values that bound the percentile on both sides. */
export function valuesNeeded(share: number, confidence = CONFIDENCE): number {
  const error = (1 - confidence) / 2;
  return Math.ceil(Math.log(error) / Math.log(Math.max(share, 1 - share)));
}
