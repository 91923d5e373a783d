import fc from 'fast-check';
import { expect, test } from 'vitest';
import { axisLabel, TimeScale } from './time-scale.ts';

const scale = fc
  .record({
    startMs: fc.integer({ min: 0, max: 2_000_000_000_000 }),
    msPerPx: fc.double({ min: 0.5, max: 50_000, noNaN: true }),
    widthPx: fc.integer({ min: 1, max: 4000 }),
  })
  .map(({ startMs, msPerPx, widthPx }) => new TimeScale(startMs, msPerPx, widthPx));
const px = fc.double({ min: -4000, max: 4000, noNaN: true });

test('converts pixels into time and back', () => {
  fc.assert(
    fc.property(scale, px, (of, at) => {
      expect(of.toPx(of.toMs(at))).toBeCloseTo(at, 2);
    }),
  );
});

test('zooming keeps the moment under the pointer and the limits', () => {
  fc.assert(
    fc.property(scale, px, fc.double({ min: 0.1, max: 10, noNaN: true }), (of, at, factor) => {
      const zoomed = of.zoom(factor, at);
      expect(zoomed.toPx(of.toMs(at))).toBeCloseTo(at, 2);
      expect(zoomed.msPerPx).toBeGreaterThanOrEqual(0.5);
      expect(zoomed.msPerPx).toBeLessThanOrEqual(50_000);
    }),
  );
});

test('panning there and back changes nothing', () => {
  fc.assert(
    fc.property(scale, px, (of, by) => {
      const drift = of.pan(by).pan(-by).startMs - of.startMs;
      expect(Math.abs(drift / of.msPerPx)).toBeLessThan(0.01);
    }),
  );
});

test('fitting shows both ends and nothing earlier', () => {
  const fitted = TimeScale.fit(1000, 11_000, 500);
  expect(fitted.toPx(1000)).toBe(0);
  expect(fitted.toPx(11_000)).toBeCloseTo(470);
});

test('following pans only when the moment leaves its part of the view', () => {
  const of = new TimeScale(0, 10, 100);
  expect(of.following(500, 0.8)).toBe(of);
  expect(of.following(900, 0.8).startMs).toBeCloseTo(100);
  expect(of.following(-500, 0.8).toPx(-500)).toBeCloseTo(20);
});

test('ticks are at round times from the origin at any zoom', () => {
  fc.assert(
    fc.property(scale, (of) => {
      const ticks = of.ticks(of.startMs);
      expect(ticks.length).toBeLessThanOrEqual(of.widthPx / 20 + 2);
      for (const { atMs } of ticks) expect(of.toPx(atMs)).toBeLessThanOrEqual(of.widthPx + 0.01);
    }),
  );
  const marks = new TimeScale(1000, 20, 400).ticks(500).filter(({ isMajor }) => isMajor);
  expect(marks.map(({ atMs }) => atMs)).toEqual([2500, 4500, 6500, 8500]);
});

test.each([
  [0, 1000, '0 s'],
  [2500, 500, '2.5 s'],
  [7620, 10, '7.62 s'],
  [-400, 100, '−0.4 s'],
  [80_000, 1000, '1:20'],
  [60_500, 100, '1:00.5'],
])('%d ms in steps of %d is labelled %s', (ms, step, label) => {
  expect(axisLabel(ms, step)).toBe(label);
});
