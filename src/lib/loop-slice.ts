/** Work of all tasks in one turn of the event loop, after which sockets and timers run. */
const SLICE_MS = 8;
/** The turns of the loop themselves would take longer than a shorter slice. */
const LEAST_SLICE_MS = 1;

/** When the slice of this turn is over; null before any work of the turn. */
let untilMs: number | null = null;
const waiting: (() => void)[] = [];

/**
 * Bounds how long work holds the event loop of the server. Call it between steps that take less than a millisecond.
 *
 * The slice belongs to the turn of the loop, so that many tasks at once hold it no longer than one. Once it is over, one
 * waiting task a turn goes on, in the order of their waiting. The more tasks wait, the shorter are their slices, because a
 * client with many tasks would otherwise hold up the one task of another client.
 * @returns undefined while the slice lasts, otherwise a promise to wait for
 */
export function yieldIfLong(): Promise<void> | undefined {
  const nowMs = performance.now();
  if (untilMs === null) begin(nowMs);
  else if (nowMs >= untilMs) return new Promise((resolve) => waiting.push(resolve));
  return undefined;
}

function begin(nowMs: number): void {
  untilMs = nowMs + Math.max(LEAST_SLICE_MS, SLICE_MS / (1 + waiting.length));
  setImmediate(() => {
    untilMs = null;
    const next = waiting.shift();
    if (!next) return;
    begin(performance.now());
    next();
  });
}
