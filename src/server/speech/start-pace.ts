import { type Clock, systemClock } from '#lib/clock.ts';

/** Audio that a player may want at once. */
const AT_ONCE_MS = 300;
/** From the first audio on, so that a long text is not slowed down. */
const START_MS = 300;
const TIMES_REAL_TIME = 5;

/**
 * Returns how long the next block waits, in ms.
 * @param givenMs audio before the block
 * @param elapsedMs since the first block
 */
function startWaitMs(givenMs: number, elapsedMs: number): number {
  const dueMs = Math.min(START_MS, (givenMs - AT_ONCE_MS) / TIMES_REAL_TIME);
  return Math.max(0, dueMs - elapsedMs);
}

/**
 * The pace of a turn at its start: while a player begins to play, it gets audio only a few times faster than it plays. More
 * would take the processor from a player on the same machine.
 */
export class StartPace {
  readonly #clock: Clock;
  #firstMs: number | undefined;
  #givenMs = 0;
  #waitedMs = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** Waiting so far, which is no time of generation. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** Waits until a block of this length may be given out. Throws the reason of the signal after an abort. */
  async give(blockMs: number, signal: AbortSignal): Promise<void> {
    const fromMs = this.#clock.nowMs();
    this.#firstMs ??= fromMs;
    const waitMs = startWaitMs(this.#givenMs, fromMs - this.#firstMs);
    this.#givenMs += blockMs;
    if (waitMs === 0) return;
    await sleep(this.#clock, waitMs, signal);
    this.#waitedMs += this.#clock.nowMs() - fromMs;
  }
}

/** Resolves after this time. Rejects with the reason of the signal after an abort. */
async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      stop();
      reject(signal.reason);
    };
    const stop = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
