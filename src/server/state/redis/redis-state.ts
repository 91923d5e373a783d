import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { Log } from '../../log.ts';
import { digestOf } from '../digest.ts';
import { isAdmitted } from '../sliding-window.ts';
import type { SharedState } from '../state.ts';
import { openRedisDocuments } from './redis-documents.ts';
import { openRedisLink, type WatchRedis } from './redis-link.ts';
import { redisKey } from './redis-names.ts';
import { createRedisNotes } from './redis-notes.ts';
import { createRedisPlaces, RENEW_EVERY_MS } from './redis-places.ts';
import { defineScripts, SLIDING_WINDOW } from './redis-scripts.ts';
import { createRedisSums } from './redis-sums.ts';

/** Names of documents that were changed. */
const CHANNEL = redisKey('changed');

interface Options {
  url: URL;
  log: Log;
  /** Receives the duration of every exchange. */
  watch?: WatchRedis;
}

/** State of all servers that name the same Redis. @throws StartError */
export async function openRedisState({ url, log, watch = () => {} }: Options): Promise<SharedState> {
  const link = await openRedisLink({ url, channel: CHANNEL, log, watch });
  defineScripts(link.client);
  const places = createRedisPlaces(link);
  const sums = createRedisSums(link);
  const documents = await openRedisDocuments({ link, log, channel: CHANNEL });
  const refresh = () => documents.refresh().catch(() => {});
  link.onMessage(() => void refresh());
  link.onReturn(async (run) => {
    await places.renew(run);
    await sums.send(run);
    await documents.refresh(run);
  });
  // Also notices that Redis hangs while nobody needs it.
  const heartbeat = setInterval(() => {
    places.renew(link.run).catch(() => {});
    void refresh();
  }, RENEW_EVERY_MS);

  return {
    places,
    sums,
    notes: (kind) => createRedisNotes(link, kind),
    slidingWindow(name, { limit, windowSeconds }) {
      const limiter = new RateLimiterRedis({
        storeClient: link.client,
        keyPrefix: redisKey(`windows:${name}`),
        points: limit,
        duration: windowSeconds,
        customIncrTtlLuaScript: SLIDING_WINDOW,
      });
      return (key) => isAdmitted(link.run(() => limiter.consume(digestOf(key))));
    },
    document: documents.open,
    refresh,
    problem: () => (link.isUp() ? null : 'Redis cannot be reached'),
    async close() {
      clearInterval(heartbeat);
      await link.close();
    },
  };
}
