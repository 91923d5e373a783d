import { bearerIn, type Keys } from '../keys.ts';
import { callerOf, RETRY_AFTER, Refused, type RestContext } from '../rest.ts';
import { digestOf } from '../state/digest.ts';
import type { Peer } from '../state/shares.ts';

/** An error in the vendor's form (`facts 7`). */
export const refusal = (status: number, error: string): Refused => new Refused(status, { error });

/** A refusal of a client that may come again soon. */
export const busy = (status: number, error: string): Refused => new Refused(status, { error }, RETRY_AFTER);

/** The key of a request; empty without one. */
export const bearerOf = (c: RestContext): string => bearerIn(c.env.incoming.headers) ?? '';

/** Who calls. */
export function callerIn(c: RestContext, keys: Keys): Peer {
  const key = bearerOf(c);
  return callerOf(c, { name: digestOf(key), isShared: keys.isShared(key) });
}
