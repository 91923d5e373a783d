import type { Clock } from '#lib/clock.ts';

/** A clock that only a test moves. */
export interface FakeClock extends Clock {
  /** Number of timers that may still run. */
  readonly timers: number;
  /** Moves on, runs what falls due in order, and lets what that set off settle after each. */
  advance(byMs: number): Promise<void>;
  /** A task that runs takes this long. Runs nothing. */
  spend(ms: number): void;
}

/** Everything that waits on promises and immediates alone has happened. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
}

export function createFakeClock(): FakeClock {
  let nowMs = 0;
  let due: { atMs: number; run: () => void }[] = [];
  return {
    get timers() {
      return due.length;
    },
    nowMs: () => nowMs,
    after(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run };
      due.push(timer);
      return () => {
        due = due.filter((other) => other !== timer);
      };
    },
    async advance(byMs) {
      const untilMs = nowMs + byMs;
      await settle();
      for (;;) {
        const next = due.reduce<(typeof due)[number] | undefined>(
          (first, timer) => (timer.atMs <= untilMs && (!first || timer.atMs < first.atMs) ? timer : first),
          undefined,
        );
        if (!next) break;
        due = due.filter((timer) => timer !== next);
        nowMs = Math.max(nowMs, next.atMs);
        next.run();
        await settle();
      }
      nowMs = Math.max(nowMs, untilMs);
    },
    spend(ms) {
      nowMs += ms;
    },
  };
}
