import { describe, expect, it } from 'vitest';
import { failedRun } from './run-plan.ts';
import { Spending } from './spending.ts';
import { goodRun, PRICED, testPlan } from './testing/plans.ts';

const CELL = { text: 0, configuration: 0 };

describe('Spending', () => {
  it('expects as much of a run as before one that failed without taking anything', () => {
    const spending = new Spending(testPlan({ budget: { characters: 20 } }), () => PRICED);
    spending.add(CELL, goodRun(100));
    spending.add(CELL, failedRun('No connection.'));
    expect(spending.spent.characters).toBe(13);
    expect(spending.refusal(CELL)).toMatch(/budget of 20 characters/);
  });

  it('counts a run that was cut off as what it would have taken', () => {
    const spending = new Spending(testPlan(), () => PRICED);
    spending.addCutOff(CELL);
    expect(spending.spent).toEqual({ audioSeconds: 1.3, characters: 13, costCents: 0.65 });
    spending.add(CELL, goodRun(100));
    spending.addCutOff(CELL);
    expect(spending.spent.audioSeconds).toBeCloseTo(1.3 + 2 + 2, 9);
    expect(spending.spent.characters).toBe(39);
  });

  it('does not know what one that was cut off has cost where no price is known', () => {
    const unpriced = { charactersPerSecond: null, price: null, byPlan: false };
    const spending = new Spending(testPlan({ budget: { cents: 5 } }), () => unpriced);
    spending.addCutOff(CELL);
    expect(spending.refusal(CELL)).toMatch(/cost is unknown|is unknown/);
  });
});
