import { describe, expect, it } from 'vitest';
import { quotaWords, timesInMonth } from './quota.ts';

const plan = {
  id: 'a',
  title: 'A',
  charactersPerMonth: 3_000_000,
  overageCentsPerMillion: 1200,
  currency: 'usd',
  source: 'prices.md, March 2026',
};
const payAsYouGo = { ...plan, charactersPerMonth: 0, overageCentsPerMillion: 3000 };

describe('quotaWords', () => {
  it.each([
    [0, '0 % of 3,000,000 characters a month, 3,000,000 left'],
    [360, '0.012 % of 3,000,000 characters a month, 2,999,640 left'],
    [2_988_000, '100 % of 3,000,000 characters a month, 12,000 left'],
    [3_000_000, '100 % of 3,000,000 characters a month, 0 left'],
    [4_500_000, '150 % of 3,000,000 characters a month, 1,500,000 beyond it for $18.00'],
  ])('%i characters: %s', (characters, words) => {
    expect(quotaWords(plan, characters)).toBe(words);
  });

  it.each([
    [0, 'no characters included; $30.00 per million'],
    [360, 'no characters included; $30.00 per million, $0.0108 for 360'],
    [2_000_000, 'no characters included; $30.00 per million, $60.00 for 2,000,000'],
  ])('%i characters of a plan that includes none: %s', (characters, words) => {
    expect(quotaWords(payAsYouGo, characters)).toBe(words);
  });

  it('counts the excess where more cannot be bought', () => {
    expect(quotaWords({ ...plan, overageCentsPerMillion: null }, 3_000_001)).toContain('1 too many');
  });
});

it('computes how often the session fits into a month', () => {
  expect([timesInMonth(plan, 0), timesInMonth(plan, 1000)]).toEqual([null, 3000]);
  expect(timesInMonth(payAsYouGo, 1000)).toBeNull();
});
