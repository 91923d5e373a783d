import { describe, expect, it, vi } from 'vitest';
import { PaintScheduler } from './paint-scheduler.ts';

function scheduler() {
  const frames: (() => void)[] = [];
  let nowMs = 0;
  const paint = new PaintScheduler(
    (callback) => frames.push(callback),
    () => nowMs,
  );
  const frame = () => {
    nowMs += 16;
    frames.shift()?.();
  };
  const wait = (ms: number) => {
    for (const endMs = nowMs + ms; nowMs < endMs; ) {
      nowMs += 1;
      vi.advanceTimersByTime(1);
    }
  };
  return { paint, frame, wait, pending: () => frames.length };
}

describe('PaintScheduler', () => {
  it('runs one frame for many requests', () => {
    const { paint, pending } = scheduler();
    paint.request();
    paint.request();
    expect(pending()).toBe(1);
  });

  it('runs no frame while no painter wants more', () => {
    const { paint, frame, pending } = scheduler();
    const calls: number[] = [];
    paint.add((nowMs) => {
      calls.push(nowMs);
      return calls.length < 3;
    });
    for (let n = 0; n < 10; n += 1) frame();
    expect(calls).toEqual([16, 32, 48]);
    expect(pending()).toBe(0);
  });

  it('goes on for the others when one has enough', () => {
    const { paint, frame } = scheduler();
    let busy = 0;
    let idle = 0;
    paint.add(() => {
      busy += 1;
      return true;
    });
    paint.add(() => {
      idle += 1;
      return false;
    });
    for (let n = 0; n < 5; n += 1) frame();
    expect([busy, idle]).toEqual([5, 5]);
  });

  it('runs deferred work a moment later, in order, one a frame, and not what was cancelled', () => {
    vi.useFakeTimers();
    const { paint, frame, wait, pending } = scheduler();
    const calls: string[] = [];
    const cancel = ['a', 'b', 'c', 'd'].map((name) => paint.defer(() => calls.push(name)));
    cancel[0]?.();
    expect(pending()).toBe(0);
    wait(100);
    frame();
    expect(calls).toEqual(['b']);
    cancel[3]?.();
    for (let n = 0; n < 3; n += 1) frame();
    expect(calls).toEqual(['b', 'c']);
    expect(pending()).toBe(0);
    vi.useRealTimers();
  });

  it('delays deferred work while a voice begins, also work that waits already', () => {
    vi.useFakeTimers();
    const { paint, frame, wait, pending } = scheduler();
    const calls: string[] = [];
    paint.defer(() => calls.push('before'));
    wait(50);
    paint.voiceBegins();
    const cancel = paint.defer(() => calls.push('cancelled'));
    paint.defer(() => calls.push('after'));
    wait(399);
    expect(pending()).toBe(0);
    cancel();
    wait(1);
    for (let n = 0; n < 3; n += 1) frame();
    expect(calls).toEqual(['before', 'after']);
    vi.useRealTimers();
  });

  it('defers work beside the voices only while one begins', () => {
    vi.useFakeTimers();
    const { paint, frame, wait } = scheduler();
    const calls: string[] = [];
    paint.besideVoices(() => calls.push('quiet'));
    paint.voiceBegins();
    paint.besideVoices(() => calls.push('beside a voice'));
    expect(calls).toEqual(['quiet']);
    // The fake clock is at 0. A picture is painted every 100 ms.
    expect([paint.isForWords(-99), paint.isForWords(-100)]).toEqual([true, false]);
    wait(400);
    expect(paint.isForWords(399)).toBe(false);
    frame();
    expect(calls).toEqual(['quiet', 'beside a voice']);
    vi.useRealTimers();
  });

  it('does not delay deferred work for ever where voices begin all the time', () => {
    vi.useFakeTimers();
    const { paint, wait, pending } = scheduler();
    paint.defer(() => {});
    for (let n = 0; n < 9; n += 1) {
      paint.voiceBegins();
      wait(100);
    }
    expect(pending()).toBe(0);
    paint.voiceBegins();
    wait(100);
    expect(pending()).toBe(1);
    vi.useRealTimers();
  });

  it('does not call a painter that was taken out', () => {
    const { paint, frame } = scheduler();
    let calls = 0;
    const leave = paint.add(() => {
      calls += 1;
      return true;
    });
    frame();
    leave();
    frame();
    expect(calls).toBe(1);
  });
});
