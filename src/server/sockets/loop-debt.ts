/** Clients that owe time take at most this part of the event loop together. The rest speaks, sends and serves others. */
const PART_OF_LOOP = 0.5;
/** A shorter wait is left out, because timers have steps of 1 ms. */
const LEAST_WAIT_MS = 5;
/** A longer wait would hold the `cancel` of a good client beside many that flood. */
const MAX_WAIT_MS = 1000;

/** The time of the event loop that one client's messages took, and for how long it is not read because of that. */
export class LoopDebt {
  readonly #all: Set<LoopDebt>;
  readonly #address: string;
  #untilMs = 0;

  /** @param all the sockets that may owe time */
  constructor(all: Set<LoopDebt>, address: string) {
    this.#all = all;
    this.#address = address;
  }

  /**
   * Charges a task. The addresses that owe time at its start share the part of the loop equally, and so do the sockets
   * of an address.
   * @param tookMs time of the processor, because a client does not pay for other programs of the machine
   * @returns for how long the client waits, in ms
   */
  charge(tookMs: number, endMs: number): number {
    if (tookMs <= 0) return 0;
    const startMs = endMs - tookMs;
    this.#all.add(this);
    const addresses = new Set<string>();
    let sockets = 0;
    for (const each of this.#all) {
      if (each !== this && each.#untilMs <= startMs) {
        this.#all.delete(each);
        continue;
      }
      addresses.add(each.#address);
      if (each.#address === this.#address) sockets += 1;
    }
    const part = PART_OF_LOOP / (addresses.size * sockets);
    this.#untilMs = Math.min(Math.max(this.#untilMs, startMs) + tookMs / part, endMs + MAX_WAIT_MS);
    const waitMs = this.#untilMs - endMs;
    return waitMs < LEAST_WAIT_MS ? 0 : waitMs;
  }

  /** The client is gone. */
  cancel(): void {
    this.#all.delete(this);
  }
}
