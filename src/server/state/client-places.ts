import type { SocketLimits } from '../environment.ts';
import type { Places, WantedPlace } from './state.ts';

/** Further places that other programs cannot fill. A program may imitate a page, so there are few. */
const OF_OWN_PAGES = 20;

interface Client {
  address: string;
  /** Null for a client without one, or with one that everybody shares. */
  key: string | null;
  isOwnPage: boolean;
}

/** Places that a client holds. */
export interface HeldPlaces {
  wanted: readonly WantedPlace[];
  leave(): void;
}

/** Takes a place of the address, of the key and of all. A page of the server has further ones. */
export async function takePlaces(
  kind: 'sockets' | 'calls',
  { address, key, isOwnPage }: Client,
  { sockets, socketsOfOne }: SocketLimits,
  take: Places['take'],
): Promise<HeldPlaces | { full: WantedPlace }> {
  const held = async (wanted: readonly WantedPlace[]) => {
    const taken = await take(wanted);
    return 'leave' in taken ? { wanted, leave: taken.leave } : taken;
  };
  const ordinary = await held([
    { kind: `${kind}-of-address`, name: address, limit: socketsOfOne },
    ...(key === null ? [] : [{ kind: `${kind}-of-key`, name: key, limit: socketsOfOne }]),
    { kind, name: '', limit: sockets },
  ]);
  if ('leave' in ordinary || !isOwnPage) return ordinary;
  const own = await held([{ kind: `${kind}-of-own-pages`, name: '', limit: OF_OWN_PAGES }]);
  return 'leave' in own ? own : ordinary;
}
