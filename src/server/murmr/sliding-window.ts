import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

interface Options {
  /** Limit within any window of `windowSeconds`. */
  limit: number;
  windowSeconds: number;
  /**
   * Store of the counts, memory by default. Servers that share counts pass
   * `(options) => new RateLimiterRedis({ ...options, storeClient })`.
   */
  createLimiter?: (options: { keyPrefix: string; points: 1; duration: number }) => RateLimiterAbstract;
}

/** Takes one place of a key; false if none is free. Rejects when the store fails. */
export type SlidingWindow = (key: string) => Promise<boolean>;

/**
 * An exact sliding window on a library with fixed windows, which would admit twice the limit around a window's end.
 * Every key has `limit` places. Each place has its own window, in which it can be taken once. Places form a ring, so the
 * first candidate is the one taken longest ago. Others can be free only where servers share the counts.
 */
export function createSlidingWindow({
  limit,
  windowSeconds,
  createLimiter = (options) => new RateLimiterMemory(options),
}: Options): SlidingWindow {
  const limiter = createLimiter({ keyPrefix: 'sliding-window', points: 1, duration: windowSeconds });
  /** Next place of each key. */
  const next = new Map<string, number>();

  const take = async (key: string, place: number): Promise<boolean> => {
    try {
      await limiter.consume(`${place}:${key}`);
      return true;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return false;
      throw refusal;
    }
  };

  return async (key) => {
    const from = next.get(key) ?? 0;
    for (let tried = 0; tried < limit; tried += 1) {
      const place = (from + tried) % limit;
      if (await take(key, place)) {
        next.set(key, (place + 1) % limit);
        return true;
      }
    }
    return false;
  };
}
