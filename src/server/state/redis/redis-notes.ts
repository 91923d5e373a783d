import type { Peer } from '../shares.ts';
import type { Notes } from '../state.ts';
import type { RedisLink } from './redis-link.ts';
import { redisKey } from './redis-names.ts';

/** Time for which notes are kept. */
const NOTE_SECONDS = 7 * 24 * 60 * 60;
/** Of one kind and one name of a peer, the oldest forgotten. */
const MAX_OF_ONE = 1000;

/** Notes of all servers, of which no peer can make another one's forgotten. */
export function createRedisNotes(link: RedisLink, kind: string): Notes {
  const keyOf = (name: string) => redisKey(`notes:${kind}`, name);
  const ofPeer = (name: string) => redisKey(`notes-of:${kind}`, name);
  return {
    async keep(name, text, peer: Peer) {
      await link.run((redis) =>
        redis.keepNote(1 + peer.length, keyOf(name), ...peer.map(ofPeer), text, NOTE_SECONDS, MAX_OF_ONE),
      );
    },
    find: (name) =>
      link
        .run((redis) => redis.get(keyOf(name)))
        .then(
          (text) => text ?? undefined,
          () => undefined,
        ),
    take: (name) =>
      link
        .run((redis) => redis.takeNote(keyOf(name)))
        .then(
          (text) => text ?? undefined,
          () => undefined,
        ),
  };
}
