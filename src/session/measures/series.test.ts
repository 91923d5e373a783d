import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seriesOf } from './series.ts';

const series = (...values: (number | null)[]) =>
  seriesOf(values.map((value, at) => ({ turn: at + 1, value })));

describe('seriesOf', () => {
  it('sums up what is known and keeps a place for what is not', () => {
    const { points, summary } = series(40, null, 10, 20);
    expect(points).toHaveLength(4);
    expect(summary).toEqual({ count: 3, least: 10, median: 20, most: 40 });
  });

  it('says nothing of figures that are all unknown', () => {
    expect(series(null, null)).toMatchObject({ summary: null, outlier: null });
  });

  const cases: [string, (number | null)[], number | null][] = [
    ['names the turn that took far longer', [200, 210, 205, 900, 195], 4],
    ['names the turn that was far quicker', [200, 210, 20, 205, 195], 3],
    ['names the worse of two', [200, 210, 205, 900, 195, 1200, 203], 6],
    ['finds one among figures that are the same otherwise', [0, 0, 0, 3, 0], 4],
    ['finds none where all are the same', [5, 5, 5, 5, 5], null],
    ['finds none by a hair', [30, 30, 30, 33, 30], null],
    ['finds none where figures scatter', [100, 200, 300, 400, 500], null],
    ['finds none among three', [200, 210, 900], null],
    ['does not count what is unknown', [200, 210, null, null, 900], null],
  ];
  it.each(cases)('%s', (_, values, turn) => {
    expect(series(...values).outlier?.turn ?? null).toBe(turn);
  });

  it('has its outlier at one of the two ends', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 1000 })), (values) => {
        const { summary, outlier } = series(...values);
        if (outlier) expect([summary?.least, summary?.most]).toContain(outlier.value);
      }),
    );
  });
});
