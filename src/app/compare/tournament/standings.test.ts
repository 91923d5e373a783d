import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnsweredRound, Choice } from './rounds.ts';
import { tournamentOutcome } from './standings.ts';
import { answered } from './testing/answered.ts';

const PAIR = ['a', 'b'];
const THREE = ['a', 'b', 'c'];
const repeated = (count: number, x: string, y: string, choice: Choice): AnsweredRound[] =>
  Array.from({ length: count }, () => answered(x, y, choice));
const ofTwo = (a: number, b: number): AnsweredRound[] => [
  ...repeated(a, 'a', 'b', 'x'),
  ...repeated(b, 'a', 'b', 'y'),
  ...repeated(2, 'b', 'a', 'none'),
];

test('counts wins, ties and losses under either label', () => {
  const heard = [
    answered('a', 'b', 'x'),
    answered('b', 'a', 'x'),
    answered('c', 'a', 'y'),
    answered('a', 'c', 'none'),
    answered('b', 'c', 'x'),
  ];
  const scores = tournamentOutcome(THREE, heard).standings.map(
    ({ id, wins, ties, losses }) => [id, wins, ties, losses] as const,
  );
  expect(scores).toEqual([
    ['b', 2, 0, 1],
    ['a', 2, 1, 1],
    ['c', 0, 1, 2],
  ]);
});

test('names the best, all who are level, and what may still change', () => {
  expect(tournamentOutcome(PAIR, ofTwo(1, 12))).toMatchObject({
    headline: 'B is rated best',
    sentence: 'After 15 rounds. Where intervals overlap, more rounds may change the order.',
  });
  expect(tournamentOutcome(PAIR, ofTwo(4, 4)).headline).toBe('A and B are rated best');
});

test.each([[[]], [repeated(9, 'a', 'b', 'none')]])('finds no order without a preference', (heard) => {
  expect(tournamentOutcome(THREE, heard)).toMatchObject({ headline: 'No order yet' });
});

test('gives finite ratings and intervals that sum to 0, also to those who won or lost all', () => {
  const rounds = fc.array(
    fc
      .tuple(fc.shuffledSubarray(['a', 'b', 'c', 'd'], { minLength: 2, maxLength: 2 }), fc.nat(2))
      .map(([[x = '', y = ''], choice]) => answered(x, y, (['x', 'y', 'none'] as const)[choice] ?? 'none')),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(rounds, (heard) => {
      const { standings } = tournamentOutcome(['a', 'b', 'c', 'd'], heard);
      expect(standings.reduce((sum, { rating }) => sum + rating, 0)).toBeCloseTo(0, 8);
      for (const { low, rating, high } of standings) {
        expect(low).toBeLessThan(rating);
        expect(high).toBeGreaterThan(rating);
        expect(high - low).toBeLessThan(20);
      }
    }),
    { numRuns: 60 },
  );
});

test('does not count rounds with a configuration that was left out', () => {
  const among = [answered('a', 'b', 'x'), answered('b', 'a', 'none'), answered('a', 'b', 'y')];
  const withC = [...among, answered('a', 'c', 'x'), answered('c', 'b', 'y'), answered('a', 'c', 'x')];
  expect(tournamentOutcome(['a', 'b'], withC)).toEqual(tournamentOutcome(['a', 'b'], among));
});
