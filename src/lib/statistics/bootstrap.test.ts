import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { medianDifference, percentileEstimates, valuesNeeded } from './bootstrap.ts';
import { percentile } from './percentiles.ts';
import { seededRandom } from './random.ts';

/** Waits as they are: a base, a long tail, and now and then a stall. */
const waits = (random: () => number, count: number, baseMs: number): number[] =>
  Array.from({ length: count }, () => baseMs - 12 * Math.log(1 - random()) + (random() < 0.03 ? 300 : 0));

/** Three standard errors of the share of so many series that are wrong in 1 of 20. */
const allowance = (series: number): number => 3 * Math.sqrt((0.05 * 0.95) / series);

describe('percentileEstimates', () => {
  it('has the percentile by nearest rank, within its own interval', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { maxLength: 50 }),
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        (values, share) => {
          const [estimate] = percentileEstimates(values, [share]);
          expect(estimate?.value).toBe(percentile(values, share));
          expect(estimate?.interval !== null).toBe(values.length >= valuesNeeded(share));
          if (!estimate?.interval) return;
          expect(estimate.interval.low).toBeLessThanOrEqual(estimate.value);
          expect(estimate.interval.high).toBeGreaterThanOrEqual(estimate.value);
        },
      ),
      { numRuns: 15 },
    );
  });

  it.each([
    [0.5, 6],
    [0.9, 36],
    [0.95, 72],
    [0.99, 368],
  ])('has an interval of p%d from %i values on', (share, needed) => {
    const values = Array.from({ length: needed }, (_, at) => at);
    expect(percentileEstimates(values, [share])[0]?.interval).not.toBeNull();
    expect(percentileEstimates(values.slice(1), [share])[0]?.interval).toBeNull();
  });

  it.each([
    [0.5, 20],
    [0.95, 72],
  ])('encloses the true p%d of a long-tailed wait in 95 of 100 series of %i', (share, count) => {
    const random = seededRandom(11);
    const truth = -Math.log(1 - share);
    const series = 100;
    let covered = 0;
    for (let at = 0; at < series; at += 1) {
      const values = Array.from({ length: count }, () => -Math.log(1 - random()));
      const { low, high } = percentileEstimates(values, [share])[0]?.interval ?? { low: 0, high: 0 };
      if (low <= truth && truth <= high) covered += 1;
    }
    expect(covered / series).toBeGreaterThan(0.95 - allowance(series));
  });
});

describe('medianDifference', () => {
  it('is what was added where nothing else differs, and the same at each look', () => {
    const a = waits(seededRandom(5), 30, 100);
    const strata = [{ a, b: a.map((ms) => ms + 64) }];
    const { value, interval } = medianDifference(strata);
    expect(value).toBeCloseTo(64, 9);
    expect(interval?.low).toBeLessThan(64);
    expect(interval?.low).toBeGreaterThan(0);
    expect(interval?.high).toBeGreaterThan(64);
    expect(medianDifference(strata)).toEqual({ value, interval });
  });

  it('has no interval where the samples are too small, and no value where there are none', () => {
    expect(medianDifference([{ a: [1, 2, 3], b: [11, 13, 12] }])).toEqual({ value: 10, interval: null });
    expect(medianDifference([])).toEqual({ value: Number.NaN, interval: null });
  });

  it('leaves out a text with too few runs beside one with enough', () => {
    const a = waits(seededRandom(6), 12, 100);
    const enough = { a, b: a.map((ms) => ms + 20) };
    expect(medianDifference([enough, { a: [1], b: [9001] }])).toEqual(medianDifference([enough]));
  });

  it.each([
    { name: 'one text, 6 runs each', sizes: [6], power: 0.4 },
    { name: 'one text, 20 runs each', sizes: [20], power: 0.9 },
    { name: 'three texts that differ by more, 8 runs each', sizes: [8, 8, 8], power: 0.85 },
  ])('false alarms, power and coverage by simulation: $name', ({ sizes, power }) => {
    const random = seededRandom(2026);
    const series = 100;
    let alarms = 0;
    let found = 0;
    let covered = 0;
    for (let at = 0; at < series; at += 1) {
      const of = (differenceMs: number) =>
        medianDifference(
          sizes.map((size, text) => ({
            a: waits(random, size, 100 + 400 * text),
            b: waits(random, size, 100 + 400 * text + differenceMs),
          })),
        ).interval ?? { low: 0, high: 0 };
      const none = of(0);
      if (none.low > 0 || none.high < 0) alarms += 1;
      const { low, high } = of(20);
      if (low > 0) found += 1;
      if (low <= 20 && 20 <= high) covered += 1;
    }
    expect(alarms / series).toBeLessThan(0.05 + allowance(series));
    expect(covered / series).toBeGreaterThan(0.95 - allowance(series));
    expect(found / series).toBeGreaterThan(power);
  });
});
