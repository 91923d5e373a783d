import { expect, test } from 'vitest';
import { MEASURES } from '#session/measures/definitions.ts';
import { measuresOf, type TurnMeasures } from '#session/measures/turn-measures.ts';
import { turnView } from '#session/testing/views.ts';
import { differenceRows, waitSentence } from './difference-rows.ts';

const nothing = measuresOf(turnView({ id: 1 }));
const measures = (known: Partial<TurnMeasures>): TurnMeasures => ({ ...nothing, ...known });

const rowOf = (a: Partial<TurnMeasures>, b: Partial<TurnMeasures>) => {
  const row = differenceRows(measures(a), measures(b)).find(
    ({ measure }) => measure.id in a || measure.id in b,
  );
  return row && [row.a, row.b, row.difference, row.verdict, row.better];
};

test.each([
  [{ waitMs: 300 }, { waitMs: 266 }, ['300 ms', '266 ms', '−34 ms', 'B better by 34 ms', 'b']],
  [{ waitMs: 266 }, { waitMs: 300 }, ['266 ms', '300 ms', '+34 ms', 'A better by 34 ms', 'a']],
  // More margin is better.
  [{ marginLeastMs: -20 }, { marginLeastMs: 80 }, ['−20 ms', '80 ms', '+100 ms', 'B better by 100 ms', 'b']],
  [{ underruns: 1 }, { underruns: 0 }, ['1', '0', '−1 time', 'B better by 1 time', 'b']],
  // What is rounded away is no difference.
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

test('what neither has is left out, and the order is that of the definitions', () => {
  expect(differenceRows(measures({ rtf: 1, waitMs: 5 }), null).map(({ measure }) => measure.id)).toEqual(
    MEASURES.map(({ id }) => id).filter((id) => id === 'rtf' || id === 'waitMs'),
  );
  expect(differenceRows(null, null)).toEqual([]);
});

test.each([
  [100, 134.2, 'A was heard 34 ms sooner than B.'],
  [134, 100, 'B was heard 34 ms sooner than A.'],
  [100, 100.3, 'A and B were heard after the same wait.'],
  [100, null, null],
] as const)('waits of %o and %o', (a, b, sentence) => {
  expect(waitSentence({ waitMs: a }, { waitMs: b })).toBe(sentence);
});
