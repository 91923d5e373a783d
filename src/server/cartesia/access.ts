import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '#lib/clock.ts';
import type { CartesiaError, ErrorName } from '#protocol/cartesia/wire/errors.ts';
import { KEY_PARAMETER, TOKEN } from '#protocol/cartesia/wire/keys.ts';
import { isVersion, type Version } from '#protocol/cartesia/wire/versions.ts';
import { bearerIn, type KeyCondition, type Keys } from '../keys.ts';
import { type KeyAccount, KeyAccounts, type Lease } from '../state/key-accounts.ts';
import type { SharedState } from '../state/state.ts';

/** Contexts and calls at a time on the free plan, and sockets for each of them (`facts-cartesia`, Q3, Q4). */
const CONCURRENCY = 2;
const SOCKETS = 10 * CONCURRENCY;

/** Keys that are refused at the handshake and in calls that speak (A13). */
const REFUSED: Partial<Record<KeyCondition, ErrorName>> = {
  noCredits: 'quota_exceeded',
  rateLimited: 'concurrency_limited',
  busy: 'service_unavailable',
};

/** A request by its headers and its address. */
export interface Call {
  headers: IncomingHttpHeaders;
  url: URL;
}

/** The key or token of a call; null for none, and for several that differ (A5 to A7, O11). */
export function credentialIn({ headers, url: { searchParams } }: Call): string | null {
  const given = [
    headers['x-api-key'],
    bearerIn(headers),
    searchParams.get(KEY_PARAMETER),
    searchParams.get(TOKEN.name),
  ].filter((each) => typeof each === 'string' && each !== '');
  return new Set(given).size === 1 ? String(given[0]) : null;
}

/** The version of a call. That of the query wins (A3, A4, A11, A12, O9). */
export function versionIn({ headers, url }: Call): { version: Version } | { refusal: CartesiaError } {
  const date = url.searchParams.get('cartesia_version') ?? headers['cartesia-version'];
  if (isVersion(date)) return { version: date };
  return date === undefined
    ? { refusal: { name: 'invalid_request', message: 'expected the header Cartesia-Version' } }
    : { refusal: { name: 'version_not_found' } };
}

export class CartesiaAccess {
  readonly #accounts: KeyAccounts;

  constructor(options: { keys: Keys; clock: Clock; state: Pick<SharedState, 'notes' | 'places'> }) {
    this.#accounts = new KeyAccounts('cartesia', options);
  }

  ofKey(key: string): KeyAccount | null {
    return this.#accounts.of(key);
  }

  async of(credential: string): Promise<KeyAccount | null> {
    return this.ofKey(credential) ?? (await this.#accounts.ofToken(credential))?.account ?? null;
  }

  /** A token that stands for the key until it expires (H6). */
  token(account: KeyAccount, forMs: number): string {
    return this.#accounts.grant(account, forMs);
  }

  /** Admits a socket. */
  connect(account: KeyAccount): Promise<Lease | ErrorName> {
    return this.#admit(account, 'sockets', SOCKETS);
  }

  /** Admits a context or a call that speaks. */
  speak(account: KeyAccount): Promise<Lease | ErrorName> {
    return this.#admit(account, 'contexts', CONCURRENCY);
  }

  async #admit(account: KeyAccount, kind: string, limit: number): Promise<Lease | ErrorName> {
    const refused = REFUSED[account.condition];
    if (refused) return refused;
    const place = await this.#accounts.place(account, kind, limit);
    if (place === 'unreachable') return 'service_unavailable';
    return place === 'full' ? 'concurrency_limited' : place;
  }
}
