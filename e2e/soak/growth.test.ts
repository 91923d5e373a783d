import { describe, expect, it } from 'vitest';
import { growthOf } from './growth.ts';

const HEAP = { title: 'heap', unit: 'MiB', absolute: 2, relative: 0.1 };
const every = (values: number[]) => values.map((value, at) => ({ atMs: at * 1000, value }));

describe('growth over the last half', () => {
  it.each([
    ['is the rise of its line', [0, 900, 0, 10, 12, 14, 16, 18], 6],
    ['does not see the first half', [1, 2, 3, 4, 50, 50, 50, 50], 0],
    ['is small for noise', [0, 0, 0, 0, 10, 12, 10, 12, 10], 0],
  ])('%s', (_, values, grown) => {
    expect(growthOf(HEAP, every(values)).grown).toBeCloseTo(grown);
  });

  it('is unknown for too few samples', () => {
    expect([[], [5]].map((values) => growthOf(HEAP, every(values)).grown)).toEqual([Number.NaN, Number.NaN]);
  });

  it('may reach the larger of both tolerances', () => {
    expect(growthOf(HEAP, every([0, 0, 10, 10])).allowed).toBe(2);
    expect(growthOf(HEAP, every([0, 0, 100, 100])).allowed).toBe(10);
  });
});
