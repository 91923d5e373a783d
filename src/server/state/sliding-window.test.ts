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

it('6.3.18 what was taken comes back a minute later, one by one: no edge lets through more than the limit', async () => {
  const take = createSlidingWindow({ limit: 100, windowSeconds: 60 });
  const takeMany = async (times: number) => {
    let taken = 0;
    for (let count = 0; count < times; count += 1) if (await take('key')) taken += 1;
    return taken;
  };
  expect(await takeMany(40)).toBe(40);
  vi.advanceTimersByTime(59_000);
  expect(await takeMany(100)).toBe(60);
  vi.advanceTimersByTime(999);
  expect(await takeMany(1)).toBe(0);
  vi.advanceTimersByTime(1);
  expect(await takeMany(100)).toBe(40);
  vi.advanceTimersByTime(58_999);
  expect(await takeMany(1)).toBe(0);
  vi.advanceTimersByTime(1);
  expect(await takeMany(100)).toBe(60);
});

const waits = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40_000 })), { maxLength: 120 });

it('decides like a list of all times, for any times', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 7 }), waits, async (limit, waitsMs) => {
      const take = createSlidingWindow({ limit, windowSeconds: 60 });
      const takeNaively = createNaiveWindow(limit);
      for (const waitMs of waitsMs) {
        vi.advanceTimersByTime(waitMs);
        expect(await take('key')).toBe(takeNaively());
      }
    }),
    { numRuns: 60 },
  );
});
