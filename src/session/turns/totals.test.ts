import { describe, expect, it } from 'vitest';
import type { Usage } from '#protocol/core/speech-event.ts';
import { type CountedTurn, sessionTotals } from './totals.ts';

describe('sessionTotals', () => {
  const usage: Usage = {
    audioSeconds: 5.4,
    characters: 142,
    costCents: 0.49,
    currency: 'eur',
    modelId: null,
  };
  const turn = (change: Partial<CountedTurn>): CountedTurn => ({
    state: 'ended',
    billing: 'turn',
    characters: 10,
    samples: 48_000,
    sampleRate: 24_000,
    usage,
    ...change,
  });

  it('adds up what was reported', () => {
    expect(sessionTotals([turn({}), turn({})])).toEqual({
      turns: 2,
      audioSeconds: 10.8,
      characters: 284,
      costCents: 0.98,
      currency: 'eur',
      unknownCosts: 0,
      unreportedCosts: 0,
      planCharacters: 0,
    });
  });

  it('counts for itself what was not reported', () => {
    expect(sessionTotals([turn({ usage: 'pending' })])).toMatchObject({
      audioSeconds: 2,
      characters: 10,
      costCents: 0,
    });
  });

  const unknown: [string, Partial<CountedTurn>, number][] = [
    ['a charge that the server cannot tell', { usage: { ...usage, costCents: null } }, 1],
    ['an ended turn without usage', { usage: 'unreported' }, 1],
    ['a cancelled turn that had audio', { usage: 'unreported', state: 'cancelled' }, 1],
    ['a cancelled turn without audio', { usage: 'unreported', state: 'cancelled', samples: 0 }, 0],
    ['a lost turn that had audio', { usage: 'unreported', state: 'lost' }, 1],
    ['a failed turn, which costs nothing', { usage: 'unreported', state: 'failed' }, 0],
    ['a turn under way', { usage: 'pending', state: 'receiving' }, 0],
  ];
  it.each(unknown)('%s', (_, change, count) => {
    expect(sessionTotals([turn(change)]).unknownCosts).toBe(count);
  });
});
