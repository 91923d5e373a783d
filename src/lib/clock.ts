import { wallMs } from './wall-clock.ts';

/** Time as timer rules see it, so that tests run them on a clock of their own. */
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
