import { bisect } from '../collections/bisect.ts';
import { normalAtMost } from './normal.ts';

/**
 * Sizes of the samples of a stratum. Their rank-sum statistic (Mann–Whitney U) counts the pairs in which the second
 * value is smaller, ties as one half. The U of several strata are added.
 */
export interface StratumSize {
  a: number;
  b: number;
}

/** Up to so many pairs the distribution is exact; beyond, the normal approximation is as good. */
const EXACT_PAIRS = 10_000;

export interface RankSumDistribution {
  /** Number of pairs, the largest U. */
  readonly pairs: number;
  /** Two-sided p-value. Ties make it larger, never smaller. */
  pValue(u: number): number;
  /** Returns the largest k with P(U < k or U > pairs − k) ≤ `error`; 0 for none. Its two ranks bound the difference. */
  criticalRank(error: number): number;
}

export function rankSumDistribution(strata: readonly StratumSize[]): RankSumDistribution {
  const pairs = strata.reduce((sum, { a, b }) => sum + a * b, 0);
  const atMost = pairs <= EXACT_PAIRS ? exact(strata) : approximate(strata, pairs);
  return {
    pairs,
    pValue: (u) => Math.min(1, 2 * atMost(Math.min(u, pairs - u))),
    // Every U from the middle on is too probable.
    criticalRank: (error) => bisect(0, Math.ceil(pairs / 2), (u) => 2 * atMost(u) <= error),
  };
}

/** Returns P(U ≤ u). */
type AtMost = (u: number) => number;

function exact(strata: readonly StratumSize[]): AtMost {
  const chances = strata.map(chancesOf).reduce(convolved, Float64Array.of(1));
  let sum = 0;
  const sums = chances.map((chance) => {
    sum += chance;
    return sum;
  });
  // Ties make a half.
  return (u) => sums[Math.ceil(u)] ?? 1;
}

function approximate(strata: readonly StratumSize[], pairs: number): AtMost {
  const deviation = Math.sqrt(strata.reduce((sum, { a, b }) => sum + (a * b * (a + b + 1)) / 12, 0));
  // Continuity correction, because U takes whole numbers.
  return (u) => normalAtMost((u + 0.5 - pairs / 2) / deviation);
}

/**
 * Returns the probability of each U of one stratum. The number of orders with U = u is the number of partitions of u
 * into at most `a` parts of at most `b` each, which is a coefficient of a Gaussian binomial.
 */
function chancesOf({ a, b }: StratumSize): Float64Array {
  const counts = new Float64Array(a * b + 1);
  counts[0] = 1;
  const last = counts.length - 1;
  for (let i = 1; i <= a; i += 1) {
    for (let u = last; u >= b + i; u -= 1) counts[u] = at(counts, u) - at(counts, u - b - i);
    for (let u = i; u <= last; u += 1) counts[u] = at(counts, u) + at(counts, u - i);
  }
  // The second half has larger rounding errors. The distribution is symmetric, so that the first half replaces it.
  for (let u = Math.floor(last / 2) + 1; u <= last; u += 1) counts[u] = at(counts, last - u);
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.map((count) => count / all);
}

const at = (values: Float64Array, index: number): number => values[index] as number;

function convolved(one: Float64Array, other: Float64Array): Float64Array {
  const result = new Float64Array(one.length + other.length - 1);
  one.forEach((p, i) => {
    other.forEach((q, j) => {
      result[i + j] = at(result, i + j) + p * q;
    });
  });
  return result;
}
