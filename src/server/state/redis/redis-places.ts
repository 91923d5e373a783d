import { randomUUID } from 'node:crypto';
import type { Places } from '../state.ts';
import type { RedisLink, RunCommands } from './redis-link.ts';
import { redisKey } from './redis-names.ts';

/** Places of a process that crashed, hangs or cannot reach Redis are free again after this time. */
const LEASE_MS = 10_000;
/** Several renewals may fail before a lease ends. */
export const RENEW_EVERY_MS = 3000;

/** Places in one command, so that Redis answers others in between. */
const RENEWED_AT_ONCE = 1000;

export interface RedisPlaces extends Places {
  /** Renews the leases of all places of this process. */
  renew(run: RunCommands): Promise<void>;
}

/** Places of the sessions of all servers: sets of leases in Redis. */
export function createRedisPlaces(link: RedisLink): RedisPlaces {
  const process = randomUUID();
  /** Places of this process by set. */
  const held = new Map<string, Set<string>>();
  let count = 0;

  function hold(keys: readonly string[], place: string): void {
    for (const key of keys) held.set(key, (held.get(key) ?? new Set()).add(place));
  }

  function leave(keys: readonly string[], place: string): void {
    for (const key of keys) {
      const places = held.get(key);
      if (places?.delete(place) && places.size === 0) held.delete(key);
    }
    // Where Redis is away, the lease ends by itself.
    link.run((redis) => Promise.all(keys.map((key) => redis.zrem(key, place)))).catch(() => {});
  }

  return {
    async take(wanted) {
      count += 1;
      const place = `${process}:${count}`;
      const keys = wanted.map(({ kind, name }) => redisKey(`places:${kind}`, name));
      const limits = wanted.map(({ limit }) => limit);
      const [fullAt, taken] = await link.run((redis) =>
        redis.takePlaces(keys.length, ...keys, place, LEASE_MS, ...limits),
      );
      const full = wanted[fullAt - 1];
      if (full) return { full, taken };
      hold(keys, place);
      let hasLeft = false;
      return {
        taken,
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          leave(keys, place);
        },
      };
    },
    async renew(run) {
      for (const [key, places] of [...held]) {
        const all = [...places];
        for (let at = 0; at < all.length; at += RENEWED_AT_ONCE) {
          const some = all.slice(at, at + RENEWED_AT_ONCE);
          await run((redis) => redis.renewPlaces(key, LEASE_MS, ...some));
        }
      }
    },
  };
}
