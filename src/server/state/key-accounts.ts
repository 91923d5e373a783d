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

/** The refusals and the limits of one vendor. */
interface AccessTable<Refusal, Kind extends string> {
  /** By the condition of a key. `rateLimited` is also a limited key without a free place; `unreachable` is that of places that nobody can count, `busy` unless given. */
  refusals: Readonly<Record<'noCredits' | 'rateLimited' | 'busy', Refusal> & { unreachable?: Refusal }>;
  /** Places of a limited key, by what takes one. */
  places: Readonly<Record<Kind, number>>;
}

const SIGNATURE_BYTES = 32;

/** A place that nobody counts. */
export const UNCOUNTED = { leave: () => {}, taken: 0 } satisfies Lease & { taken: number };

interface Options {
  keys: Keys;
  clock: Clock;
  state: Pick<SharedState, 'notes' | 'places' | 'sums'>;
}

/** The keys and tokens of one vendor's server, the places that a limited key holds, and what each key has used this month. */
export class KeyAccounts<Refusal, Kind extends string = never> {
  readonly #vendor: string;
  readonly #options: Options;
  readonly #table: AccessTable<Refusal, Kind>;
  readonly #tokens: Notes;

  constructor(vendor: string, options: Options, table: AccessTable<Refusal, Kind>) {
    this.#vendor = vendor;
    this.#options = options;
    this.#table = table;
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

  /** The refusal of a key that works for nobody; undefined for others. */
  refusalOf({ condition }: KeyAccount): Refusal | undefined {
    const isRefused = condition === 'noCredits' || condition === 'rateLimited' || condition === 'busy';
    return isRefused ? this.#table.refusals[condition] : undefined;
  }

  /** Takes one of the places of a limited key. Any other key that is not refused has as many as it wants. */
  async admit(
    account: KeyAccount,
    kind: Kind,
  ): Promise<(Lease | { refusal: Refusal }) & { /** Places of the key. */ taken: number }> {
    const { name, condition } = account;
    const { refusals, places } = this.#table;
    const refusal = this.refusalOf(account);
    if (refusal !== undefined) return { refusal, taken: places[kind] };
    if (condition !== 'limited') return UNCOUNTED;
    const wanted = { kind: `${this.#vendor}-${kind}`, name, limit: places[kind] };
    const taken = await this.#options.state.places.take([wanted]).catch(ifUnavailable(null));
    if (taken === null) return { refusal: refusals.unreachable ?? refusals.busy, taken: 0 };
    return 'full' in taken ? { refusal: refusals.rateLimited, taken: taken.taken } : taken;
  }

  /** Counts what a key uses, such as characters, until its month ends. @returns gives it back */
  use({ name }: KeyAccount, amount: number): () => void {
    const [sum, resetMs] = [this.#sumOf(name), this.resetMs];
    const add = (more: number) => this.#options.state.sums.add(sum, more, resetMs);
    add(amount);
    return () => add(-amount);
  }

  /** What a key has used this month. */
  used({ name }: KeyAccount): Promise<number> {
    return this.#options.state.sums.of(this.#sumOf(name));
  }

  /** End of the month. Months begin on the first, UTC. */
  get resetMs(): number {
    const now = new Date(this.#options.clock.nowMs());
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
  }

  #sumOf(name: string): string {
    return `${this.#vendor} use until ${this.resetMs} of ${name}`;
  }
}
