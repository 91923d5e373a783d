import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dotPlot, NAME_PX, ROW_PX } from './dot-plot.ts';

const values = fc.array(fc.double({ min: 0.001, max: 1e5, noNaN: true }), { maxLength: 60 });

describe('dotPlot', () => {
  it('keeps every dot inside, in its row, and in the order of its value', () => {
    fc.assert(
      fc.property(
        fc.array(values, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 240, max: 1600 }),
        (rows, widthPx) => {
          const plot = dotPlot(
            rows.map((each) => ({ values: each, failures: 2 })),
            widthPx,
          );
          plot.rows.forEach(({ topPx, dots, failures }, row) => {
            expect(dots).toHaveLength(rows[row]?.length ?? 0);
            expect(failures).toHaveLength(2);
            for (const dot of [...dots, ...failures]) {
              expect(dot.x).toBeGreaterThanOrEqual(0);
              expect(dot.x).toBeLessThanOrEqual(widthPx);
              expect(dot.y).toBeGreaterThan(topPx + NAME_PX);
              expect(dot.y).toBeLessThan(topPx + ROW_PX);
            }
            const byValue = dots
              .map(({ x }, at) => ({ x, value: rows[row]?.[at] ?? 0 }))
              .sort((a, b) => a.value - b.value);
            expect(byValue.map(({ x }) => x)).toEqual(byValue.map(({ x }) => x).sort((a, b) => a - b));
          });
        },
      ),
    );
  });

  it('draws failures beside the axis, where no value can be', () => {
    const plot = dotPlot([{ values: [1, 100], failures: 3 }], 800);
    const rightmost = Math.max(...(plot.rows[0]?.dots ?? []).map(({ x }) => x));
    expect(plot.failuresX).toBeGreaterThan(rightmost + 20);
  });

  it('takes a logarithmic axis only for a long tail', () => {
    const axis = (most: number) => dotPlot([{ values: [90, 100, 110, most], failures: 0 }], 800);
    expect(axis(300).isLogarithmic).toBe(false);
    expect(axis(5000).isLogarithmic).toBe(true);
    expect(axis(5000).ticks.map(({ value }) => value)).toEqual([100, 200, 500, 1000, 2000, 5000]);
  });

  it('a single value and none at all are drawn too', () => {
    const plot = dotPlot(
      [
        { values: [7], failures: 0 },
        { values: [], failures: 0 },
      ],
      800,
    );
    expect(plot.rows[0]?.dots).toHaveLength(1);
    expect(plot.rows[1]?.dots).toEqual([]);
    expect(plot.failuresX).toBeNull();
  });

  it.each([
    { values: [0, 100], widthPx: 374, expected: [0, 20, 40, 60, 80, 100] },
    { values: [96.2, 131], widthPx: 304, expected: [100, 110, 120, 130] },
    { values: [-0.3, 0.3], widthPx: 234, expected: [-0.2, 0, 0.2] },
  ])(
    'has round ticks on the axis of $values, $widthPx px wide',
    ({ values: [from, to], widthPx, expected }) => {
      const { ticks } = dotPlot([{ values: [from ?? 0, to ?? 0], failures: 0 }], widthPx);
      expect(ticks.map(({ value }) => value)).toEqual(expected);
    },
  );
});
