import { describe, expect, it } from 'vitest';
import { totalCost } from './total-cost.ts';

const totals = { turns: 3, costCents: 49, currency: 'eur', unknownCosts: 0, unreportedCosts: 0 };

describe('totalCost', () => {
  it.each([
    [{}, '€0.49'],
    [{ turns: 1, costCents: 0, currency: null }, 'not billed yet'],
    [{ costCents: 0, currency: null, unknownCosts: 1 }, '1 unknown'],
    [{ costCents: 0 }, '€0.00'],
    [{ currency: null }, '0.49'],
    [{ unknownCosts: 1 }, '€0.49 + 1 unknown'],
    [{ unknownCosts: 3, costCents: 0 }, 'unknown'],
    [{ unreportedCosts: 3, costCents: 0, currency: null }, 'not reported'],
    [{ unknownCosts: 1, unreportedCosts: 1 }, '€0.49 + 1 unknown + 1 not reported'],
    [{ unknownCosts: 1, unreportedCosts: 2, costCents: 0 }, 'unknown'],
  ])('%o is %s', (change, words) => {
    expect(totalCost({ ...totals, ...change })).toBe(words);
  });
});
