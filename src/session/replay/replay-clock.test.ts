import { expect, it } from 'vitest';
import { World } from '../testing/world.ts';
import { ReplayClock } from './replay-clock.ts';

it('the clock of a replay runs all timers on the way when it is set forward, and never goes back', () => {
  const clock = new ReplayClock(new World().environment);
  const rung: number[] = [];
  clock.after(10, () => {
    for (const ms of [0, 20, 2000]) clock.after(ms, () => rung.push(clock.nowMs()));
  });
  clock.advanceTo(500);
  expect(rung).toEqual([10, 30]);
  clock.advanceTo(100);
  expect(clock.nowMs()).toBe(500);
});
