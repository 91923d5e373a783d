import { wallMs } from './wall-clock.ts';

/** The clock of timer rules, which tests replace. */
export interface Clock {
  /** Wall clock in ms since 1970, with fractions; never goes back. */
  nowMs(): number;
  /** Runs a task once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: wallMs,
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Returns the value of a promise; null after the time. */
export async function within<T>(
  clock: Pick<Clock, 'after'>,
  timeMs: number,
  promise: Promise<T>,
): Promise<T | null> {
  let stopTimer = () => {};
  const timeOut = new Promise<null>((resolve) => {
    stopTimer = clock.after(timeMs, () => resolve(null));
  });
  return await Promise.race([promise, timeOut]).finally(stopTimer);
}
