import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

export interface WindowLimit {
  /** Limit within any window of `windowSeconds`. */
  limit: number;
  windowSeconds: number;
}

/** Counts one of a key; false where the window is full. Rejects with `StateUnavailable`. */
export type SlidingWindow = (key: string) => Promise<boolean>;

/** Waits for a limiter of the library, which rejects with its result where the limit is reached. */
export async function isAdmitted(consumed: Promise<unknown>): Promise<boolean> {
  try {
    await consumed;
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}

/**
 * An exact sliding window on a library with fixed windows, which would admit twice the limit around a window's end.
 * Every key has `limit` places. Each place has its own window, in which it can be taken once. Places form a ring, so the
 * first candidate is the one taken longest ago. Others can be free only where two requests try the same one.
 */
export function createSlidingWindow({ limit, windowSeconds }: WindowLimit): SlidingWindow {
  const limiter = new RateLimiterMemory({ keyPrefix: '', points: 1, duration: windowSeconds });
  /** Next place of each key. */
  const next = new Map<string, number>();
  return async (key) => {
    const from = next.get(key) ?? 0;
    for (let tried = 0; tried < limit; tried += 1) {
      const place = (from + tried) % limit;
      if (await isAdmitted(limiter.consume(`${place}:${key}`))) {
        next.set(key, (place + 1) % limit);
        return true;
      }
    }
    return false;
  };
}
