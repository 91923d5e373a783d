import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holm } from './holm.ts';
import { normalAtMost } from './normal.ts';
import { PairDifferences, type Stratum } from './pair-differences.ts';
import { seededRandom } from './random.ts';
import { rankSumDistribution } from './rank-sum.ts';
import { shiftBetween } from './shift.ts';

/** Waits as they are: a base, a long tail, and now and then a stall. */
function waits(random: () => number, count: number, baseMs: number): number[] {
  return Array.from({ length: count }, () => {
    const stall = random() < 0.03 ? 300 * random() : 0;
    return baseMs - 12 * Math.log(1 - random()) + stall;
  });
}

const naiveDifferences = (strata: readonly Stratum[]): number[] =>
  strata.flatMap(({ a, b }) => b.flatMap((y) => a.map((x) => y - x))).sort((x, y) => x - y);

const sample = fc.array(fc.integer({ min: -50, max: 50 }), { maxLength: 12 });
const strata = fc.array(fc.record({ a: sample, b: sample }), { minLength: 1, maxLength: 3 });

describe('PairDifferences', () => {
  it('has the differences that a list of all pairs has, rank by rank', () => {
    fc.assert(
      fc.property(strata, (some) => {
        const all = naiveDifferences(some);
        const differences = new PairDifferences(some);
        expect(differences.count).toBe(all.length);
        expect(all.map((_, at) => differences.ofRank(at + 1))).toEqual(all.map((value) => value + 0));
        expect(differences.belowZero).toBe(
          all.filter((value) => value < 0).length + all.filter((value) => value === 0).length / 2,
        );
      }),
    );
  });

  it('finds the exact difference of fractions too, to the last bit', () => {
    const random = seededRandom(3);
    const some = [{ a: waits(random, 20, 100), b: waits(random, 21, 100) }];
    const all = naiveDifferences(some);
    const differences = new PairDifferences(some);
    expect(all.map((_, at) => differences.ofRank(at + 1))).toEqual(all);
    expect(differences.median).toBe(((all[209] ?? 0) + (all[210] ?? 0)) / 2);
  });
});

describe('rankSumDistribution', () => {
  it.each([
    // Published tables of U at a two-sided 5 %: the largest U that is still significant, plus 1.
    { a: 3, b: 3, rank: 0 },
    { a: 4, b: 4, rank: 1 },
    { a: 5, b: 5, rank: 3 },
    { a: 8, b: 10, rank: 18 },
    { a: 20, b: 20, rank: 128 },
  ])('critical rank of $a against $b', ({ a, b, rank }) => {
    expect(rankSumDistribution([{ a, b }]).criticalRank(0.05)).toBe(rank);
  });

  it('counts out all orders of two small samples', () => {
    // Of the six orders of two and two, one has U = 0.
    expect(rankSumDistribution([{ a: 2, b: 2 }]).pValue(0)).toBeCloseTo(2 / 6, 12);
    expect(rankSumDistribution([{ a: 2, b: 2 }]).pValue(2)).toBe(1);
    // Two strata of one and one: U = 0 comes about in one case of four.
    const pairs = { a: 1, b: 1 };
    expect(rankSumDistribution([pairs, pairs]).pValue(0)).toBeCloseTo(1 / 2, 12);
  });

  it('counted out and approximated agree where both may be used', () => {
    const counted = rankSumDistribution([{ a: 100, b: 100 }]);
    const approximated = rankSumDistribution([{ a: 100, b: 101 }]);
    expect(counted.pairs).toBe(10_000);
    for (const z of [0.5, 1, 2, 3]) {
      const [p, q] = [counted, approximated].map(({ pairs, pValue }, at) =>
        pValue(pairs / 2 - z * Math.sqrt((pairs * (201 + at)) / 12)),
      );
      expect(Math.log((p ?? 0) / (q ?? 0))).toBeCloseTo(0, 1);
    }
    expect(Math.abs(approximated.criticalRank(0.05) - counted.criticalRank(0.05))).toBeLessThan(60);
  });
});

describe('normal', () => {
  it.each([
    { z: 0, p: 0.5 },
    { z: 1.959963984540054, p: 0.975 },
    { z: -2.5758293035489, p: 0.005 },
    { z: -6.361340902404056, p: 1e-10 },
  ])('P(Z ≤ $z) is $p', ({ z, p }) => {
    expect(normalAtMost(z) / p).toBeCloseTo(1, 9);
  });
});

