import type { Clock } from '#lib/clock.ts';
import type { KeyCondition } from '../keys.ts';

/** Characters a month (`facts 7`). */
export const FREE_CHARS = 50_000;
export const SCALE_CHARS = 10_000_000;

/**
 * Counts the characters that each key has spoken in this month, for the headers of `facts 7`. Nothing is refused by the
 * count, because the Scale plan is charged for more.
 */
export class Quota {
  readonly #clock: Clock;
  readonly #spent = new Map<string, number>();
  #resetMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  spend(key: string, characters: number): void {
    this.#beginMonth();
    this.#spent.set(key, (this.#spent.get(key) ?? 0) + characters);
  }

  headersOf(key: string, condition: KeyCondition): Readonly<Record<string, string>> {
    this.#beginMonth();
    const isFree = condition === 'noCredits';
    const limit = isFree ? FREE_CHARS : SCALE_CHARS;
    const spent = isFree ? FREE_CHARS : (this.#spent.get(key) ?? 0);
    return {
      'X-RateLimit-Limit': `${limit}`,
      'X-RateLimit-Remaining': `${Math.max(0, limit - spent)}`,
      'X-RateLimit-Reset': new Date(this.#resetMs).toISOString(),
    };
  }

  /** Months begin on the first, UTC (`rate-limits.md`). */
  #beginMonth(): void {
    const now = new Date(this.#clock.nowMs());
    if (now.getTime() < this.#resetMs) return;
    this.#spent.clear();
    this.#resetMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  }
}
