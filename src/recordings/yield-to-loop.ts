import type { Clock } from '#lib/clock.ts';

/** Yields to the event loop, at most once a slice. Throws once the task is cancelled. @param done progress from 0 to 1 */
export type YieldToLoop = (done: number) => Promise<void>;

export interface YielderOptions {
  environment: Clock;
  /** Reports progress after each slice, from 0 to 1. */
  progressed: (done: number) => void;
  signal: AbortSignal;
}

/** Length of a slice of work, after which recording and other calls run. */
const SLICE_MS = 15;

export function loopYielder({ environment, progressed, signal }: YielderOptions): YieldToLoop {
  let sinceMs = environment.nowMs();
  return async (done) => {
    signal.throwIfAborted();
    if (environment.nowMs() - sinceMs < SLICE_MS) return;
    progressed(done);
    await new Promise<void>((resolve) => environment.after(0, resolve));
    sinceMs = environment.nowMs();
    signal.throwIfAborted();
  };
}
