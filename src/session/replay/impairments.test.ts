import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delaysOf, type Impairments, NO_IMPAIRMENTS } from './impairments.ts';

/** The least time after which a lost packet is sent again. */
const RESEND_MS = 200;

const take = (impairments: Impairments, count: number): number[] => {
  const delay = delaysOf(impairments);
  return Array.from({ length: count }, () => delay());
};

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('delays', () => {
  it('are none by default, the same for the same seed, others for another, and never negative', () => {
    expect(take(NO_IMPAIRMENTS, 100).every((delay) => delay === 0)).toBe(true);
    const anyImpairments = fc.record({
      delayMs: fc.integer({ min: 0, max: 500 }),
      jitterMs: fc.integer({ min: 1, max: 500 }),
      stallShare: fc.double({ min: 0, max: 1, noNaN: true }),
      seed: fc.nat(),
    });
    fc.assert(
      fc.property(anyImpairments, (impairments) => {
        const delays = take(impairments, 50);
        expect(take(impairments, 50)).toEqual(delays);
        expect(take({ ...impairments, seed: impairments.seed + 1 }, 50)).not.toEqual(delays);
        expect(delays.every((delay) => delay >= 0 && Number.isFinite(delay))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('lie around their mean as far as the jitter says', () => {
    const delays = take({ ...NO_IMPAIRMENTS, delayMs: 300, jitterMs: 40 }, 5000);
    expect(mean(delays)).toBeCloseTo(300, -1);
    const deviation = Math.sqrt(mean(delays.map((delay) => (delay - 300) ** 2)));
    expect(deviation).toBeGreaterThan(38);
    expect(deviation).toBeLessThan(42);
  });

  it('stall the given share of frames, each for the time until a packet is resent', () => {
    const delays = take({ ...NO_IMPAIRMENTS, stallShare: 0.1 }, 10_000);
    const stalled = delays.filter((delay) => delay > 0);
    expect(stalled.length / delays.length).toBeCloseTo(0.1, 1);
    // One that is lost again waits twice as long once more.
    expect(new Set(stalled)).toContain(RESEND_MS);
    expect(new Set(stalled)).toContain(3 * RESEND_MS);
    const again = stalled.filter((delay) => delay > RESEND_MS).length;
    expect(again / stalled.length).toBeCloseTo(0.1, 1);
  });

  it('change nothing in the jitter where stalls are added', () => {
    const jitter = { ...NO_IMPAIRMENTS, delayMs: 100, jitterMs: 10 };
    const plain = take(jitter, 200);
    const stalled = take({ ...jitter, stallShare: 0.2 }, 200);
    stalled.forEach((delay, at) => {
      const resends = (delay - (plain[at] ?? 0)) / RESEND_MS;
      expect(resends).toBeCloseTo(Math.round(resends), 6);
    });
  });
});
