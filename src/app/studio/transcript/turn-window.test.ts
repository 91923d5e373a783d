import { describe, expect, it } from 'vitest';
import { joined, TurnHeights } from './turn-window.ts';

const ids = Array.from({ length: 1000 }, (_, at) => at + 1);

function heights(): TurnHeights {
  const known = new TurnHeights();
  for (const id of ids.slice(0, 10)) known.measured(id, 100);
  return known;
}

describe('the turns in view', () => {
  it('are those that touch the range', () => {
    expect(heights().between(ids.slice(0, 10), 250, 450)).toEqual({ first: 2, end: 5 });
  });

  it('are few of many', () => {
    const { first, end } = heights().between(ids, 50_000, 51_000);
    expect(end - first).toBeLessThan(15);
    expect(heights().topOf(ids, first)).toBeLessThanOrEqual(50_000);
    expect(heights().topOf(ids, end)).toBeGreaterThanOrEqual(51_000);
  });

  it('estimates the others by the average', () => {
    expect(heights().topOf(ids, ids.length)).toBe(100_000);
    expect(new TurnHeights().topOf([1, 2], 2)).toBeGreaterThan(0);
  });

  it.each([
    ['the last turn where the range is behind all', 900_000, 901_000, 999, 1000],
    ['the first turns where the range begins before them', -500, 150, 0, 2],
  ])('are %s', (_, fromPx, toPx, first, end) => {
    expect(heights().between(ids, fromPx, toPx)).toMatchObject({ first, end });
  });

  it('are none of no turns', () => {
    expect(heights().between([], 0, 100)).toEqual({ first: 0, end: 0 });
  });
});

it.each([
  ['apart', { first: 20, end: 30 }, { first: 0, end: 10 }, 2],
  ['that touch', { first: 0, end: 10 }, { first: 10, end: 30 }, 1],
  ['where one range contains the other', { first: 0, end: 30 }, { first: 10, end: 20 }, 1],
])('joins windows %s', (_, one, other, count) => {
  const windows = joined(one, other);
  expect(windows).toHaveLength(count);
  expect([windows[0]?.first, windows.at(-1)?.end]).toEqual([0, 30]);
});
