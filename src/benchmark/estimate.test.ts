import { describe, expect, it } from 'vitest';
import { estimate, type Rates } from './estimate.ts';
import { PRICED, testPlan } from './testing/plans.ts';

const TEXTS = [
  { name: 'Ten', text: 'x'.repeat(10) },
  { name: 'Twenty', text: 'x'.repeat(20) },
];
const UNPRICED: Rates = { charactersPerSecond: null, price: null, byPlan: false };

describe('estimate', () => {
  it('counts every text under every configuration and connection, and the warm-ups', () => {
    const plan = testPlan({ texts: TEXTS, runs: 5, connections: 'both', warmUps: 2 });
    // 30 characters, 2 configurations, 2 connections, 5 runs; and 10 characters, 2 configurations, 2 warm-ups.
    expect(estimate(plan, () => PRICED)).toMatchObject({
      runs: 40,
      warmUps: 4,
      characters: 640,
      audioSeconds: 64,
      costs: [{ cents: 32, currency: 'eur', basis: 'published' }],
      unpriced: [],
      byPlan: [],
      isAssumed: false,
      beyond: [],
    });
  });

  it('says what is unknown instead of leaving it out of a sum', () => {
    const ratesOf = (name: string): Rates => (name === 'A' ? PRICED : UNPRICED);
    const made = estimate(testPlan({ budget: { cents: 1 } }), ({ name }) => ratesOf(name));
    expect(made).toMatchObject({ unpriced: ['B'], isAssumed: true, cannotHoldCents: true });
  });

  it('counts characters against a monthly quota', () => {
    const byPlan: Rates = { ...UNPRICED, byPlan: true };
    expect(estimate(testPlan(), () => byPlan)).toMatchObject({
      costs: [],
      unpriced: [],
      byPlan: [
        { name: 'A', characters: 130 },
        { name: 'B', characters: 130 },
      ],
    });
  });

  it('names the limits that all of it would exceed', () => {
    const plan = testPlan({ budget: { cents: 12, audioSeconds: 30, characters: 250 } });
    expect(estimate(plan, () => PRICED).beyond).toEqual(['cents', 'characters']);
  });

  it('holds a budget in cents against no sum of two currencies', () => {
    const inDollars: Rates = {
      ...PRICED,
      price: { centsPerSecond: 0.5, currency: 'usd', basis: 'published' },
    };
    // Of either currency 6.5 cents.
    const plan = testPlan({ budget: { cents: 12 } });
    expect(estimate(plan, ({ name }) => (name === 'A' ? PRICED : inDollars))).toMatchObject({
      costs: [{ currency: 'eur' }, { currency: 'usd' }],
      beyond: [],
      mixesCurrencies: true,
    });
    expect(estimate(plan, () => PRICED)).toMatchObject({ beyond: ['cents'], mixesCurrencies: false });
  });
});
