import { readFileSync } from 'node:fs';

const TICK_MS = 5;
/** Processor time of the calling thread, in ns (Linux). */
const OWN_TIME = '/proc/thread-self/schedstat';

/** Returns processor time of this thread in ms; NaN where the system does not tell. */
function threadMs(): number {
  try {
    return Number(readFileSync(OWN_TIME, 'latin1').split(' ', 1)[0]) / 1e6;
  } catch {
    return Number.NaN;
  }
}

/**
 * Measures turns of this thread's event loop from now on, in processor time, which a busy machine does not lengthen.
 * The returned function gives the longest since its last call, in ms; NaN where the system does not tell.
 */
export function watchTurns(): () => number {
  let longestMs = 0;
  let lastMs = threadMs();
  setInterval(() => {
    const nowMs = threadMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  }, TICK_MS).unref();
  return () => {
    const ms = longestMs;
    longestMs = 0;
    lastMs = threadMs();
    return ms;
  };
}
