import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentile, SortedValues } from './percentiles.ts';

const of = (values: number[]): SortedValues => {
  const sorted = new SortedValues();
  for (const value of values) sorted.add(value);
  return sorted;
};

/** By the definition: try every value, smallest first. */
const naive = (values: number[], share: number): number | undefined =>
  [...values]
    .sort((a, b) => a - b)
    .find((value) => values.filter((other) => other <= value).length >= share * values.length);

describe('SortedValues', () => {
  it.each([
    [0.5, 20],
    [0.95, 40],
    [0.25, 10],
    [0.26, 20],
    [0, 10],
    [1, 40],
    [7, 40],
  ])('reads the percentile %d of 10, 20, 30, 40', (share, expected) => {
    expect(of([40, 10, 30, 20]).percentile(share)).toBe(expected);
  });

  it('knows nothing of no values', () => {
    expect([of([]).percentile(0.5), of([]).mean, of([]).largest]).toEqual([NaN, NaN, NaN]);
  });

  it('agrees with the definition', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1 }),
        fc.integer({ min: 0, max: 100 }),
        (values, percent) => {
          const sorted = of(values);
          expect(sorted.percentile(percent / 100)).toBe(naive(values, percent / 100));
          expect(percentile(values, percent / 100)).toBe(naive(values, percent / 100));
          expect(sorted.largest).toBe(Math.max(...values));
          expect(sorted.mean).toBeCloseTo(values.reduce((sum, value) => sum + value, 0) / values.length, 9);
          expect(sorted.count).toBe(values.length);
        },
      ),
    );
  });
});
