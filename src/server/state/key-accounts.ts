import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '#lib/clock.ts';
import { parseFields } from '#protocol/core/json-frame.ts';
import type { KeyCondition, Keys } from '../keys.ts';
import { digestOf } from './digest.ts';
import { peerOf } from './shares.ts';
import { ifUnavailable, type Notes, type SharedState } from './state.ts';

/** A key that was accepted. */
export interface KeyAccount {
  /** A digest of the key, to count by. */
  readonly name: string;
  readonly condition: KeyCondition;
  /** Everybody knows the key. */
  readonly isShared: boolean;
}

/** Something that was admitted. `leave` ends it. */
export interface Lease {
  leave(): void;
}

/** A place, or the condition of the key that refuses it. */
export type Admission = Lease | 'noCredits' | 'rateLimited' | 'busy';

const SIGNATURE_BYTES = 32;

/** A place that nobody counts. */
const UNCOUNTED: Lease = { leave: () => {} };

interface Options {
  keys: Keys;
  clock: Clock;
  state: Pick<SharedState, 'notes' | 'places'>;
}

/** The keys and tokens of one vendor's server, and the places that a limited key holds. */
export class KeyAccounts {
  readonly #vendor: string;
  readonly #options: Options;
  readonly #tokens: Notes;

  constructor(vendor: string, options: Options) {
    this.#vendor = vendor;
    this.#options = options;
    this.#tokens = options.state.notes(`${vendor} tokens`);
  }

  of(key: string): KeyAccount | null {
    const { keys } = this.#options;
    const condition = keys.conditionOf(key);
    return condition && { name: digestOf(key), condition, isShared: keys.isShared(key) };
  }

  /**
   * Keeps a token that stands for the account for so long. Rejects with `StateUnavailable`, because a token that is
   * given out without being kept opens nothing. @param address where it was asked for
   */
  async keepToken(token: string, account: KeyAccount, forMs: number, address: string): Promise<void> {
    const text = JSON.stringify({ ...account, untilMs: this.#options.clock.nowMs() + forMs });
    await this.#tokens.keep(digestOf(token), text, peerOf(address, account));
  }

  /** Makes and keeps a token in the form of a JWT. @param address where it was asked for */
  async grant(account: KeyAccount, forMs: number, address: string): Promise<string> {
    const exp = Math.floor((this.#options.clock.nowMs() + forMs) / 1000);
    const parts = [
      { alg: 'HS256', typ: 'JWT' },
      { exp, jti: randomUUID() },
    ].map((part) => JSON.stringify(part));
    const token = [...parts, randomBytes(SIGNATURE_BYTES)]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
    await this.keepToken(token, account, forMs, address);
    return token;
  }

  /** The account of a token. Null for one that is unknown or old. */
  async ofToken(token: string): Promise<KeyAccount | null> {
    return this.#accountIn(await this.#tokens.find(digestOf(token)));
  }

  /** The account of a token that opens one connection. Null for one that is unknown, old or used. */
  async redeem(token: string): Promise<KeyAccount | null> {
    return this.#accountIn(await this.#tokens.take(digestOf(token)));
  }

  #accountIn(kept: string | undefined): KeyAccount | null {
    const read = parseFields(kept ?? '');
    if (!('fields' in read)) return null;
    const { untilMs, ...account } = read.fields as unknown as KeyAccount & { untilMs: number };
    return untilMs > this.#options.clock.nowMs() ? account : null;
  }

  /** Takes one of the places of a limited key. Any other key that is not refused has as many as it wants. */
  async admit(account: KeyAccount, kind: string, limit: number): Promise<Admission> {
    const { condition } = account;
    if (condition === 'noCredits' || condition === 'rateLimited' || condition === 'busy') return condition;
    const place = await this.#place(account, kind, limit);
    if (place === 'unreachable') return 'busy';
    return place === 'full' ? 'rateLimited' : place;
  }

  async #place(
    { name, condition }: KeyAccount,
    kind: string,
    limit: number,
  ): Promise<Lease | 'full' | 'unreachable'> {
    if (condition !== 'limited') return UNCOUNTED;
    const wanted = { kind: `${this.#vendor}-${kind}`, name, limit };
    const taken = await this.#options.state.places
      .take([wanted])
      .catch(ifUnavailable('unreachable' as const));
    if (taken === 'unreachable') return taken;
    return 'full' in taken ? 'full' : taken;
  }
}
