import { PairDifferences, type Stratum } from './pair-differences.ts';
import { CONFIDENCE } from './percentile-interval.ts';
import { rankSumDistribution } from './rank-sum.ts';

/** By how much the second of two samples is larger than the first. */
export interface Shift {
  /** Hodges–Lehmann: the median of the differences of all pairs. NaN where there are none. */
  estimate: number;
  /** Null: there are too few values for an interval of that confidence. */
  low: number | null;
  high: number | null;
  /** How often a rank sum at least so uneven comes about by chance alone where there is no difference. */
  pValue: number;
}

/**
 * Hodges–Lehmann's estimate of the shift between two samples with its interval and the rank-sum test (Mann–Whitney; over
 * several strata van Elteren's idea with unweighted sums). Chosen because waits have long tails: a few stalled runs move a
 * mean and its t-test by any amount, and this by next to nothing. Interval and test come from one distribution, so that 0
 * is outside of the interval exactly when the p-value is below 1 − `confidence`. Only values of the same stratum (the
 * same text) are compared, so that what lies between texts is no noise. Nothing is assumed of the distributions but
 * that values are independent and that both have the same shape.
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
