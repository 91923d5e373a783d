import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

interface Options {
  /** So many in any stretch of time of that length, wherever it begins. */
  limit: number;
  windowSeconds: number;
  /**
   * Where counts are kept. Memory by default; several servers that share one count give
   * `(options) => new RateLimiterRedis({ ...options, storeClient })`.
   */
  createLimiter?: (options: { keyPrefix: string; points: 1; duration: number }) => RateLimiterAbstract;
}

/** Takes one for that key, or says that there is none to be had. Rejects where the counts cannot be reached. */
export type SlidingWindow = (key: string) => Promise<boolean>;

/**
 * A window that slides, exactly, out of a library whose own windows are fixed: those begin with the first use and end
 * together, so that twice the limit fits around an end. Here every key has `limit` places, each with a window of its own
 * in which it can be taken once: what was taken comes back one window later, one by one. Places are taken in a ring, so
 * the first one tried is the one that was taken longest ago; others can be free only where servers share the counts.
 */
export function createSlidingWindow({
  limit,
  windowSeconds,
  createLimiter = (options) => new RateLimiterMemory(options),
}: Options): SlidingWindow {
  const limiter = createLimiter({ keyPrefix: 'sliding-window', points: 1, duration: windowSeconds });
  /** Where the ring of each key goes on. */
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
