import { largest, smallest } from '../collections/arrays.ts';
/** Two comparable samples, such as runs of the same text. */
export interface Stratum {
  a: readonly number[];
  b: readonly number[];
}

/** The ordered differences b − a of all pairs within each stratum. They are never listed, because there are millions. */
export class PairDifferences {
  readonly #strata: readonly { a: readonly number[]; b: readonly number[] }[];
  readonly count: number;

  constructor(strata: readonly Stratum[]) {
    this.#strata = strata
      .filter(({ a, b }) => a.length > 0 && b.length > 0)
      .map(({ a, b }) => ({ a: ascending(a), b: ascending(b) }));
    this.count = this.#strata.reduce((sum, { a, b }) => sum + a.length * b.length, 0);
  }

  countAtMost(difference: number): number {
    let count = 0;
    for (const { a, b } of this.#strata) {
      let reached = 0;
      // Differences decrease with a, so that the next a reaches at least as far in b.
      for (const from of a) {
        while (reached < b.length && (b[reached] ?? Number.NaN) - from <= difference) reached += 1;
        count += reached;
      }
    }
    return count;
  }

  /** Differences below 0, with ties as one half: the rank-sum statistic. */
  get belowZero(): number {
    const below = this.countAtMost(-Number.MIN_VALUE);
    return below + (this.countAtMost(0) - below) / 2;
  }

  /** Returns the difference of that rank, counted from 1; NaN if there is none. */
  ofRank(rank: number): number {
    if (rank < 1 || rank > this.count) return Number.NaN;
    let low = smallest(this.#strata.map(({ a, b }) => (b[0] ?? 0) - (a.at(-1) ?? 0)));
    if (this.countAtMost(low) >= rank) return low;
    let high = largest(this.#strata.map(({ a, b }) => (b.at(-1) ?? 0) - (a[0] ?? 0)));
    // Bisects until no double is left between: `high` is then the smallest with enough differences at most.
    for (;;) {
      const middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) return high;
      if (this.countAtMost(middle) >= rank) high = middle;
      else low = middle;
    }
  }

  /** Mean of the two middle differences if their number is even. */
  get median(): number {
    const upper = this.ofRank(Math.floor(this.count / 2) + 1);
    return this.count % 2 === 1 ? upper : (this.ofRank(this.count / 2) + upper) / 2;
  }
}

const ascending = (values: readonly number[]): number[] => [...values].sort((x, y) => x - y);
