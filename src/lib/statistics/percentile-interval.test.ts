import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binomialAtMost } from './binomial.ts';
import { percentileEstimate, valuesNeeded } from './percentile-interval.ts';
import { seededRandom } from './random.ts';

const waits = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 80 });
const shares = fc.double({ min: 0.01, max: 0.99, noNaN: true });

describe('binomialAtMost', () => {
  it.each([
    { successes: 0, trials: 3, chance: 0.5, expected: 1 / 8 },
    { successes: 1, trials: 3, chance: 0.5, expected: 4 / 8 },
    { successes: 3, trials: 3, chance: 0.5, expected: 1 },
    // A table of the binomial distribution: n 20, p 0.05.
    { successes: 2, trials: 20, chance: 0.05, expected: 0.9245 },
    { successes: 94, trials: 100, chance: 0.99, expected: 0.0005 },
  ])('P(X ≤ $successes) of $trials at $chance', ({ successes, trials, chance, expected }) => {
    expect(binomialAtMost(trials, chance)[successes]).toBeCloseTo(expected, 4);
  });

  it('does not underflow where a single outcome is rarer than a double can say', () => {
    expect(binomialAtMost(10_000, 0.5)[5000]).toBeCloseTo(0.504, 3);
  });
});

describe('percentileEstimate', () => {
  it('is the value that a naive count finds: the smallest that enough of them do not exceed', () => {
    fc.assert(
      fc.property(waits, shares, (values, share) => {
        const enough = values.filter(
          (candidate) => values.filter((value) => value <= candidate).length >= share * values.length - 1e-9,
        );
        expect(percentileEstimate(values, share).value).toBe(Math.min(...enough));
      }),
    );
  });

  it('lies within its own interval', () => {
    fc.assert(
      fc.property(waits, shares, (values, share) => {
        const { value, low, high } = percentileEstimate(values, share);
        if (low !== null) expect(low).toBeLessThanOrEqual(value);
        if (high !== null) expect(high).toBeGreaterThanOrEqual(value);
      }),
    );
  });

  it.each([
    { share: 0.5, needed: 6 },
    { share: 0.9, needed: 36 },
    { share: 0.95, needed: 72 },
    { share: 0.99, needed: 368 },
  ])('p$share is bounded on both sides from $needed values on, not before', ({ share, needed }) => {
    expect(valuesNeeded(share)).toBe(needed);
    const values = Array.from({ length: needed }, (_, at) => at);
    expect(percentileEstimate(values, share)).toMatchObject({
      low: expect.any(Number),
      high: expect.any(Number),
    });
    expect(percentileEstimate(values.slice(1), share).high).toBeNull();
  });

  it('takes the ranks of the published tables: of 50 values the median lies between the 18th and the 33rd', () => {
    const values = Array.from({ length: 50 }, (_, at) => at + 1);
    expect(percentileEstimate(values, 0.5)).toEqual({ value: 25, low: 18, high: 33 });
  });

  it('says nothing of no values', () => {
    expect(percentileEstimate([], 0.5)).toEqual({ value: Number.NaN, low: null, high: null });
  });

  it.each([
    { share: 0.5, count: 20 },
    { share: 0.5, count: 50 },
    { share: 0.9, count: 50 },
    { share: 0.95, count: 100 },
  ])('covers the true p$share of a long-tailed wait in 95 of 100 series of $count', ({ share, count }) => {
    const random = seededRandom(11);
    const truth = -Math.log(1 - share);
    let covered = 0;
    const series = 500;
    for (let at = 0; at < series; at += 1) {
      const values = Array.from({ length: count }, () => -Math.log(1 - random()));
      const { low, high } = percentileEstimate(values, share);
      if ((low ?? Number.NEGATIVE_INFINITY) <= truth && truth <= (high ?? Number.POSITIVE_INFINITY))
        covered += 1;
    }
    // Three standard errors of a simulation of this length below the promise.
    expect(covered / series).toBeGreaterThan(0.95 - 3 * Math.sqrt((0.95 * 0.05) / series));
  });
});
