import { largest } from '#lib/collections/arrays.ts';
import { groupBy, madeOnce } from '#lib/collections/maps.ts';
import { z } from '#protocol/core/zod.ts';
import { digestOf } from './digest.ts';

/** The holder of something: the names by which its holdings are counted, such as an address and a key. */
export type Peer = readonly string[];

/** The server itself. */
export const OWN_PEER: Peer = ['own'];

/** @param account nothing is counted by a key that everybody knows */
export const peerOf = (
  address: string,
  { name, isShared }: { readonly name: string; readonly isShared: boolean },
): Peer => [`address ${address}`, ...(isShared ? [] : [`key ${name}`])];

/** Items of one peer. */
interface Group<T> {
  readonly peer: Peer;
  weight: number;
  /** By the power of two of their weight, each oldest first. */
  readonly items: Map<number, Set<T>>;
}

interface Holding<T> {
  readonly group: Group<T>;
  readonly weight: number;
  /** Counts all items in the order in which they came. */
  readonly order: number;
}

const powerOf = (weight: number): number => Math.floor(Math.log2(weight));

/**
 * Holdings of peers in one limit that all of them share. A peer alone may hold everything. Where room is needed, the
 * peer with the largest share gives way, by its heaviest or oldest item, so that nobody takes room from a peer that holds less.
 */
export class Shares<T> {
  readonly #holdings = new Map<T, Holding<T>>();
  readonly #groups = new Map<string, Group<T>>();
  readonly #sums = new Map<string, number>();
  #weight = 0;
  #order = 0;

  get size(): number {
    return this.#holdings.size;
  }

  /** Of all items. */
  get weight(): number {
    return this.#weight;
  }

