import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONFIGURATION_IDS } from '../side.ts';
import type { AnsweredRound, Choice } from './rounds.ts';
import { nextRound, planRounds } from './schedule.ts';
import { answered } from './testing/answered.ts';

const texts = (count: number): string[] => Array.from({ length: count }, (_, at) => `Text ${at}`);
const sorted = (x: string, y: string): string => [x, y].sort().join('');

/** Plays a tournament to its end. The choices repeat. */
function play(ids: readonly string[], count: number, seed: number, choices: readonly Choice[]) {
  const plan = planRounds(ids, texts(count), seed);
  const heard: AnsweredRound[] = [];
  for (let round = nextRound(plan, ids, heard); round; round = nextRound(plan, ids, heard)) {
    const choice = choices[heard.length % choices.length] ?? 'none';
    heard.push({ ...round, choice, plays: { x: 1, y: 1 }, turns: { x: null, y: null } });
  }
  return { plan, heard };
}

const tournaments = fc.record({
  ids: fc.integer({ min: 2, max: 6 }).map((count) => CONFIGURATION_IDS.slice(0, count)),
  count: fc.integer({ min: 1, max: 5 }),
  seed: fc.integer(),
  choices: fc.array(fc.constantFrom<Choice>('x', 'y', 'none'), { minLength: 1, maxLength: 7 }),
});

test('repeats a tournament from its seed and answers', () => {
  fc.assert(
    fc.property(tournaments, ({ ids, count, seed, choices }) => {
      expect(play(ids, count, seed, choices)).toEqual(play(ids, count, seed, choices));
    }),
    { numRuns: 30 },
  );
  const orderOf = (seed: number) => planRounds(['a', 'b', 'c'], texts(12), seed);
  expect(orderOf(7)).not.toEqual(orderOf(8));
});

test('plays each pair with each text once, and each pair once before any again', () => {
  fc.assert(
    fc.property(tournaments, ({ ids, count, seed, choices }) => {
      const { plan, heard } = play(ids, count, seed, choices);
      const pairs = (ids.length * (ids.length - 1)) / 2;
      expect(plan).toHaveLength(pairs);
      expect(new Set(heard.map(({ x, y, text }) => `${sorted(x, y)} ${text}`)).size).toBe(pairs * count);
      expect(heard).toHaveLength(pairs * count);
      expect(new Set(heard.slice(0, pairs).map(({ x, y }) => sorted(x, y))).size).toBe(pairs);
    }),
    { numRuns: 50 },
  );
});

test('uses all texts about as often in the first rounds of all pairs', () => {
  fc.assert(
    fc.property(tournaments, ({ ids, count, seed }) => {
      const plan = planRounds(ids, texts(count), seed);
      const uses = texts(count).map((text) => plan.filter(([first]) => first?.text === text).length);
      expect(Math.max(...uses) - Math.min(...uses)).toBeLessThanOrEqual(1);
    }),
  );
});

test('makes each configuration X in half of its pairs, and in half of the rounds of each pair', () => {
  fc.assert(
    fc.property(tournaments, ({ ids, count, seed }) => {
      const plan = planRounds(ids, texts(count), seed);
      for (const id of ids) {
        const firsts = plan.filter(([first]) => first?.x === id).length;
        expect(Math.abs(2 * firsts - (ids.length - 1))).toBeLessThanOrEqual(1);
      }
      for (const rounds of plan) {
        const xs = rounds.filter(({ x }) => x === rounds[0]?.x).length;
        expect(Math.abs(2 * xs - count)).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('links all configurations within as many rounds as there are', () => {
  const plan = planRounds(CONFIGURATION_IDS, ['One.'], 5);
  const linked = new Set<string>(['a']);
  const first = plan.slice(0, CONFIGURATION_IDS.length).flatMap(([round]) => round ?? []);
  for (const _ of first) {
    for (const { x, y } of first) {
      if (linked.has(x)) linked.add(y);
      if (linked.has(y)) linked.add(x);
    }
  }
  expect(linked.size).toBe(CONFIGURATION_IDS.length);
});

test('draws each of two as X of a single round about as often', () => {
  const xIsA = Array.from({ length: 400 }, (_, seed) => planRounds(['a', 'b'], ['One.'], seed)).filter(
    ([rounds]) => rounds?.[0]?.x === 'a',
  );
  // Five standard deviations of a fair coin.
  expect(Math.abs(xIsA.length - 200)).toBeLessThan(50);
});

test('goes on with the closest of the pairs that were heard least', () => {
  const ids = ['a', 'b', 'c'];
  const plan = planRounds(ids, texts(6), 3);
  // C loses all of its rounds, A and B are level.
  const heard = [
    ...['x', 'y'].map((choice) => answered('a', 'b', choice as Choice)),
    ...Array.from({ length: 2 }, () => [answered('a', 'c', 'x'), answered('b', 'c', 'x')]).flat(),
  ];
  const next = nextRound(plan, ids, heard);
  expect(next && sorted(next.x, next.y)).toBe('ab');
});
