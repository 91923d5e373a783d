import type { IncomingMessage } from 'node:http';
import type { SocketLimits } from '../environment.ts';
import { isOwnPage, remoteOf } from '../origin.ts';
import type { Places, WantedPlace } from './state.ts';

/** Further places that other programs cannot fill. A program may imitate a page, so there are few. */
const OF_OWN_PAGES = 20;

/** Places that a client holds. */
export interface HeldPlaces {
  wanted: readonly WantedPlace[];
  leave(): void;
}

/**
 * Takes a place of the address, of the key (null: counted for none) and of all. A page of the server has further ones.
 * @param makeRoom frees such a place where all are full, and returns whether it could
 */
export async function takePlaces(
  kind: 'sockets' | 'calls',
  { request, key }: { request: IncomingMessage; key: string | null },
  { sockets, socketsOfOne }: SocketLimits,
  places: Pick<Places, 'take'>,
  makeRoom: (full: WantedPlace) => boolean = () => false,
): Promise<HeldPlaces | { full: WantedPlace }> {
  const ordinary: readonly WantedPlace[] = [
    { kind: `${kind}-of-address`, name: remoteOf(request), limit: socketsOfOne },
    ...(key === null ? [] : [{ kind: `${kind}-of-key`, name: key, limit: socketsOfOne }]),
    { kind, name: '', limit: sockets },
  ];
  const further: readonly WantedPlace[] = [{ kind: `${kind}-of-own-pages`, name: '', limit: OF_OWN_PAGES }];
  const isPage = isOwnPage(request.headers);
  for (;;) {
    const taken = await places.take(ordinary);
    if ('leave' in taken) return { wanted: ordinary, leave: taken.leave };
    const own = isPage ? await places.take(further) : taken;
    if ('leave' in own) return { wanted: further, leave: own.leave };
    if (!makeRoom(taken.full) && !(isPage && makeRoom(own.full))) return taken;
  }
}
