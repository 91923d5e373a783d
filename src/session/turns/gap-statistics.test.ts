import { describe, expect, it } from 'vitest';
import { SortedValues } from '#lib/statistics/percentiles.ts';
import { gapStatistics } from './turn.ts';

describe('gapStatistics', () => {
  it('has mean, 95th percentile and longest', () => {
    const gaps = new SortedValues();
    for (let gap = 1; gap <= 20; gap += 1) gaps.add(gap);
    expect(gapStatistics(gaps)).toEqual({ count: 20, meanMs: 10.5, p95Ms: 19, longestMs: 20 });
  });

  it('has nothing to say of a single frame', () => {
    expect(gapStatistics(new SortedValues())).toBeNull();
  });
});
