import { largest } from '#lib/collections/arrays.ts';

/** The holder of something: the names by which its holdings are counted, such as an address and a key. */
export type Peer = readonly string[];

/** The server itself. */
export const OWN_PEER: Peer = ['own'];

/** @param account nothing is counted by a key that everybody knows */
export const peerOf = (
  address: string,
  { name, isShared }: { readonly name: string; readonly isShared: boolean },
): Peer => [`address ${address}`, ...(isShared ? [] : [`key ${name}`])];

interface Holding {
  readonly peer: Peer;
  readonly weight: number;
}

/**
 * Holdings of peers in one limit that all of them share. A peer alone may hold everything. Where room is needed, the
 * peer with the largest share gives way, by its heaviest or oldest item, so that nobody takes room from a peer that holds less.
 */
export class Shares<T> {
  /** Oldest first. */
  readonly #holdings = new Map<T, Holding>();
  readonly #sums = new Map<string, number>();
  #weight = 0;

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
    this.#holdings.set(item, { peer, weight });
    this.#count(peer, weight);
  }

  remove(item: T): void {
    const holding = this.#holdings.get(item);
    if (!holding) return;
    this.#holdings.delete(item);
    this.#count(holding.peer, -holding.weight);
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

  /** The item that gives way first: of a peer, the heaviest one, and of equal ones the oldest. @param may leaves out items that cannot */
  first(may: (item: T) => boolean = () => true): T | undefined {
    let first: { item: T; shares: readonly number[] } | undefined;
    for (const [item, { peer, weight }] of this.#holdings) {
      if (!may(item)) continue;
      const shares = [...this.#sharesOf(peer), weight];
      if (!first || isLarger(shares, first.shares)) first = { item, shares };
    }
    return first?.item;
  }

  /** Largest first: of the holders of one key, the address with the larger share gives way. */
  #sharesOf(peer: Peer): readonly number[] {
    return peer.map((name) => this.#sums.get(name) ?? 0).sort((a, b) => b - a);
  }

  #count(peer: Peer, weight: number): void {
    this.#weight += weight;
    for (const name of peer) {
      const sum = (this.#sums.get(name) ?? 0) + weight;
      if (sum > 0) this.#sums.set(name, sum);
      else this.#sums.delete(name);
    }
  }
}

function isLarger(shares: readonly number[], others: readonly number[]): boolean {
  const at = shares.findIndex((share, index) => share !== others[index]);
  return at !== -1 && (shares[at] ?? 0) > (others[at] ?? 0);
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
  readonly #shares = new Shares<Held>();

  /** @param maxBytes of all peers together */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#shares.weight;
  }

  /** Counts memory. @param giveUp frees it; then it is counted no more */
  hold(peer: Peer, giveUp: () => void): HeldMemory {
    const item: Held = { peer, isKept: false, giveUp };
    let isHeld = true;
    return {
      resize: (bytes) => {
        if (!isHeld) return;
        this.#shares.add(item, peer, bytes);
        this.#shrink();
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

  #shrink(): void {
    while (this.#shares.weight > this.#maxBytes) {
      const first = this.#shares.first(({ isKept }) => !isKept);
      if (!first) return;
      // Peers that hold less do not pay for kept items, up to as much again.
      const isLargest = this.#shares.of(first.peer) >= this.#shares.largest;
      if (!isLargest && this.#shares.weight <= 2 * this.#maxBytes) return;
      this.#shares.remove(first);
      first.giveUp();
    }
  }
}
