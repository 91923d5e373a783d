/** Work of all tasks in one turn of the event loop, after which sockets and timers run. */
const SLICE_MS = 8;

/** When the slice of this turn began; null before any work of the turn. */
let sinceMs: number | null = null;
const waiting: (() => void)[] = [];

/**
 * Bounds how long work holds the event loop of the server. Call it between steps that take less than a millisecond.
 *
 * The slice belongs to the turn of the loop, so that many tasks at once hold it no longer than one. Once it is over, one
 * waiting task a turn goes on, in the order of their waiting.
 * @returns undefined while the slice lasts, otherwise a promise to wait for
 */
export function yieldIfLong(): Promise<void> | undefined {
  const nowMs = performance.now();
  if (sinceMs === null) begin(nowMs);
  else if (nowMs - sinceMs >= SLICE_MS) return new Promise((resolve) => waiting.push(resolve));
  return undefined;
}

function begin(nowMs: number): void {
  sinceMs = nowMs;
  setImmediate(() => {
    sinceMs = null;
    const next = waiting.shift();
    if (!next) return;
    begin(performance.now());
    next();
  });
}
