import type { Sums } from '../state.ts';
import type { RedisLink, RunCommands } from './redis-link.ts';
import { redisKey } from './redis-names.ts';

interface Addition {
  amount: number;
  untilMs: number;
}

export interface RedisSums extends Sums {
  /** Adds what waits. An addition whose answer was lost is not repeated, because it may have been made. */
  send(run: RunCommands): Promise<void>;
}

/** Sums of all servers, and those of this one that wait for Redis. */
export function createRedisSums(link: RedisLink): RedisSums {
  const waiting = new Map<string, Addition>();
  /** Last known sums of all servers, for the time without Redis. */
  const known = new Map<string, Addition>();
  const keyOf = (name: string) => redisKey('sums', name);

  const send = async (run: RunCommands) => {
    const additions = [...waiting];
    waiting.clear();
    await Promise.all(
      additions.map(async ([name, { amount, untilMs }]) => {
        const sum = await run((redis) => redis.addToSum(keyOf(name), amount, untilMs));
        known.set(name, { amount: sum, untilMs });
      }),
    );
  };

  return {
    send,
    add(name, amount, untilMs) {
      // A name has one time, so that later times are those of other names.
      for (const [other, each] of known) if (each.untilMs < untilMs) known.delete(other);
      waiting.set(name, { amount: (waiting.get(name)?.amount ?? 0) + amount, untilMs });
      if (link.isUp()) send(link.run).catch(() => {});
    },
    async of(name) {
      const stored = await link
        .run((redis) => redis.get(keyOf(name)))
        .then(Number, () => known.get(name)?.amount ?? 0);
      return stored + (waiting.get(name)?.amount ?? 0);
    },
  };
}
