import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_CONTENT_PX, ScrollScale } from './scroll-scale.ts';

const VIEW_PX = 480;

const scaleOf = (rows: number): ScrollScale => {
  const scale = new ScrollScale(24);
  scale.resize(rows, VIEW_PX);
  return scale;
};

describe('a list that fits', () => {
  it('scrolls like the browser', () => {
    const scale = scaleOf(1000);
    scale.scrolled(2400);
    expect(scale.topPx).toBe(2400);
    expect(scale.range(0)).toEqual({ first: 100, last: 120 });
    expect(scale.placeOf(100)).toBe(2400);
  });

  it('limits its range to the existing rows', () => {
    expect(scaleOf(7).range(10)).toEqual({ first: 0, last: 7 });
    expect(scaleOf(0).range(10)).toEqual({ first: 0, last: 0 });
  });

  it('keeps the rows in view when rows are added', () => {
    const scale = scaleOf(1000);
    scale.scrolled(2400);
    scale.resize(5000, VIEW_PX);
    expect(scale.topPx).toBe(2400);
  });

  it('scrolls as little as reveals a row', () => {
    const scale = scaleOf(1000);
    expect(scale.reveal(10)).toBe(0);
    expect(scale.reveal(20)).toBe(24);
    expect(scale.reveal(500)).toBe(500 * 24 + 24 - VIEW_PX);
    expect(scale.reveal(485)).toBe(500 * 24 + 24 - VIEW_PX);
    expect(scale.reveal(470)).toBe(470 * 24);
  });
});

describe('a list that is higher than an element can be', () => {
  const ROWS = 2_000_000;

  it('is limited to the height that every browser supports', () => {
    expect(scaleOf(ROWS).contentPx).toBe(MAX_CONTENT_PX);
  });

  it('moves by the pixel under a wheel', () => {
    const scale = scaleOf(ROWS);
    const at = scale.moveTo(24_000_000);
    scale.scrolled(at + 100);
    expect(scale.topPx).toBe(24_000_100);
    expect(scale.placeOf(1_000_000) - scale.placeOf(999_999)).toBe(24);
  });

  it('moves by proportion under the scroll bar', () => {
    const scale = scaleOf(ROWS);
    scale.scrolled((MAX_CONTENT_PX - VIEW_PX) / 2);
    expect(scale.range(0).first).toBeCloseTo(ROWS / 2 - 10, -1);
  });

  it('reaches both ends', () => {
    const scale = scaleOf(ROWS);
    scale.scrolled(MAX_CONTENT_PX - VIEW_PX);
    expect(scale.range(0).last).toBe(ROWS);
    expect(scale.isAtEnd).toBe(true);
    scale.scrolled(0);
    expect(scale.range(0).first).toBe(0);
  });

  it('keeps every row within the scrolled element after any operations', () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('wheel'), by: fc.integer({ min: -900, max: 900 }) }),
      fc.record({ type: fc.constant('drag'), by: fc.integer({ min: 0, max: MAX_CONTENT_PX - VIEW_PX }) }),
      fc.record({ type: fc.constant('reveal'), by: fc.integer({ min: 0, max: ROWS - 1 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const scale = scaleOf(ROWS);
        let bar = 0;
        for (const { type, by } of steps) {
          if (type === 'reveal') {
            bar = scale.reveal(by);
            const { first, last } = scale.range(0);
            expect(by).toBeGreaterThanOrEqual(first);
            expect(by).toBeLessThan(last);
          } else {
            bar = type === 'drag' ? by : Math.min(Math.max(0, bar + by), MAX_CONTENT_PX - VIEW_PX);
            scale.scrolled(bar);
          }
          const { first, last } = scale.range(0);
          // The rows in view are at the scroll position of the browser.
          expect(scale.placeOf(first)).toBeLessThanOrEqual(bar);
          expect(scale.placeOf(last)).toBeGreaterThanOrEqual(bar + VIEW_PX - 1e-6);
          const before = scale.topPx;
          bar = scale.settle();
          expect(scale.topPx).toBe(before);
        }
      }),
    );
  });
});
