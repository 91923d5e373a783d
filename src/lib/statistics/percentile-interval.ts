import { binomialAtMost } from './binomial.ts';
import { percentile } from './percentiles.ts';

/** A percentile of what was measured, and between what values that of all that could have been measured lies. */
export interface PercentileEstimate {
  /** Nearest rank: always a value that occurred. NaN of no values. */
  value: number;
  /** Null: there are too few values to bound it on that side; see {@link valuesNeeded}. */
  low: number | null;
  high: number | null;
}

/** How sure an interval is where nothing else is said. */
export const CONFIDENCE = 0.95;

/**
 * The percentile and its exact interval, whatever the values' distribution: how many of n values lie below the true
 * percentile follows a binomial distribution, so two of the ordered values enclose it at least as often as `confidence`
 * says. The error is split evenly between both sides.
 * @param share of the values, 0 to 1, both excluded
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

/** Counted from 1. `low`: the highest of which the error is small enough; `high`: the lowest. */
function ranks(count: number, share: number, error: number): { low: number | null; high: number | null } {
  let low: number | null = null;
  let high: number | null = null;
  const atMost = binomialAtMost(count, share);
  // The true percentile lies below the value of rank k when at most k − 1 values are below it.
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

/** The fewest values that bound this percentile on both sides. */
export function valuesNeeded(share: number, confidence = CONFIDENCE): number {
  const error = (1 - confidence) / 2;
  return Math.ceil(Math.log(error) / Math.log(Math.max(share, 1 - share)));
}
