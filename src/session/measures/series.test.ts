import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '#lib/statistics/random.ts';
import { turnSeriesOf } from './series.ts';

const series = (...values: (number | null)[]) =>
  turnSeriesOf(values.map((value, at) => ({ turn: at + 1, value })));

describe('turnSeriesOf', () => {
  it('sums up what is known and keeps a place for what is not', () => {
    const { figures, summary } = series(40, null, 10, 20);
    expect(figures).toHaveLength(4);
    expect(summary).toEqual({ count: 3, least: 10, median: 20, most: 40 });
  });

  it('says nothing of figures that are all unknown', () => {
    expect(series(null, null)).toMatchObject({ summary: null, outlier: null });
  });

  const steady = [201, 203, 205, 207, 209, 211, 213];
  const cases: [string, (number | null)[], number | null][] = [
    ['names the turn that took far longer', [200, 210, 205, 900, 195, ...steady], 4],
    ['names the turn that was far quicker', [200, 210, 20, 205, 195, ...steady], 3],
    ['names the worse of two', [200, 210, 205, 900, 195, 1200, 203, ...steady], 6],
    ['finds one among figures that are the same otherwise', [0, 0, 0, 3, 0, 0, 0, 0, 0, 0], 4],
    ['finds none where all are the same', new Array(12).fill(5), null],
    ['finds none by a hair', [30, 30, 30, 33, 30, 30, 30, 30, 30, 30], null],
    ['finds none where figures scatter', [100, 200, 300, 400, 500, 150, 250, 350, 450, 550], null],
    ['names none out of four turns', [200, 210, 205, 900], null],
    ['names none out of nine turns', [900, 200, ...steady], null],
    ['names one out of ten turns', [900, 200, 204, ...steady], 1],
    ['does not count what is unknown', [900, 200, null, ...steady], null],
  ];
  it.each(cases)('%s', (_, values, turn) => {
    expect(series(...values).outlier?.turn ?? null).toBe(turn);
  });

  it('names few outliers among steady figures', () => {
    const random = seededRandom(3);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    let named = 0;
    for (let at = 0; at < 2000; at += 1) {
      if (series(...Array.from({ length: 10 }, () => 300 + 20 * normal())).outlier) named += 1;
    }
    expect(named / 2000).toBeLessThan(0.05);
  });

  it('has its outlier at one of the two ends', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { maxLength: 30 }), (values) => {
        const { summary, outlier } = series(...values);
        if (outlier) expect([summary?.least, summary?.most]).toContain(outlier.value);
      }),
    );
  });
});
