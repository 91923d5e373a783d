/** Clients that owe time take at most this part of the event loop together. The rest speaks, sends and serves others. */
const PART_OF_LOOP = 0.5;
/** A shorter wait is left out, because timers have steps of 1 ms. */
const LEAST_WAIT_MS = 5;

/** Sockets of one address or one key share what one client may take. */
interface Payer {
  address: string;
  /** Null for a key that everybody shares. */
  key: string | null;
}

/** The time of the event loop that one client's messages took, and for how long it is not read because of that. */
export class LoopDebt {
  readonly #all: Set<LoopDebt>;
  readonly #payer: Payer;
  #untilMs = 0;

  /** @param all the sockets that may owe time */
  constructor(all: Set<LoopDebt>, payer: Payer) {
    this.#all = all;
    this.#payer = payer;
  }

  /**
   * Charges a task. The addresses that owe time at its start share the part of the loop equally, and so do the sockets
   * of an address.
   * @returns for how long the client waits, in ms
   */
  charge(startMs: number, endMs: number): number {
    const tookMs = endMs - startMs;
    if (tookMs <= 0) return 0;
    this.#all.add(this);
    const addresses = new Set<string>();
    let sockets = 0;
    for (const each of this.#all) {
      if (each !== this && each.#untilMs <= startMs) {
        this.#all.delete(each);
        continue;
      }
      addresses.add(each.#payer.address);
      if (this.#sharesWith(each.#payer)) sockets += 1;
    }
    const part = PART_OF_LOOP / (addresses.size * sockets);
    this.#untilMs = Math.max(this.#untilMs, startMs) + tookMs / part;
    const waitMs = this.#untilMs - endMs;
    return waitMs < LEAST_WAIT_MS ? 0 : waitMs;
  }

  /** The client is gone. */
  cancel(): void {
    this.#all.delete(this);
  }

  #sharesWith({ address, key }: Payer): boolean {
    return address === this.#payer.address || (key !== null && key === this.#payer.key);
  }
}
