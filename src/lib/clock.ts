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
