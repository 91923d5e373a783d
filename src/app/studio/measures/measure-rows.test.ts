import { describe, expect, it } from 'vitest';
import { turnView } from '#session/testing/views.ts';
import { lastTurns, turnMeasureRows } from './measure-rows.ts';

const gapped = (id: number, longestMs: number) =>
  turnView({ id, gaps: { count: 1, meanMs: 1, p95Ms: 1, longestMs } });

describe('turnMeasureRows', () => {
  it('shows the figures of the turn beside those of the last turns', () => {
    const longest = [20, 22, 21, 400, 20, 22, 21, 20, 22, 21];
    const turns = longest.map((longestMs, at) => gapped(at + 1, longestMs));
    const { groups } = turnMeasureRows(gapped(2, 22), turns);
    const row = groups.flatMap(({ rows }) => rows).find(({ measure }) => measure.id === 'gapLongestMs');
    expect(row).toMatchObject({
      value: 22,
      series: { summary: { least: 20, median: 21, most: 400 }, outlier: { turn: 4, value: 400 } },
    });
  });

  it('lists measures without figures separately', () => {
    const { groups, unknown } = turnMeasureRows(gapped(1, 20), [gapped(1, 20)]);
    expect(groups.map(({ group }) => group)).toEqual(['flow']);
    expect(unknown.map(({ id }) => id)).toContain('bargeInSilenceMs');
  });

  it('rounds the parts of the wait so that they add up', () => {
    const wait = [
      { name: 'server' as const, ms: 10.4 },
      { name: 'firstAudioFrame' as const, ms: 10.4 },
      { name: 'decode' as const, ms: 10.4 },
    ];
    const turn = turnView({ wait });
    const values = turnMeasureRows(turn, [turn]).groups[0]?.rows.map(({ value }) => Math.round(value ?? 0));
    expect(values).toEqual([31, 11, 10, 10]);
  });

  it('has a row for a measure that only another turn has', () => {
    const { groups } = turnMeasureRows(turnView({ id: 2 }), [gapped(1, 20), turnView({ id: 2 })]);
    expect(groups[0]?.rows.map(({ value }) => value)).toEqual([null, null, null]);
  });
});

describe('lastTurns', () => {
  const turns = [
    turnView({ id: 1, context: 'a' }),
    turnView({ id: 2, context: 'b' }),
    turnView({ id: 3, context: 'a', endpoint: 'murmr' }),
    turnView({ id: 4, context: 'a' }),
  ];
  it.each([
    ['of one context', 'a', [1, 4]],
    ['of all contexts', null, [1, 2, 4]],
  ])('are those of the same endpoint, %s', (_, context, ids) => {
    expect(lastTurns(turns, turnView(), context).map(({ id }) => id)).toEqual(ids);
  });

  it('are limited in number', () => {
    const many = Array.from({ length: 100 }, (_, at) => turnView({ id: at + 1 }));
    const ids = lastTurns(many, turnView(), null).map(({ id }) => id);
    expect(ids).toHaveLength(40);
    expect(ids.at(-1)).toBe(100);
  });
});
