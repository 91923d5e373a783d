import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSlidingWindow } from './sliding-window.ts';

// The library looks at Date, and forgets by timers.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const WINDOW_MS = 60_000;

/** The rule in its plainest form: the times of all that were taken. */
function createNaiveWindow(limit: number): () => boolean {
  const taken: number[] = [];
  return () => {
    const isFree = taken.filter((atMs) => Date.now() - atMs < WINDOW_MS).length < limit;
    if (isFree) taken.push(Date.now());
    return isFree;
  };
}

/** Times at the edges of windows, and any others. */
const waits = fc.array(fc.oneof(fc.constantFrom(0, 1, 999, 20_000, 39_999, 59_999), fc.nat(40_000)), {
  maxLength: 80,
});

it('what was taken comes back a minute later, one by one: no edge lets through more than the limit', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), waits, async (limit, waitsMs) => {
      const take = createSlidingWindow({ limit, windowSeconds: 60 });
      const takeNaively = createNaiveWindow(limit);
      for (const waitMs of waitsMs) {
        vi.advanceTimersByTime(waitMs);
        expect(await take('key')).toBe(takeNaively());
      }
    }),
    {
      numRuns: 60,
      examples: [
        [1, [0, 59_999, 1]],
        [2, [0, 59_000, 999, 1, 0, 58_999, 1, 0]],
      ],
    },
  );
});
