import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROFILES, type SimulationProfile, scheduleTokens } from './simulated-model.ts';

const even: SimulationProfile = {
  timeToFirstTokenMs: 100,
  tokensPerSecond: 10,
  jitter: 0,
  burst: { every: 0, size: 0 },
  stall: { chance: 0, ms: 0 },
};
const tokens = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index} `);
const times = (count: number, profile: SimulationProfile, seed = 1): number[] =>
  scheduleTokens(tokens(count), profile, seed).map((token) => token.atMs);

const anyProfile: fc.Arbitrary<SimulationProfile> = fc.record({
  timeToFirstTokenMs: fc.integer({ min: 0, max: 5000 }),
  tokensPerSecond: fc.integer({ min: 0, max: 500 }),
  jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  burst: fc.record({ every: fc.nat(8), size: fc.nat(20) }),
  stall: fc.record({ chance: fc.double({ min: 0, max: 1, noNaN: true }), ms: fc.nat(3000) }),
});

describe('schedule', () => {
  it.each<[string, number, Partial<SimulationProfile>, number[]]>([
    ['waits for the first token, then keeps the rate', 4, {}, [100, 200, 300, 400]],
    [
      'lets a burst through when its last token is due',
      7,
      { burst: { every: 2, size: 3 } },
      [100, 200, 500, 500, 500, 600, 700],
    ],
    [
      'waits for no burst that the text cuts short',
      4,
      { burst: { every: 1, size: 10 } },
      [100, 400, 400, 400],
    ],
    [
      'stalls before every token but the first at a chance of 1',
      3,
      { stall: { chance: 1, ms: 1000 } },
      [100, 1200, 2300],
    ],
    ['sends nothing for no tokens', 0, {}, []],
  ])('%s', (_, count, profile, atMs) => {
    expect(times(count, { ...even, ...profile })).toEqual(atMs);
  });

  it('is the same for the same seed, goes never back, and says the whole text', () => {
    fc.assert(
      fc.property(anyProfile, fc.array(fc.string(), { maxLength: 60 }), fc.nat(), (profile, list, seed) => {
        const planned = scheduleTokens(list, profile, seed);
        expect(scheduleTokens(list, profile, seed)).toEqual(planned);
        expect(planned.map((token) => token.text).join('')).toBe(list.join(''));
        planned.reduce((before, token) => {
          expect(token.atMs).toBeGreaterThanOrEqual(before);
          return token.atMs;
        }, 0);
      }),
    );
  });

  it('differs from seed to seed where there is jitter', () => {
    expect(times(20, { ...even, jitter: 0.5 }, 1)).not.toEqual(times(20, { ...even, jitter: 0.5 }, 2));
  });

  it('keeps the mean rate of the profile at any jitter and bursts', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(12),
        fc.nat(),
        (tokensPerSecond, jitter, size, seed) => {
          const count = 2000;
          const profile = { ...even, tokensPerSecond, jitter, burst: { every: 3, size } };
          const lastMs = times(count, profile, seed).at(-1) ?? 0;
          const rate = (count - 1) / ((lastMs - profile.timeToFirstTokenMs) / 1000);
          expect(rate / tokensPerSecond).toBeGreaterThan(0.93);
          expect(rate / tokensPerSecond).toBeLessThan(1.07);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('PROFILES', () => {
  it.each(PROFILES)('$name is finite and explained in one sentence', ({ profile, explanation }) => {
    expect(explanation).toMatch(/^[A-Z][^.]+\.$/);
    expect(times(100, profile).every(Number.isFinite)).toBe(true);
  });
});
