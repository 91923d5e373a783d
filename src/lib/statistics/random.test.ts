import { describe, expect, it } from 'vitest';
import { seededRandom } from './random.ts';

const take = (count: number, seed: number) => {
  const next = seededRandom(seed);
  return Array.from({ length: count }, next);
};

describe('seededRandom', () => {
  it('repeats itself for a seed and differs between seeds', () => {
    expect(take(20, 7)).toEqual(take(20, 7));
    expect(take(20, 7)).not.toEqual(take(20, 8));
  });

  it('gives the published sequence of mulberry32', () => {
    expect(take(3, 1).map((value) => Math.floor(value * 2 ** 32))).toEqual([
      2_693_262_067, 11_749_833, 2_265_367_787,
    ]);
  });

  it('stays in [0, 1) and spreads evenly', () => {
    const values = take(20_000, 42);
    const buckets = Array.from({ length: 10 }, () => 0);
    for (const value of values) {
      expect(value >= 0 && value < 1).toBe(true);
      const at = Math.floor(value * 10);
      buckets[at] = (buckets[at] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 2000)).toBeLessThan(200);
  });
});
