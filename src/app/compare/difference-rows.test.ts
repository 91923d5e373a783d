import { expect, test } from 'vitest';
import { MEASURES, measureOf } from '#session/measures/definitions.ts';
import type { TurnMeasures } from '#session/measures/turn-measures.ts';
import { turnView } from '#session/testing/views.ts';
import { differenceRow, differenceRows, waitSentence } from './difference-rows.ts';

const rowOf = (a: Partial<TurnMeasures>, b: Partial<TurnMeasures>) => {
  const [id] = Object.keys({ ...a, ...b }) as (keyof TurnMeasures)[];
  if (id === undefined) return null;
  const row = differenceRow(measureOf(id), a[id] ?? null, b[id] ?? null);
  return [row.a, row.b, row.difference, row.verdict, row.better];
};

test.each([
  [{ waitMs: 300 }, { waitMs: 266 }, ['300 ms', '266 ms', '−34 ms', 'B better by 34 ms', 'b']],
  [{ waitMs: 266 }, { waitMs: 300 }, ['266 ms', '300 ms', '+34 ms', 'A better by 34 ms', 'a']],
  // More margin is better.
  [{ marginLeastMs: -20 }, { marginLeastMs: 80 }, ['−20 ms', '80 ms', '+100 ms', 'B better by 100 ms', 'b']],
  [{ underruns: 1 }, { underruns: 0 }, ['1', '0', '−1 time', 'B better by 1 time', 'b']],
  // A difference that rounding removes is none.
  [{ waitMs: 300.1 }, { waitMs: 300.4 }, ['300 ms', '300 ms', '0 ms', 'the same', null]],
  // Neither way is better.
  [
    { charactersPerSecond: 14 },
    { charactersPerSecond: 16.5 },
    ['14.0 chars/s', '16.5 chars/s', '+2.5 chars/s', null, null],
  ],
  [{ rtf: 0.04 }, {}, ['0.040', 'unknown', null, null, null]],
] as const)('%o and %o', (a, b, row) => {
  expect(rowOf(a, b)).toEqual(row);
});

const wait = [
  { name: 'server' as const, ms: 10.4 },
  { name: 'firstAudioFrame' as const, ms: 10.4 },
  { name: 'decode' as const, ms: 10.4 },
];
const gaps = { count: 1, meanMs: 1, p95Ms: 1, longestMs: 20 };

test('leaves out measures that neither side has, and keeps the order of the definitions', () => {
  const { groups, unknown } = differenceRows({ a: turnView({ wait }), b: turnView({ gaps }) });
  const ids = groups.flatMap(({ rows }) => rows.map(({ measure }) => measure.id));
  expect(ids).toEqual(MEASURES.map(({ id }) => id).filter((id) => ids.includes(id)));
  expect(ids).toEqual(expect.arrayContaining(['waitMs', 'gapLongestMs']));
  expect([...ids, ...unknown.map(({ id }) => id)].sort()).toEqual(MEASURES.map(({ id }) => id).sort());
  expect(differenceRows({ a: null, b: null }).groups).toEqual([]);
});

test('shows parts of the wait that add up as in the wait strip', () => {
  const { groups } = differenceRows({ a: turnView({ wait }), b: null });
  expect(groups[0]?.rows.map(({ a }) => a)).toEqual(['31 ms', '11 ms', '10 ms', '10 ms']);
});

test.each([
  [100, 134.2, 'A was heard 34 ms sooner than B.'],
  [134, 100, 'B was heard 34 ms sooner than A.'],
  [100, 100.3, 'A and B were heard after the same wait.'],
  [100, null, null],
] as const)('waits of %o and %o', (a, b, sentence) => {
  expect(waitSentence({ waitMs: a }, { waitMs: b })).toBe(sentence);
});
