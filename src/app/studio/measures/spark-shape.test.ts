import { describe, expect, it } from 'vitest';
import { sparkShape } from './spark-shape.ts';

const shape = (...values: (number | null)[]) =>
  sparkShape(
    values.map((value, at) => ({ turn: at + 1, value })),
    104,
    24,
    2,
  );

describe('sparkShape', () => {
  it('goes from edge to edge, the least at the bottom and the most at the top', () => {
    expect(shape(10, 30, 20).path).toBe('M2 22L52 2L102 12');
  });

  it('has a gap where a figure is unknown', () => {
    const { path, dots } = shape(10, null, 30, 20);
    expect(path).toBe('M2 22M68.7 2L102 12');
    expect(dots.map(({ turn }) => turn)).toEqual([1, 3, 4]);
  });

  it('is in the middle where all figures are equal', () => {
    expect(shape(7, 7).path).toBe('M2 12L102 12');
  });

  it('is a dot in the middle for a single turn', () => {
    expect(shape(7).dots).toEqual([{ turn: 1, x: 52, y: 12 }]);
  });

  it('is empty without figures', () => {
    expect(shape(null)).toEqual({ path: '', dots: [] });
  });
});
