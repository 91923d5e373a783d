import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Waiting } from './waiting.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a wait ends at the first check at which its condition holds', async () => {
  const waiting = new Waiting();
  let there = false;
  const reached = waiting.until(() => there, { stalledAfterMs: 100 });
  there = true;
  waiting.check();
  expect(await reached).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('a wait stalls after its limit without progress', async () => {
  const waiting = new Waiting();
  let step = 0;
  const reached = waiting.until(() => false, { stalledAfterMs: 100, progress: () => String(step) });
  let settled = false;
  void reached.then(() => {
    settled = true;
  });
  await vi.advanceTimersByTimeAsync(90);
  step = 1;
  waiting.check();
  await vi.advanceTimersByTimeAsync(90);
  // A change that is no progress does not count.
  waiting.check();
  expect(settled).toBe(false);
  await vi.advanceTimersByTimeAsync(10);
  expect(await reached).toBe(false);
});

test('an abort rejects a wait with its reason, also a wait that begins later', async () => {
  const waiting = new Waiting();
  const abort = new AbortController();
  const wait = waiting.until(() => false, { stalledAfterMs: 100, signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(wait).rejects.toThrow('enough');
  const late = waiting.until(() => true, { stalledAfterMs: 100, signal: abort.signal });
  await expect(late).rejects.toThrow('enough');
  expect(vi.getTimerCount()).toBe(0);
});

test('`dispose` rejects present and later waits', async () => {
  const waiting = new Waiting();
  const wait = waiting.until(() => false, { stalledAfterMs: 100 });
  waiting.dispose(new Error('closed'));
  await expect(wait).rejects.toThrow('closed');
  await expect(waiting.until(() => true, { stalledAfterMs: 100 })).rejects.toThrow('closed');
});
