import { describe, expect, it } from 'vitest';
import { TurnHeights } from './turn-window.ts';

const ids = Array.from({ length: 1000 }, (_, at) => at + 1);

function heights(): TurnHeights {
  const known = new TurnHeights();
  for (const id of ids.slice(0, 10)) known.measured(id, 100);
  return known;
}

describe('the turns in view', () => {
  it('are those that touch the range', () => {
    expect(heights().between(ids.slice(0, 10), 250, 450)).toEqual({
      first: 2,
      end: 5,
      beforePx: 200,
      afterPx: 500,
    });
  });

  it('are few of many, and the others keep their height', () => {
    const { first, end, beforePx, afterPx } = heights().between(ids, 50_000, 51_000);
    expect(end - first).toBeLessThan(15);
    expect(beforePx).toBeLessThanOrEqual(50_000);
    const inside = ids.slice(first, end).reduce((sum, id) => sum + heights().of(id), 0);
    expect(beforePx + inside + afterPx).toBe(heights().topOf(ids, ids.length));
  });

  it.each([
    ['the last turn where the range is behind all', 900_000, 901_000, 999, 1000],
    ['the first turns where the range begins before them', -500, 150, 0, 2],
  ])('are %s', (_, fromPx, toPx, first, end) => {
    expect(heights().between(ids, fromPx, toPx)).toMatchObject({ first, end });
  });

  it('are none of no turns', () => {
    expect(heights().between([], 0, 100)).toEqual({ first: 0, end: 0, beforePx: 0, afterPx: 0 });
  });
});
