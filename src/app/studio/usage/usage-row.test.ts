import { describe, expect, it } from 'vitest';
import { usageRow } from './usage-row.ts';

const usage = { audioSeconds: 5.4, characters: 74, costCents: 0.49, currency: 'EUR', modelId: 'kugel-3' };

describe('usageRow', () => {
  it('writes a charge of half a cent with four decimals', () => {
    expect(usageRow({ state: 'ended', billing: 'turn', usage })).toEqual({
      model: 'kugel-3',
      audio: '5.40 s',
      characters: '74',
      cost: '€0.0049',
    });
  });

  it.each([
    [
      'a charge that the server does not report',
      { state: 'ended', usage: { ...usage, costCents: null } },
      'unknown',
    ],
    ['usage that is still to come', { state: 'receiving', usage: 'pending' }, 'pending'],
    ['usage that never came', { state: 'ended', usage: 'unreported' }, 'unknown'],
    ['usage of a lost turn', { state: 'lost', usage: 'pending' }, 'unknown'],
    ['a charge of nothing', { state: 'ended', usage: { ...usage, costCents: 0 } }, '€0.00'],
  ] as const)('says %s', (_, turn, cost) => {
    expect(usageRow({ ...turn, billing: 'turn' }).cost).toBe(cost);
  });

  it('shows unreported figures as not reported, not as unknown', () => {
    const told = { ...usage, costCents: null, currency: null, modelId: null };
    expect(usageRow({ state: 'ended', billing: 'none', usage: told })).toEqual({
      model: 'not reported',
      audio: '5.40 s',
      characters: '74',
      cost: 'not reported',
    });
    expect(usageRow({ state: 'cancelled', billing: 'none', usage: 'unreported' }).cost).toBe('not reported');
  });
});
