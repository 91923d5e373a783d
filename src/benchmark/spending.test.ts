import { describe, expect, it } from 'vitest';
import type { Rates } from './estimate.ts';
import { failedRun } from './run-plan.ts';
import { Spending } from './spending.ts';
import { goodRun, PRICED, testPlan } from './testing/plans.ts';

const CELL = { text: 0, configuration: 0 };

describe('Spending', () => {
  it('ignores a failed run without consumption in its expectation', () => {
    const spending = new Spending(testPlan({ budget: { characters: 20 } }), () => PRICED);
    spending.add(CELL, goodRun(100));
    spending.add(CELL, failedRun('No connection.'));
    expect(spending.spent.characters).toBe(13);
    expect(spending.refusal(CELL)).toMatch(/budget of 20 characters/);
  });

  it('counts a run that timed out with its expected consumption', () => {
    const spending = new Spending(testPlan(), () => PRICED);
    spending.addCutOff(CELL);
    expect(spending.spent).toEqual({
      audioSeconds: 1.3,
      characters: 13,
      costs: [{ cents: 0.65, currency: 'eur' }],
    });
    spending.add(CELL, goodRun(100));
    spending.addCutOff(CELL);
    expect(spending.spent.audioSeconds).toBeCloseTo(1.3 + 2 + 2, 9);
    expect(spending.spent.characters).toBe(39);
  });

  it('reports an unknown cost for a timed-out run without a price', () => {
    const unpriced = { charactersPerSecond: null, price: null, byPlan: false };
    const spending = new Spending(testPlan({ budget: { cents: 5 } }), () => unpriced);
    spending.addCutOff(CELL);
    expect(spending.refusal(CELL)).toMatch(/cost is unknown|is unknown/);
  });

  const OTHER = { text: 0, configuration: 1 };
  const inDollars: Rates = { ...PRICED, price: { centsPerSecond: 0.5, currency: 'usd', basis: 'published' } };
  const ratesOf = ({ name }: { name: string }): Rates => (name === 'A' ? PRICED : inDollars);

  it('keeps what was charged in two currencies apart', () => {
    const spending = new Spending(testPlan(), ratesOf);
    spending.add(CELL, goodRun(100, { costCents: 2 }));
    spending.add(OTHER, goodRun(100, { costCents: 3, currency: 'usd' }));
    spending.add(CELL, goodRun(100, { costCents: 4 }));
    expect(spending.spent.costs).toEqual([
      { cents: 6, currency: 'eur' },
      { cents: 3, currency: 'usd' },
    ]);
    expect(spending.refusal(CELL)).toBeNull();
  });

  it('refuses a run in a second currency under a budget in cents', () => {
    const spending = new Spending(testPlan({ budget: { cents: 1000 } }), ratesOf);
    expect(spending.refusal(OTHER)).toBeNull();
    spending.add(CELL, goodRun(100));
    expect(spending.refusal(CELL)).toBeNull();
    expect(spending.refusal(OTHER)).toBe(
      'The budget is in cents of one currency, and there are charges in EUR and in USD, which cannot be added up.',
    );
  });

  it('ends a budget in cents after a charge in an unexpected currency', () => {
    const spending = new Spending(testPlan({ budget: { cents: 1000 } }), () => PRICED);
    spending.add(CELL, goodRun(100));
    spending.add(CELL, goodRun(100, { currency: null }));
    expect(spending.refusal(CELL)).toMatch(/in EUR and in one that the server does not name/);
  });

  it('ignores the currency of a run without a charge', () => {
    const spending = new Spending(testPlan({ budget: { cents: 1000 } }), () => PRICED);
    spending.add(CELL, goodRun(100));
    spending.add(OTHER, goodRun(100, { costCents: 0, currency: null }));
    expect(spending.refusal(CELL)).toBeNull();
    expect(spending.refusal(OTHER)).toBeNull();
    expect(spending.spent.costs).toEqual([{ cents: 0.2, currency: 'eur' }]);
  });
});
