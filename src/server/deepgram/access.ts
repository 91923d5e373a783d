import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isScheme, type Scheme } from '#protocol/deepgram/wire/keys.ts';
import { remoteOf } from '../origin.ts';
import type { KeyAccount, KeyAccounts, Lease } from '../state/key-accounts.ts';
import { refusal } from './errors.ts';

/** Sockets and calls at a time, pay as you go (`facts-deepgram 6.5`). */
const PLACES = { 'aura-sockets': 45, 'flux-sockets': 45, calls: 15 } as const;

const REFUSALS = {
  noCredits: () => refusal(402, 'Project does not have enough credits for this request.'),
  rateLimited: () => refusal(429, 'Please try again later.'),
  busy: () => refusal(503, 'The service is overloaded. Please try again later.'),
} as const;

/** Access by the keys of `contract.md`, and by tokens of `/v1/auth/grant` until they expire. */
export function createDeepgramAccess(accounts: KeyAccounts) {
  /** Throws the refusal of a key or a token. */
  const accountIn = async (headers: IncomingHttpHeaders): Promise<KeyAccount> => {
    const { scheme, secret } = credentialsIn(headers);
    const found = scheme === 'bearer' ? await accounts.ofToken(secret) : accounts.of(secret);
    if (found) return found;
    throw refusal(401, 'Invalid credentials.', 'INVALID_AUTH');
  };

  return {
    accountIn,

    /** Throws the refusal of what the account does not pay for, or of one too many at a time. */
    async admit(account: KeyAccount, kind: keyof typeof PLACES): Promise<Lease> {
      const admission = await accounts.admit(account, kind, PLACES[kind]);
      if (typeof admission === 'string') throw REFUSALS[admission]();
      return admission;
    },

    /** A token for an account whose key was shown: a token makes no other one (`facts-deepgram 1.2.5`, 1.2.6). */
    async grant(
      { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
      seconds: number,
    ): Promise<string> {
      const account = await accountIn(headers);
      if (credentialsIn(headers).scheme === 'bearer')
        throw refusal(403, 'Insufficient permissions.', 'FORBIDDEN');
      return accounts.grant(account, seconds * 1000, remoteOf({ socket }));
    },
  };
}

/** Of the header, or of the subprotocols that a browser offers (`facts-deepgram 1.2`). Empty without any. */
export function credentialsIn(headers: IncomingHttpHeaders): { scheme: Scheme; secret: string } {
  const { authorization = '', 'sec-websocket-protocol': offered = '' } = headers;
  const [word = '', secret = ''] =
    authorization === '' ? offered.split(',').map((each) => each.trim()) : authorization.trim().split(/\s+/);
  return isScheme(word) ? { scheme: word.toLowerCase() as Scheme, secret } : { scheme: 'token', secret: '' };
}
