import { expect, test } from 'vitest';
import { MEASURES, type MeasureId } from '#session/measures/definitions.ts';
import { turnView } from '#session/testing/views.ts';
import type { TurnView } from '#session/views.ts';
import { differenceRows, waitSentence } from './difference-rows.ts';

const waited = (ms: number) => ({ wait: [{ name: 'server' as const, ms }] });
const spoken = (characters: number, samples: number) =>
  ({ state: 'ended', sampleRate: 1000, samples, text: 'x'.repeat(characters) }) as const;
const underrun = { atMs: 5, atSample: 5, lengthMs: 5 };

test.each<[MeasureId, Partial<TurnView>, Partial<TurnView>, unknown[]]>([
  ['waitMs', waited(300), waited(266), ['300 ms', '266 ms', '−34 ms', 'B better by 34 ms', 'b']],
  ['waitMs', waited(266), waited(300), ['266 ms', '300 ms', '+34 ms', 'A better by 34 ms', 'a']],
  [
    // More margin is better.
    'marginLeastMs',
    { leastMarginMs: -20 },
    { leastMarginMs: 80 },
    ['−20 ms', '80 ms', '+100 ms', 'B better by 100 ms', 'b'],
  ],
  [
    'underruns',
    { heardFromMs: 0, underruns: [underrun] },
    { heardFromMs: 0 },
    ['1', '0', '−1 time', 'B better by 1 time', 'b'],
  ],
  // A difference that rounding removes is none.
  ['waitMs', waited(300.1), waited(300.4), ['300 ms', '300 ms', '0 ms', 'the same', null]],
  [
    // Neither way is better.
    'charactersPerSecond',
    spoken(14, 1000),
    spoken(33, 2000),
    ['14.0 chars/s', '16.5 chars/s', '+2.5 chars/s', null, null],
  ],
  ['neededFloorMs', { neededFloorMs: 40 }, {}, ['40 ms', 'unknown', null, null, null]],
])('shows %s of %o and %o', (id, a, b, row) => {
  const { groups } = differenceRows({ a: turnView(a), b: turnView(b) });
  const found = groups.flatMap(({ rows }) => rows).find(({ measure }) => measure.id === id);
  expect(found && [found.a, found.b, found.difference, found.verdict, found.better]).toEqual(row);
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
