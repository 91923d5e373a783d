import { normalAtMost, normalQuantile } from './normal.ts';

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
  return pairs <= EXACT_PAIRS ? exact(strata, pairs) : normal(strata, pairs);
}

function exact(strata: readonly StratumSize[], pairs: number): RankSumDistribution {
  const chances = strata.map(chancesOf).reduce(convolved, Float64Array.of(1));
  const atMost = (u: number) => {
    let sum = 0;
    for (let k = 0; k <= Math.min(u, pairs); k += 1) sum += chances[k] ?? 0;
    return sum;
  };
  return {
    pairs,
    pValue: (u) => Math.min(1, 2 * atMost(Math.ceil(Math.min(u, pairs - u)))),
    criticalRank(error) {
      let sum = 0;
      for (let k = 0; k <= pairs; k += 1) {
        sum += chances[k] ?? 0;
        if (sum > error / 2) return k;
      }
      return 0;
    },
  };
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

function normal(strata: readonly StratumSize[], pairs: number): RankSumDistribution {
  const deviation = Math.sqrt(strata.reduce((sum, { a, b }) => sum + (a * b * (a + b + 1)) / 12, 0));
  const middle = pairs / 2;
  return {
    pairs,
    // Continuity correction, because U takes whole numbers.
    pValue: (u) => Math.min(1, 2 * normalAtMost(Math.min(0, -(Math.abs(u - middle) - 0.5) / deviation))),
    criticalRank: (error) => Math.max(0, Math.floor(middle + 0.5 + normalQuantile(error / 2) * deviation)),
  };
}
