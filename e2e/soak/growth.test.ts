import { describe, expect, it } from 'vitest';
import { growthOf } from './growth.ts';

const HEAP = { title: 'heap', unit: 'MiB', absolute: 2, relative: 0.1 };
const every = (values: number[]) => values.map((value, at) => ({ atMs: at * 1000, value }));

describe('growth over the last half', () => {
  it('is the rise of its line, whatever came before', () => {
    expect(growthOf(HEAP, every([0, 900, 0, 10, 12, 14, 16, 18])).grown).toBeCloseTo(6);
    expect(growthOf(HEAP, every([1, 2, 3, 4, 50, 50, 50, 50])).grown).toBeCloseTo(0);
  });

  it('is small for noise', () => {
    expect(Math.abs(growthOf(HEAP, every([0, 0, 0, 0, 10, 12, 10, 12, 10])).grown)).toBeLessThan(1);
  });

  it('may reach the larger of both tolerances', () => {
    expect(growthOf(HEAP, every([0, 0, 10, 10])).allowed).toBe(2);
    expect(growthOf(HEAP, every([0, 0, 100, 100])).allowed).toBe(10);
  });

  it('is unknown for too few samples', () => {
    expect(growthOf(HEAP, []).grown).toBeNaN();
    expect(growthOf(HEAP, every([5])).grown).toBeNaN();
  });
});
