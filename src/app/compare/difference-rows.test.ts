import { expect, test } from 'vitest';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { MEASURES, type MeasureId } from '#session/measures/definitions.ts';
import { unreportedBy } from '#session/measures/unreported.ts';
import { chunkView, turnView } from '#session/testing/views.ts';
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

const pairs = PAGE_ENDPOINTS.flatMap((a) => PAGE_ENDPOINTS.map((b) => [a.id, b.id] as const));

test.each(pairs)('says which figures %s and %s never have, and no others', (a, b) => {
  const turns = { a: turnView({ endpoint: a, wait }), b: turnView({ endpoint: b, wait }) };
  const { groups, unknown } = differenceRows(turns);
  for (const { measure, unreported, a: ofA, b: ofB, verdict } of groups.flatMap(({ rows }) => rows)) {
    const lacking = (['a', 'b'] as const).filter((side) =>
      unreportedBy(turns[side].endpoint).measures.has(measure.id),
    );
    // The turns have a server's start, also where the endpoint has none.
    const isKnown = measure.id === 'serverMs';
    expect([measure.id, unreported]).toEqual([measure.id, isKnown ? [] : lacking]);
    if (unreported.length > 0) expect([ofA, ofB, verdict]).toEqual(['unknown', 'unknown', null]);
  }
  // A figure that one of them could have is only missing so far.
  for (const { id } of unknown)
    expect([a, b].every((each) => unreportedBy(each).measures.has(id))).toBe(false);
});

test('tells a figure that a server never reports from one that is missing', () => {
  const [reports, silent] = ['rtf' as const].flatMap((id) => [
    PAGE_ENDPOINTS.find((each) => !unreportedBy(each.id).measures.has(id)),
    PAGE_ENDPOINTS.find((each) => unreportedBy(each.id).measures.has(id)),
  ]);
  if (!reports || !silent) throw new Error('one of each kind');
  const chunks = [chunkView({ samples: 1000, generationMs: 100 })];
  const spokenBy = (endpoint: typeof reports, change: Partial<TurnView> = {}) =>
    turnView({ endpoint: endpoint.id, sampleRate: 1000, ...change });
  const rowOf = (a: TurnView, b: TurnView) =>
    differenceRows({ a, b })
      .groups.flatMap(({ rows }) => rows)
      .find(({ measure }) => measure.id === 'rtf');
  expect(rowOf(spokenBy(reports, { chunks }), spokenBy(silent))).toMatchObject({ unreported: ['b'] });
  expect(rowOf(spokenBy(reports, { chunks }), spokenBy(reports))).toMatchObject({ unreported: [] });
  expect(rowOf(spokenBy(silent), spokenBy(silent))).toMatchObject({ unreported: ['a', 'b'] });
  expect(rowOf(spokenBy(silent), spokenBy(reports))).toBeUndefined();
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
