import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BradleyTerry, fitBradleyTerry } from './bradley-terry.ts';

/** Returns the standard error of the difference of two ratings. */
function differenceError({ covariance }: BradleyTerry, i: number, j: number): number {
  const of = (row: number, column: number) => covariance[row]?.[column] ?? 0;
  return Math.sqrt(of(i, i) + of(j, j) - 2 * of(i, j));
}

/**
 * Citations between Biometrika, Communications in Statistics, JASA and JRSS-B: `i` cited by `j`. From Stigler (1994), as
 * `citations` in the R package BradleyTerry2.
 */
const CITATIONS = [
  [714, 730, 498, 221],
  [33, 425, 68, 17],
  [320, 813, 1072, 142],
  [284, 276, 325, 188],
];

test('agrees with the published abilities and standard errors of four journals', () => {
  const fit = fitBradleyTerry(CITATIONS);
  const [biometrika = 0] = fit.ratings;
  // Turner and Firth, Bradley-Terry Models in R, Journal of Statistical Software 48(9), 2012, section 2.1.
  const abilities = fit.ratings.map((rating) => Number((rating - biometrika).toFixed(4)));
  expect(abilities).toEqual([0, -2.9491, -0.4796, 0.269]);
  const errors = [1, 2, 3].map((journal) => Number(differenceError(fit, journal, 0).toFixed(4)));
  expect(errors).toEqual([0.1025, 0.0606, 0.0708]);
});

test('two are rated by the logarithm of their odds, with the standard error of a log odds ratio', () => {
  const fit = fitBradleyTerry([
    [0, 12],
    [4, 0],
  ]);
  const [a = 0, b = 0] = fit.ratings;
  expect(a - b).toBeCloseTo(Math.log(3), 8);
  expect(differenceError(fit, 0, 1)).toBeCloseTo(Math.sqrt(1 / 12 + 1 / 4), 8);
});

const tables = fc.integer({ min: 2, max: 7 }).chain((size) =>
  fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: size, maxLength: size }), {
    minLength: size,
    maxLength: size,
  }),
);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

test('with an imaginary tie, all ratings and errors are finite, and the ratings sum to 0', () => {
  fc.assert(
    fc.property(tables, (wins) => {
      const fit = fitBradleyTerry(wins, 1);
      expect(sum(fit.ratings)).toBeCloseTo(0, 8);
      for (const [at, row] of fit.covariance.entries()) {
        expect(row[at]).toBeGreaterThan(0);
        expect(sum(row)).toBeCloseTo(0, 6);
        expect(row.every(Number.isFinite)).toBe(true);
      }
    }),
  );
});

test('expects of each as many wins as it had', () => {
  fc.assert(
    fc.property(tables, (wins) => {
      const { ratings } = fitBradleyTerry(wins, 1);
      const extra = 1 / 2 / (wins.length - 1);
      const countOf = (i: number, j: number) => (i === j ? 0 : (wins[i]?.[j] ?? 0) + extra);
      for (const [i, own] of ratings.entries()) {
        const expected = ratings.map(
          (other, j) => (countOf(i, j) + countOf(j, i)) / (1 + Math.exp(other - own)),
        );
        expect(sum(expected)).toBeCloseTo(sum(ratings.map((_, j) => countOf(i, j))), 5);
      }
    }),
  );
});

test('another win raises the rating of the winner and no other one above it', () => {
  fc.assert(
    fc.property(tables, (wins) => {
      const before = fitBradleyTerry(wins, 1);
      const more = wins.map((row, i) => row.map((count, j) => (i === 0 && j === 1 ? count + 1 : count)));
      const after = fitBradleyTerry(more, 1);
      expect(after.ratings[0]).toBeGreaterThan(before.ratings[0] ?? 0);
      expect(after.ratings[1]).toBeLessThan(before.ratings[1] ?? 0);
    }),
  );
});
