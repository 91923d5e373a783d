import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GROUP_ROWS, groupsByElement, MAX_CONTENT_PX, ScrollScale } from './scroll-scale.ts';

const VIEW_PX = 480;

const scaleOf = (rows: number): ScrollScale => {
  const scale = new ScrollScale(24);
  scale.resize(rows, VIEW_PX);
  return scale;
};

/** Rows in view, also in part, `to` exclusive, and the rows that exist in the document. */
function rowsOf(scale: ScrollScale, rows: number) {
  const { first, count } = scale.groups(0);
  return {
    from: Math.floor(scale.topPx / 24),
    to: Math.min(rows, Math.ceil((scale.topPx + VIEW_PX) / 24)),
    first: first * GROUP_ROWS,
    end: Math.min(rows, (first + count) * GROUP_ROWS),
  };
}

describe('a list that fits', () => {
  it('scrolls like the browser', () => {
    const scale = scaleOf(1000);
    scale.scrolled(2400);
    expect(scale.topPx).toBe(2400);
    expect(rowsOf(scale, 1000)).toMatchObject({ from: 100, to: 120 });
    expect(scale.placeOf(100)).toBe(2400);
  });

  it('renders every row in view and some beyond, in as many groups anywhere', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.nat(120_000), fc.nat(40), (rows, topPx, over) => {
        const scale = scaleOf(rows);
        scale.moveTo(topPx);
        const { from, to } = rowsOf(scale, rows);
        const { first, count } = scale.groups(over);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(first * GROUP_ROWS).toBeLessThanOrEqual(Math.max(0, from - over));
        expect((first + count) * GROUP_ROWS).toBeGreaterThanOrEqual(Math.min(rows, to + over));
        expect(count).toBe(scaleOf(0).groups(over).count);
      }),
    );
  });

  it('ends with the group of its last row', () => {
    const scale = scaleOf(1000);
    scale.moveTo(scale.maxTopPx);
    expect(rowsOf(scale, 1000).end).toBe(1000);
    const { first, count } = scale.groups(8);
    expect((first + count) * GROUP_ROWS).toBe(1000);
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
    expect(rowsOf(scale, ROWS).from).toBeCloseTo(ROWS / 2 - 10, -1);
  });

  it('reaches both ends', () => {
    const scale = scaleOf(ROWS);
    scale.scrolled(MAX_CONTENT_PX - VIEW_PX);
    expect(rowsOf(scale, ROWS)).toMatchObject({ to: ROWS, end: ROWS });
    expect(scale.isAtEnd).toBe(true);
    scale.scrolled(0);
    expect(rowsOf(scale, ROWS).from).toBe(0);
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
            const { from, to } = rowsOf(scale, ROWS);
            expect(by).toBeGreaterThanOrEqual(from);
            expect(by).toBeLessThan(to);
          } else {
            bar = type === 'drag' ? by : Math.min(Math.max(0, bar + by), MAX_CONTENT_PX - VIEW_PX);
            scale.scrolled(bar);
          }
          const { from, to, first, end } = rowsOf(scale, ROWS);
          // The rows in view are at the scroll position of the browser.
          expect(scale.placeOf(from)).toBeLessThanOrEqual(bar);
          expect(scale.placeOf(to)).toBeGreaterThanOrEqual(bar + VIEW_PX - 1e-6);
          expect(first).toBeLessThanOrEqual(from);
          expect(end).toBeGreaterThanOrEqual(to);
          const before = scale.topPx;
          bar = scale.settle();
          expect(scale.topPx).toBe(before);
        }
      }),
    );
  });
});

describe('groups by element', () => {
  const range = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);

  it('that left the view give their element to the new ones', () => {
    expect(groupsByElement(0, 4, 0)).toEqual([0, 1, 2, 3]);
    expect(groupsByElement(1, 4, 0)).toEqual([4, 1, 2, 3]);
    expect(groupsByElement(6, 4, 0)).toEqual([8, 9, 6, 7]);
    expect(groupsByElement(6, 4, 6)).toEqual([6, 7, 8, 9]);
    expect(groupsByElement(0, 0, 0)).toEqual([]);
  });

  it('are each in one element, whose place changes only at rest, for any scroll', () => {
    const moves = fc.array(fc.tuple(fc.nat(60), fc.boolean()), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(moves, fc.integer({ min: 1, max: 12 }), (tos, count) => {
        let top = 0;
        for (const [first, rests] of tos) {
          const elements = groupsByElement(top, count, top).map((group) => group % count);
          const groups = groupsByElement(first, count, top);
          expect(groups.toSorted((a, b) => a - b)).toEqual(range(first, count));
          expect(groups.map((group) => group % count)).toEqual(elements);
          if (rests) top = first;
          if (rests) expect(groupsByElement(first, count, top)).toEqual(range(first, count));
        }
      }),
    );
  });
});
