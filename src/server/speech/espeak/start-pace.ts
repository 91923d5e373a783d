/** Audio that a player may want at once. */
const AT_ONCE_MS = 300;
/** From the first audio on, so that a long text is not slowed down. */
const START_MS = 500;
const TIMES_REAL_TIME = 5;

/**
 * Returns how long the next block of streamed speech waits, in ms. While a player starts, it gets audio only a few times
 * faster than it plays. More would take the processor from a player on the same machine.
 * @param givenMs audio before the block
 * @param elapsedMs since the first block
 */
export function startPause(givenMs: number, elapsedMs: number): number {
  const dueMs = Math.min(START_MS, (givenMs - AT_ONCE_MS) / TIMES_REAL_TIME);
  return Math.max(0, dueMs - elapsedMs);
}
