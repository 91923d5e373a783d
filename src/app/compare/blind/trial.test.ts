import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  matchingGains,
  planTrial,
  preferredIn,
  reductionText,
  sideOf,
  tallyOf,
  tallySentence,
  tallyText,
  textsOf,
} from './trial.ts';

const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => `Text ${at}`);
const plays = { x: 1, y: 1 };

test('reads one text per line and skips empty lines', () => {
  expect(textsOf('  One. \n\n\tTwo.\r\n   ')).toEqual(['One.', 'Two.']);
});

test('draws the same trial from the same seed, and another from another', () => {
  expect(planTrial(texts(12), 7)).toEqual(planTrial(texts(12), 7));
  expect(planTrial(texts(12), 7).rounds).not.toEqual(planTrial(texts(12), 8).rounds);
});

test('uses every text once, and each side as X in half of the rounds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.integer(), (count, seed) => {
      const { rounds } = planTrial(texts(count), seed);
      expect(rounds.map(({ text }) => text).sort()).toEqual(texts(count).sort());
      for (const { text, textNumber } of rounds) expect(texts(count)[textNumber - 1]).toBe(text);
      const xIsA = rounds.filter(({ x }) => x === 'a').length;
      expect(Math.abs(2 * xIsA - count)).toBeLessThanOrEqual(1);
    }),
  );
});

test('draws each side as X of a single round about as often', () => {
  const xIsA = Array.from({ length: 400 }, (_, seed) => planTrial(['One.'], seed).rounds[0]?.x).filter(
    (x) => x === 'a',
  );
  // Five standard deviations of a fair coin.
  expect(Math.abs(xIsA.length - 200)).toBeLessThan(50);
});

test('X and Y are always the two sides', () => {
  expect([sideOf({ x: 'a' }, 'x'), sideOf({ x: 'a' }, 'y')]).toEqual(['a', 'b']);
  expect([sideOf({ x: 'b' }, 'x'), sideOf({ x: 'b' }, 'y')]).toEqual(['b', 'a']);
  expect(preferredIn({ text: '', textNumber: 1, x: 'b', first: 'a' }, 'none')).toBeNull();
});

test('a choice counts for the side behind the label', () => {
  const trial = {
    seed: 1,
    rounds: [
      { text: '1', textNumber: 1, x: 'a' as const, first: 'a' as const },
      { text: '2', textNumber: 2, x: 'b' as const, first: 'a' as const },
      { text: '3', textNumber: 3, x: 'b' as const, first: 'a' as const },
      { text: '4', textNumber: 4, x: 'a' as const, first: 'a' as const },
    ],
  };
  const tally = tallyOf(trial, [
    { choice: 'x', plays },
    { choice: 'x', plays },
    { choice: 'y', plays },
    { choice: 'none', plays },
  ]);
  expect(tally).toEqual({ a: 2, b: 1, none: 1 });
  expect(tallyText(tally)).toBe('A 2, B 1, no preference 1');
});

test.each([
  [0, 0, 'nothing to test'],
  [
    5,
    0,
    '6 of 100 such tests (sign test, p = 0.063): it cannot be distinguished from chance. With fewer than 6',
  ],
  [6, 0, '3 of 100 such tests (sign test, p = 0.031): this is probably not chance, and favours A.'],
  [
    1,
    12,
    'fewer than 1 of 100 such tests (sign test, p = 0.003): this is probably not chance, and favours B.',
  ],
  [
    4,
    4,
    'all such tests (sign test, p = 1.00): it cannot be distinguished from chance. More rounds may show a difference.',
  ],
  [30, 2, 'p < 0.001'],
])('%i to %i', (a, b, words) => {
  expect(tallySentence({ a, b, none: 2 })).toContain(words);
});

test.each([
  // The louder one is turned down to the quieter one, which keeps its gain.
  [-20, -40, { a: 0.1, b: 1 }],
  [-40, -20, { a: 1, b: 0.1 }],
  [-20, -20, { a: 1, b: 1 }],
  [null, -20, { a: 1, b: 1 }],
])('matches the loudness %d and %d', (a, b, gains) => {
  expect(matchingGains({ a: { loudness: a }, b: { loudness: b } })).toEqual(gains);
});

test('formats the reduction by a gain in dB', () => {
  expect(reductionText(0.5)).toBe('6.0 dB');
  expect(reductionText(1)).toBe('0.0 dB');
});
