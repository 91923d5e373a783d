import type { Clock } from '#lib/clock.ts';

/** Lets other tasks of the thread run. Throws once the task is cancelled. @param done from 0 to 1 */
export type Breathe = (done: number) => Promise<void>;

export interface BreatherOptions {
  environment: Clock;
  /** Reports progress now and then, from 0 to 1. */
  progressed: (done: number) => void;
  signal: AbortSignal;
}

/** Length of a slice, after which recording and other calls run. */
const SLICE_MS = 15;

export function breather({ environment, progressed, signal }: BreatherOptions): Breathe {
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