  /** Adds an item, or makes it the newest. */
  add(item: T, peer: Peer, weight = 1): void {
    this.remove(item);
    const group = madeOnce(this.#groups, peer.join('\n'), () => ({ peer, weight: 0, items: new Map() }));
    madeOnce(group.items, powerOf(weight), () => new Set()).add(item);
    this.#order += 1;
    this.#holdings.set(item, { group, weight, order: this.#order });
    this.#count(group, weight);
  }

  remove(item: T): void {
    const holding = this.#holdings.get(item);
    if (!holding) return;
    const { group, weight } = holding;
    this.#holdings.delete(item);
    const alike = group.items.get(powerOf(weight));
    alike?.delete(item);
    if (alike?.size === 0) group.items.delete(powerOf(weight));
    if (group.items.size === 0) this.#groups.delete(group.peer.join('\n'));
    this.#count(group, -weight);
  }

  /** The share of a peer: the larger one of its names. */
  of(peer: Peer): number {
    return largest(
      peer.map((name) => this.#sums.get(name) ?? 0),
      0,
    );
  }

  /** The largest share. */
  get largest(): number {
    return largest(this.#sums.values(), 0);
  }

  /**
   * The item that gives way first: of a peer, the heaviest one up to a factor of two, and of such ones the oldest. Takes
   * time by the number of peers, because one of them may hold thousands of items. @param may leaves out items that cannot
   */
  first(may: (item: T) => boolean = () => true): T | undefined {
    let first: { item: T; rank: readonly number[] } | undefined;
    for (const { peer, weight: own, items } of this.#groups.values()) {
      // Of the peers of one address or one key, the one that holds more itself gives way.
      const shares = [this.of(peer), own];
      if (first && isLarger(first.rank, shares)) continue;
      for (const item of heaviestFirst(items)) {
        if (!may(item)) continue;
        const { weight = 0, order = 0 } = this.#holdings.get(item) ?? {};
        const rank = [...shares, powerOf(weight), -order];
        if (!first || isLarger(rank, first.rank)) first = { item, rank };
        break;
      }
    }
    return first?.item;
  }

  #count(group: Group<T>, weight: number): void {
    this.#weight += weight;
    group.weight += weight;
    for (const name of group.peer) {
      const sum = (this.#sums.get(name) ?? 0) + weight;
      if (sum > 0) this.#sums.set(name, sum);
      else this.#sums.delete(name);
    }
  }
}

function* heaviestFirst<T>(items: Group<T>['items']): Generator<T> {
  for (const power of [...items.keys()].sort((a, b) => b - a)) yield* items.get(power) ?? [];
}

/** Whether the first numbers, up to a difference, are larger. */
function isLarger(rank: readonly number[], other: readonly number[]): boolean {
  const at = other.findIndex((each, index) => rank[index] !== each);
  return at !== -1 && (rank[at] ?? 0) > (other[at] ?? 0);
}

/** A stored row with the digests of its holder's names; absent for rows of the server itself, and of older files. */
export interface HeldRow {
  readonly holder?: readonly string[] | undefined;
}

export const holderSchema = z.optional(z.readonly(z.array(z.string())));

/** The holder of a row that a peer creates. */
export const holderOf = (peer: Peer): HeldRow =>
  peer === OWN_PEER ? {} : { holder: peer.map((name) => digestOf(name)) };

/** Rows of one holder beside those of the server, and of all holders. */
export interface RowLimits {
  readonly ofOne: number;
  readonly ofAll: number;
}

/** The rows of each holder, oldest first. There are thousands of rows, so they are counted by holder. */
function byHolder<R extends HeldRow>(
  rows: readonly R[],
): { shares: Shares<R[]>; peerOf: (rows: R[]) => Peer } {
  const shares = new Shares<R[]>();
  const peerOf = ([row]: R[]) => row?.holder ?? OWN_PEER;
  for (const each of groupBy(rows, ({ holder }) => holder?.join()).values())
    shares.add(each, peerOf(each), each.length);
  return { shares, peerOf };
}

/** How many rows count against the limit of a holder: its own, and those of the server. */
export const rowsHeldBy = (rows: readonly HeldRow[], { holder }: HeldRow): number => {
  const { shares } = byHolder(rows);
  return shares.of(OWN_PEER) + (holder ? shares.of(holder) : 0);
};

/**
 * Returns the rows that give way to further ones: those of the holder with the largest share. Null where this holder has
 * no room for them, because it would exceed its limit or hold the largest share itself.
 * @param rows oldest first
 */
export function rowsInTheWay<R extends HeldRow>(
  rows: readonly R[],
  held: HeldRow,
  added: number,
  { ofOne, ofAll }: RowLimits,
): ReadonlySet<R> | null {
  const giving = new Set<R>();
  if (rows.length + added <= Math.min(ofOne, ofAll)) return giving;
  if (added > 0 && rowsHeldBy(rows, held) + added > ofOne) return null;
  const { shares, peerOf } = byHolder(rows);
  const due = shares.of(held.holder ?? OWN_PEER) + added;
  const left = new Map<R[], number>();
  while (shares.weight + added > ofAll) {
    const first = shares.first();
    if (first === undefined || shares.largest <= due) return null;
    const count = left.get(first) ?? first.length;
    const oldest = first[first.length - count];
    if (oldest) giving.add(oldest);
    left.set(first, count - 1);
    if (count > 1) shares.add(first, peerOf(first), count - 1);
    else shares.remove(first);
  }
  return giving;
}

/** Values by name within one limit, in which each peer has its share. */
export class FairStore<V> {
  readonly #max: number;
  readonly #values = new Map<string, V>();
  readonly #shares = new Shares<string>();

  /** @param max values of all peers together */
  constructor(max: number) {
    this.#max = max;
  }

  set(name: string, value: V, peer: Peer): void {
    this.#values.set(name, value);
    this.#shares.add(name, peer);
    if (this.#shares.size <= this.#max) return;
    const first = this.#shares.first();
    if (first !== undefined) this.delete(first);
  }

  get(name: string): V | undefined {
    return this.#values.get(name);
  }

  delete(name: string): void {
    this.#values.delete(name);
    this.#shares.remove(name);
  }
}

/** Memory that a peer holds of a part that all peers share. */
export interface HeldMemory {
  resize(bytes: number): void;
  /** From now on it cannot be given up, and still counts. */
  keep(): void;
  release(): void;
}

interface Held {
  readonly peer: Peer;
  isKept: boolean;
  giveUp(): void;
}

/** Memory within one limit. Where it is exceeded, the peer that holds most loses its largest item. */
export class FairMemory {
  readonly #maxBytes: number;
  readonly #sparesOwn: boolean;
  readonly #shares = new Shares<Held>();

  /**
   * @param maxBytes of all peers together
   * @param sparesOwn a peer that holds most loses nothing to itself, up to as much again. An item that is alone is never lost
   */
  constructor(maxBytes: number, { sparesOwn = false } = {}) {
    this.#maxBytes = maxBytes;
    this.#sparesOwn = sparesOwn;
  }

  get heldBytes(): number {
    return this.#shares.weight;
  }

  /** The share of a peer. */
  of(peer: Peer): number {
    return this.#shares.of(peer);
  }

  /** The largest share. */
  get largest(): number {
    return this.#shares.largest;
  }

  /** Counts memory. @param giveUp frees it; then it is counted no more */
  hold(peer: Peer, giveUp: () => void): HeldMemory {
    const item: Held = { peer, isKept: false, giveUp };
    let isHeld = true;
    return {
      resize: (bytes) => {
        if (!isHeld) return;
        if (bytes > 0) this.#shares.add(item, peer, bytes);
        else this.#shares.remove(item);
        this.#shrink(peer);
      },
      keep: () => {
        item.isKept = true;
      },
      release: () => {
        isHeld = false;
        this.#shares.remove(item);
      },
    };
  }

  #shrink(grown: Peer): void {
    while (this.#shares.weight > this.#maxBytes) {
      const first = this.#shares.first(({ isKept }) => !isKept);
      if (!first || (this.#sparesOwn && this.#shares.size === 1)) return;
      // Peers that hold less do not pay for kept items, up to as much again.
      const isLargest = this.of(first.peer) >= this.largest;
      const isSpared = this.#sparesOwn && this.of(grown) >= this.largest;
      if ((!isLargest || isSpared) && this.#shares.weight <= 2 * this.#maxBytes) return;
      this.#shares.remove(first);
      first.giveUp();
    }
  }
}
