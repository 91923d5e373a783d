import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StartPace, startWaitMs } from './start-pace.ts';

describe('startWaitMs', () => {
  it.each([
    ['nothing was given', 0, 0, 0],
    ['the player has little', 300, 0, 0],
    ['the player has enough', 800, 0, 100],
    ['time has passed since', 800, 60, 40],
    ['the audio is due', 800, 130, 0],
    ['the player has much', 60_000, 0, 300],
    ['the start is over', 60_000, 300, 0],
  ])('where %s: %i ms of audio after %i ms wait %i ms', (_, givenMs, elapsedMs, expected) => {
    expect(startWaitMs(givenMs, elapsedMs)).toBe(expected);
  });

  it('never lets audio run out, nor slows a turn down by more than its start', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 50 }),
        (blocksMs) => {
          let elapsedMs = 0;
          let givenMs = 0;
          for (const blockMs of blocksMs) {
            elapsedMs += startWaitMs(givenMs, elapsedMs);
            if (givenMs > 0) expect(elapsedMs).toBeLessThan(givenMs);
            givenMs += blockMs;
          }
          expect(elapsedMs).toBeLessThanOrEqual(300);
        },
      ),
    );
  });
});

describe('StartPace', () => {
  const { signal } = new AbortController();

  it('waits from the first block of a turn on, and counts it', async () => {
    const fromMs = performance.now();
    const pace = new StartPace();
    await pace.give(300, signal);
    expect(pace.waitedMs).toBe(0);
    await pace.give(500, signal);
    const third = pace.give(100, signal);
    const askedMs = performance.now() - fromMs;
    await third;
    // Timers may be a millisecond early.
    expect(performance.now() - fromMs).toBeGreaterThan(98);
    expect(pace.waitedMs).toBeGreaterThan(98 - askedMs);
    expect(pace.waitedMs).toBeLessThan(performance.now() - fromMs);
  });

  it('stops waiting at an abort', async () => {
    const pace = new StartPace();
    await pace.give(60_000, signal);
    const controller = new AbortController();
    const waiting = pace.give(100, controller.signal);
    await setImmediate();
    controller.abort(new Error('barge-in'));
    await expect(waiting).rejects.toThrow('barge-in');
    expect(pace.waitedMs).toBe(0);
  });
});
