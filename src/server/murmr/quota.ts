import type { Clock } from '#lib/clock.ts';
import type { KeyCondition } from '../keys.ts';
import type { Sums } from '../state/state.ts';

/** Characters a month (`facts 7`). */
const FREE_CHARS = 50_000;
const SCALE_CHARS = 10_000_000;

/**
 * Counts the characters that each key has spoken in this month, for the headers of `facts 7`. Nothing is refused by the
 * count, because the Scale plan is charged for more.
 */
export class Quota {
  readonly #clock: Clock;
  readonly #sums: Sums;

  constructor(clock: Clock, sums: Sums) {
    this.#clock = clock;
    this.#sums = sums;
  }

  spend(key: string, characters: number): void {
    const resetMs = this.#resetMs();
    this.#sums.add(sumOf(key, resetMs), characters, resetMs);
  }

  async headersOf(key: string, condition: KeyCondition): Promise<Readonly<Record<string, string>>> {
    const resetMs = this.#resetMs();
    const isFree = condition === 'noCredits';
    const limit = isFree ? FREE_CHARS : SCALE_CHARS;
    const spent = isFree ? FREE_CHARS : await this.#sums.of(sumOf(key, resetMs));
    return {
      'X-RateLimit-Limit': `${limit}`,
      'X-RateLimit-Remaining': `${Math.max(0, limit - spent)}`,
      'X-RateLimit-Reset': new Date(resetMs).toISOString(),
    };
  }

  /** Months begin on the first, UTC (`rate-limits.md`). */
  #resetMs(): number {
    const now = new Date(this.#clock.nowMs());
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  }
}

const sumOf = (key: string, resetMs: number): string => `murmr characters until ${resetMs} of ${key}`;
