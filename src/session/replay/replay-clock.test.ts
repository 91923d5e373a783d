import { describe, expect, it } from 'vitest';
import { World } from '../testing/world.ts';
import { ReplayClock } from './replay-clock.ts';

describe('the time of a replay', () => {
  it('stands still before it runs and while it is paused', () => {
    const wall = new World();
    const clock = new ReplayClock(wall.environment);
    const rung: number[] = [];
    clock.after(100, () => rung.push(clock.nowMs()));
    wall.advance(1000);
    expect(clock.nowMs()).toBe(0);
    clock.run(true);
    wall.advance(60);
    clock.run(false);
    wall.advance(1000);
    expect(clock.nowMs()).toBe(60);
    expect(rung).toEqual([]);
    clock.run(true);
    wall.advance(40);
    expect(rung).toEqual([100]);
  });

  it.each([0.25, 1, 8])('runs at %s times the speed, and so do its timers', (speed) => {
    const wall = new World();
    const clock = new ReplayClock(wall.environment);
    const rung: number[] = [];
    clock.setSpeed(speed);
    clock.run(true);
    clock.after(80, () => rung.push(clock.nowMs()));
    wall.advance(80 / speed - 0.01);
    expect(rung).toEqual([]);
    wall.advance(0.01);
    expect(rung).toEqual([80]);
  });

  it('keeps timers in their order over a change of speed, and drops those that are called off or after its end', () => {
    const wall = new World();
    const clock = new ReplayClock(wall.environment);
    const timers = wall.timers;
    const rung: string[] = [];
    clock.run(true);
    for (const [ms, name] of [
      [100, 'b'],
      [50, 'a'],
      [300, 'after the end'],
    ] as const)
      clock.after(ms, () => rung.push(name));
    clock.after(10, () => rung.push('called off'))();
    wall.advance(40);
    clock.setSpeed(4);
    wall.advance(2.5);
    expect(rung).toEqual(['a']);
    wall.advance(12.5);
    expect(rung).toEqual(['a', 'b']);
    clock.end();
    expect(wall.timers).toBeLessThanOrEqual(timers);
    wall.advance(100);
    expect(rung).toEqual(['a', 'b']);
  });

  it('runs all timers on the way when it is set forward, and never goes back', () => {
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
});
