import type { Clock } from '#lib/clock.ts';
import type { ErrorName } from '#protocol/cartesia/wire/errors.ts';
import type { Keys } from '../keys.ts';
import { type Admission, type KeyAccount, KeyAccounts, type Lease } from '../state/key-accounts.ts';
import type { SharedState } from '../state/state.ts';
import { type Call, credentialIn, refusal } from './calls.ts';

/** Contexts and calls at a time on the free plan, and sockets for each of them (`facts-cartesia`, Q3, Q4). */
const CONTEXTS = 2;
const PLACES = { contexts: CONTEXTS, sockets: 10 * CONTEXTS } as const;

/** Of keys that are refused at the handshake and in calls that speak (A13). */
const REFUSALS: Readonly<Record<Exclude<Admission, Lease>, ErrorName>> = {
  noCredits: 'quota_exceeded',
  rateLimited: 'concurrency_limited',
  busy: 'service_unavailable',
};

export function createCartesiaAccess(options: {
  keys: Keys;
  clock: Clock;
  state: Pick<SharedState, 'notes' | 'places'>;
}) {
  const accounts = new KeyAccounts('cartesia', options);
  return {
    ofKey: (key: string): KeyAccount | null => accounts.of(key),

    /** The account of a key or a token. Throws the refusal of another one. */
    async accountIn(call: Call): Promise<KeyAccount> {
      const credential = credentialIn(call);
      const account = accounts.of(credential) ?? (await accounts.ofToken(credential));
      if (account) return account;
      throw refusal(call, { name: 'unauthorized' });
    },

    /** A token that stands for the key until it expires (H6). */
    token: (account: KeyAccount, forMs: number, address: string): Promise<string> =>
      accounts.grant(account, forMs, address),

    /** Admits a socket, or a context or a call that speaks. */
    async admit(account: KeyAccount, kind: keyof typeof PLACES): Promise<Lease | ErrorName> {
      const admission = await accounts.admit(account, kind, PLACES[kind]);
      return typeof admission === 'string' ? REFUSALS[admission] : admission;
    },
  };
}
