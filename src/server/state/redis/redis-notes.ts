import { digestOf } from '../digest.ts';
import type { Peer } from '../shares.ts';
import { MAX_NOTES, type Notes } from '../state.ts';
import type { RedisLink } from './redis-link.ts';
import { redisKey } from './redis-names.ts';

/** Time for which notes are kept. */
const NOTE_SECONDS = 7 * 24 * 60 * 60;

/** Notes of all servers. Where there are too many, one of the same peer gives way as in `Shares`. */
export function createRedisNotes(link: RedisLink, kind: string): Notes {
  const keyOf = (name: string) => redisKey(`note:${kind}`, name);
  const all = redisKey(`notes:${kind}`);
  return {
    async keep(name, text, peer: Peer) {
      const holder = peer.map((each) => digestOf(each)).join(' ');
      await link.run((redis) => redis.keepNote(keyOf(name), all, text, holder, NOTE_SECONDS, MAX_NOTES));
    },
    find: (name) =>
      link
        .run((redis) => redis.hget(keyOf(name), 'text'))
        .then(
          (text) => text ?? undefined,
          () => undefined,
        ),
    take: (name) =>
      link
        .run((redis) => redis.takeNote(keyOf(name), all))
        .then(
          (text) => text ?? undefined,
          () => undefined,
        ),
  };
}
