import { describe, expect, it } from 'vitest';
import { bill } from './billing.ts';

const turn = (audioSeconds: number) => ({ audioSeconds, characters: 142, modelId: 'kugel-3' });

describe('bill', () => {
  it.each([
    [5.4, 0.49],
    [4.1, 0.37],
    [2.0, 0.18],
    [1.5, 0.14],
    [0, 0],
  ])('1.9 %f s cost %f cents', (seconds, cents) => {
    expect(bill({ priced: true }, turn(seconds))).toEqual({
      audio_seconds: seconds,
      characters: 142,
      cost_cents: cents,
      currency: 'eur',
      model_id: 'kugel-3',
    });
  });
});
