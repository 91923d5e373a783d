import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRandom } from '#lib/statistics/random.ts';
import { CONFIGURATION_IDS } from '../side.ts';
import type { AnsweredRound, Choice } from './rounds.ts';
import { nextRound, planRounds } from './schedule.ts';
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

test.each([
  [5, 0, 'A or B is first', 'sign test, p = 0.063): it cannot be distinguished from chance.'],
  [6, 0, 'A or B is first', 'sign test, p = 0.031): it cannot be distinguished from chance.'],
  [1, 12, 'B is first', 'sign test, p = 0.003): this is probably not chance. It was safe to stop.'],
  [4, 4, 'A or B is first', 'sign test, p = 1.00)'],
  [30, 2, 'A is first', 'p < 0.001'],
])('tests two by signs, without ties: %i to %i', (a, b, headline, words) => {
  const outcome = tournamentOutcome(PAIR, ofTwo(a, b));
  expect(outcome.headline).toBe(headline);
  expect(outcome.sentence).toContain(words);
});

test('settles the first place only after enough rounds', () => {
  const clear = (rounds: number) =>
    tournamentOutcome(THREE, [
      ...repeated(rounds, 'c', 'a', 'x'),
      ...repeated(rounds, 'b', 'c', 'y'),
      ...repeated(rounds, 'a', 'b', 'x'),
    ]);
  expect(clear(3)).toMatchObject({
    isSettled: false,
    headline: 'C, A or B is first',
    sentence: expect.stringMatching(/^The lead of C over A is .* More rounds may change the order\.$/),
  });
  expect(clear(30)).toMatchObject({
    isSettled: true,
    headline: 'C is first',
    sentence: expect.stringMatching(/It was safe to stop\.$/),
  });
});

test.each([[[]], [repeated(9, 'a', 'b', 'none')]])('finds no order without a preference', (heard) => {
  expect(tournamentOutcome(THREE, heard)).toMatchObject({ isSettled: false, headline: 'No order yet' });
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

/** Share of tournaments of equals, with a look after each round, in which the first place is settled at some time. */
function misjudged(configurations: number, texts: number, tournaments: number): number {
  const ids = CONFIGURATION_IDS.slice(0, configurations);
  const random = seededRandom(42);
  let wrong = 0;
  for (let seed = 0; seed < tournaments; seed += 1) {
    const plan = planRounds(ids, Array.from({ length: texts }, String), seed);
    const heard: AnsweredRound[] = [];
    for (let round = nextRound(plan, ids, heard); round; round = nextRound(plan, ids, heard)) {
      heard.push({ ...answered(round.x, round.y, random() < 0.5 ? 'x' : 'y'), ...round });
      if (!tournamentOutcome(ids, heard).isSettled) continue;
      wrong += 1;
      break;
    }
  }
  return wrong / tournaments;
}

// `docs/compare.md` has figures of more tournaments.
test('settles the first place of equals in at most 1 of 12 tournaments, also for one who looks after each round', () => {
  expect(misjudged(2, 20, 300)).toBeLessThan(1 / 12);
  expect(misjudged(3, 10, 100)).toBeLessThan(1 / 12);
});

test('does not count rounds with a configuration that was left out', () => {
  const among = [answered('a', 'b', 'x'), answered('b', 'a', 'none'), answered('a', 'b', 'y')];
  const withC = [...among, answered('a', 'c', 'x'), answered('c', 'b', 'y'), answered('a', 'c', 'x')];
  expect(tournamentOutcome(['a', 'b'], withC)).toEqual(tournamentOutcome(['a', 'b'], among));
});
