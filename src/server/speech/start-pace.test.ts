import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFakeClock } from '../fake-clock.test-helper.ts';
import { StartPace } from './start-pace.ts';

const { signal } = new AbortController();

it.each([
  ['the player has little', 300, 0, 0],
  ['the player has enough', 800, 0, 100],
  ['time has passed since', 800, 60, 40],
  ['the audio is due', 800, 130, 0],
  ['the player has much', 60_000, 0, 300],
  ['the start is over', 60_000, 300, 0],
])(
  'where %s: a block behind %i ms of audio, after %i ms, waits %i ms',
  async (_, givenMs, afterMs, waitMs) => {
    const clock = createFakeClock();
    const pace = new StartPace(clock);
    await pace.give(givenMs, signal);
    expect(pace.waitedMs).toBe(0);
    await clock.advance(afterMs);
    let isGiven = false;
    const given = pace.give(100, signal).then(() => {
      isGiven = true;
    });
    await clock.advance(waitMs - 1);
    expect(isGiven).toBe(waitMs === 0);
    await clock.advance(1);
    await given;
    expect(pace.waitedMs).toBe(waitMs);
  },
);

it('never lets audio run out, nor slows a turn down by more than its start', async () => {
  const blocks = fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(blocks, async (blocksMs) => {
      let nowMs = 0;
      let givenMs = 0;
      const pace = new StartPace({
        nowMs: () => nowMs,
        after(delayMs, task) {
          nowMs += delayMs;
          queueMicrotask(task);
          return () => {};
        },
      });
      for (const blockMs of blocksMs) {
        await pace.give(blockMs, signal);
        if (givenMs > 0) expect(nowMs).toBeLessThan(givenMs);
        givenMs += blockMs;
      }
      expect(nowMs).toBeLessThanOrEqual(300);
      expect(pace.waitedMs).toBeCloseTo(nowMs);
    }),
  );
});

it('stops waiting at an abort, and does not begin after one', async () => {
  const clock = createFakeClock();
  const pace = new StartPace(clock);
  await pace.give(60_000, signal);
  const controller = new AbortController();
  const waiting = pace.give(100, controller.signal);
  controller.abort(new Error('barge-in'));
  await expect(waiting).rejects.toThrow('barge-in');
  await expect(pace.give(100, controller.signal)).rejects.toThrow('barge-in');
  expect([pace.waitedMs, clock.timers]).toEqual([0, 0]);
});
