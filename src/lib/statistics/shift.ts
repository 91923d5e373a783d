import { PairDifferences, type Stratum } from './pair-differences.ts';
import { CONFIDENCE } from './percentile-interval.ts';
import { rankSumDistribution } from './rank-sum.ts';

export interface Shift {
  /** Median of all pair differences, second less first sample (Hodges–Lehmann); NaN if there are none. */
  estimate: number;
  /** Null if there are too few values for that confidence. */
  low: number | null;
  high: number | null;
  pValue: number;
}

/**
 * Estimates the shift between two samples with its interval and rank-sum test (over strata: van Elteren, unweighted).
 * Waits have long tails: a few stalled runs move a mean and its t-test by any amount, but hardly this estimate.
 * Interval and test share one distribution, so that 0 is outside of the interval if and only if the p-value is below
 * 1 − `confidence`. Only values of the same stratum are compared, so that differences between texts are not noise.
 * Assumes independent values and distributions of equal shape.
 */
export function shiftBetween(strata: readonly Stratum[], confidence = CONFIDENCE): Shift {
  const differences = new PairDifferences(strata);
  if (differences.count === 0) return { estimate: Number.NaN, low: null, high: null, pValue: 1 };
  const distribution = rankSumDistribution(strata.map(({ a, b }) => ({ a: a.length, b: b.length })));
  const rank = distribution.criticalRank(1 - confidence);
  return {
    estimate: differences.median,
    low: rank < 1 ? null : differences.ofRank(rank),
    high: rank < 1 ? null : differences.ofRank(differences.count + 1 - rank),
    pValue: distribution.pValue(differences.belowZero),
  };
}
