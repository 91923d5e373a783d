import type { SocketLimits } from '../environment.ts';
import type { Places, WantedPlace } from './state.ts';

/** Further places that other programs cannot fill. A program may imitate a page, so there are few. */
const OF_OWN_PAGES = 20;

/** Places that a client holds. */
export interface HeldPlaces {
  wanted: readonly WantedPlace[];
  leave(): void;
}

/** Takes a place of the address, of the key (null: counted for none) and of all. A page of the server has further ones. */
export async function takePlaces(
  kind: 'sockets' | 'calls',
  { address, key, isOwnPage }: { address: string; key: string | null; isOwnPage: boolean },
  { sockets, socketsOfOne }: SocketLimits,
  take: Places['take'],
): Promise<HeldPlaces | { full: WantedPlace }> {
  const ordinary = [
    { kind: `${kind}-of-address`, name: address, limit: socketsOfOne },
    ...(key === null ? [] : [{ kind: `${kind}-of-key`, name: key, limit: socketsOfOne }]),
    { kind, name: '', limit: sockets },
  ];
  const taken = await take(ordinary);
  if ('leave' in taken) return { wanted: ordinary, leave: taken.leave };
  if (!isOwnPage) return taken;
  const wanted = [{ kind: `${kind}-of-own-pages`, name: '', limit: OF_OWN_PAGES }];
  const own = await take(wanted);
  return 'leave' in own ? { wanted, leave: own.leave } : taken;
}
