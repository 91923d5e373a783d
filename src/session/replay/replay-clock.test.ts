import { describe, expect, it } from 'vitest';
import { ReplayClock } from './replay-clock.ts';

/** A wall clock that goes on when it is told to. */
function wall() {
  let nowMs = 1000;
  let timers: { atMs: number; task: () => void }[] = [];
  const environment = {
    nowMs: () => nowMs,
    after(delayMs: number, task: () => void) {
      const timer = { atMs: nowMs + delayMs, task };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  const pass = (ms: number): void => {
    const endMs = nowMs + ms;
    for (;;) {
      const next = timers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs)[0];
      if (!next) break;
      timers = timers.filter((timer) => timer !== next);
      nowMs = Math.max(nowMs, next.atMs);
      next.task();
    }
    nowMs = endMs;
  };
  return { clock: new ReplayClock(environment), pass, count: () => timers.length };
}

describe('the time of a replay', () => {
  it('does not move before it runs and while it is paused', () => {
    const { clock, pass } = wall();
    const rung: number[] = [];
    clock.after(100, () => rung.push(clock.nowMs()));
    pass(1000);
    expect(clock.nowMs()).toBe(0);
    clock.run(true);
    pass(60);
    clock.run(false);
    pass(1000);
    expect(clock.nowMs()).toBe(60);
    expect(rung).toEqual([]);
    clock.run(true);
    pass(40);
    expect(rung).toEqual([100]);
  });

  it.each([0.25, 1, 8])('runs at %s times the speed, and so does what waits', (speed) => {
    const { clock, pass } = wall();
    const rung: number[] = [];
    clock.setSpeed(speed);
    clock.run(true);
    clock.after(80, () => rung.push(clock.nowMs()));
    pass(80 / speed - 0.01);
    expect(rung).toEqual([]);
    pass(0.01);
    expect(rung).toEqual([80]);
  });

  it('keeps what waits in its order when the speed changes in between', () => {
    const { clock, pass } = wall();
    const rung: string[] = [];
    clock.run(true);
    clock.after(100, () => rung.push('b'));
    clock.after(50, () => rung.push('a'));
    pass(40);
    clock.setSpeed(4);
    pass(2.5);
    expect(rung).toEqual(['a']);
    pass(12.5);
    expect(rung).toEqual(['a', 'b']);
  });

  it('is set forward past what is due, which is done on the way, and what that waits for too', () => {
    const { clock } = wall();
    const rung: number[] = [];
    clock.after(10, () => {
      rung.push(clock.nowMs());
      clock.after(20, () => rung.push(clock.nowMs()));
      clock.after(2000, () => rung.push(clock.nowMs()));
    });
    clock.advanceTo(500);
    expect(rung).toEqual([10, 30]);
    expect(clock.nowMs()).toBe(500);
    clock.advanceTo(100);
    expect(clock.nowMs()).toBe(500);
  });

  it('does nothing that was called off, and nothing after its end', () => {
    const { clock, pass, count } = wall();
    const rung: string[] = [];
    clock.run(true);
    clock.after(10, () => rung.push('a'))();
    clock.after(20, () => rung.push('b'));
    pass(15);
    clock.end();
    pass(100);
    expect(rung).toEqual([]);
    expect(count()).toBe(0);
  });
});