describe('shiftBetween', () => {
  it('is exactly what was added where nothing else differs, and its interval holds it', () => {
    const values = waits(seededRandom(5), 30, 100);
    const { estimate, low, high, pValue } = shiftBetween([{ a: values, b: values.map((ms) => ms + 64) }]);
    expect(estimate).toBeCloseTo(64, 9);
    expect(low).toBeLessThan(64);
    expect(high).toBeGreaterThan(64);
    expect(pValue).toBeLessThan(1e-6);
  });

  it('turns its sign with the samples', () => {
    fc.assert(
      fc.property(strata, (some) => {
        const there = shiftBetween(some);
        const back = shiftBetween(some.map(({ a, b }) => ({ a: b, b: a })));
        expect(back.pValue).toBeCloseTo(there.pValue, 12);
        if (!Number.isNaN(there.estimate)) expect(back.estimate + there.estimate).toBeCloseTo(0, 12);
        if (there.low !== null) expect(back.high).toBe(0 - there.low);
      }),
    );
  });

  it('leaves 0 outside of the interval exactly when the test finds a difference', () => {
    const random = seededRandom(21);
    for (let at = 0; at < 100; at += 1) {
      const { low, high, pValue } = shiftBetween([
        { a: waits(random, 12, 100), b: waits(random, 15, 100 + (at % 20)) },
      ]);
      expect((low ?? 0) > 0 || (high ?? 0) < 0).toBe(pValue <= 0.05);
    }
  });

  it('has no interval where the samples are too small, and says nothing of none', () => {
    expect(shiftBetween([{ a: [1, 2, 3], b: [11, 12, 13] }])).toMatchObject({ low: null, high: null });
    expect(shiftBetween([{ a: [], b: [1] }])).toEqual({
      estimate: Number.NaN,
      low: null,
      high: null,
      pValue: 1,
    });
  });

  it('what lies between texts is no noise: 20 ms are found although texts differ by seconds', () => {
    const random = seededRandom(8);
    const texts = [100, 700, 2500].map((baseMs) => ({
      a: waits(random, 15, baseMs),
      b: waits(random, 15, baseMs + 20),
    }));
    const pooled = shiftBetween([{ a: texts.flatMap(({ a }) => a), b: texts.flatMap(({ b }) => b) }]);
    const { pValue } = shiftBetween(texts);
    expect(pValue).toBeLessThan(0.001);
    expect(pooled.pValue).toBeGreaterThan(50 * pValue);
  });

  it.each([
    { name: 'one text, 50 runs each', sizes: [50] },
    { name: 'three texts, 8 runs each', sizes: [8, 8, 8] },
    { name: 'more pairs than are counted out', sizes: [110] },
  ])('false alarms, power and coverage by simulation: $name', ({ sizes }) => {
    const random = seededRandom(2026);
    const series = 100;
    let alarms = 0;
    let found = 0;
    let covered = 0;
    for (let at = 0; at < series; at += 1) {
      const of = (shiftMs: number) =>
        sizes.map((size, text) => ({
          a: waits(random, size, 100 + 400 * text),
          b: waits(random, size, 100 + 400 * text + shiftMs),
        }));
      if (shiftBetween(of(0)).pValue <= 0.05) alarms += 1;
      const { low, high, pValue } = shiftBetween(of(20));
      if (pValue <= 0.05) found += 1;
      if ((low ?? Number.NEGATIVE_INFINITY) <= 20 && 20 <= (high ?? Number.POSITIVE_INFINITY)) covered += 1;
    }
    // Three standard errors of a simulation of this length.
    const allowance = 3 * Math.sqrt((0.05 * 0.95) / series);
    expect(alarms / series).toBeLessThan(0.05 + allowance);
    expect(covered / series).toBeGreaterThan(0.95 - allowance);
    expect(found / series).toBeGreaterThan(0.95);
  });
});

describe('holm', () => {
  it.each([
    { given: [], expected: [] },
    { given: [0.04], expected: [0.04] },
    { given: [0.01, 0.04, 0.03], expected: [0.03, 0.06, 0.06] },
    { given: [0.5, 0.9], expected: [1, 1] },
  ])('$given become $expected', ({ given, expected }) => {
    const corrected = holm(given);
    expect(corrected).toHaveLength(expected.length);
    corrected.forEach((pValue, at) => {
      expect(pValue).toBeCloseTo(expected[at] ?? Number.NaN, 12);
    });
  });

  it('one false alarm among six questions stays below the level', () => {
    const random = seededRandom(4);
    const series = 2000;
    let alarms = 0;
    for (let at = 0; at < series; at += 1) {
      if (Math.min(...holm(Array.from({ length: 6 }, random))) <= 0.05) alarms += 1;
    }
    expect(alarms / series).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / series));
  });
});
