import { describe, expect, it } from 'vitest';
import { meterShare, settle } from './level.ts';

describe('level meter', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 1],
    [0.001, 0],
    [10 ** (-24 / 20), 0.5],
  ])('shows a peak of %d at %d of its length', (peak, share) => {
    expect(meterShare(peak)).toBeCloseTo(share, 9);
  });

  it('rises at once and falls at a steady rate, down to the target and no further', () => {
    expect(settle(0.2, 0.9, 16)).toBe(0.9);
    expect(settle(0.9, 0, 35)).toBeCloseTo(0.8, 9);
    expect(settle(0.9, 0.85, 1000)).toBe(0.85);
  });
});
