import { MAX_SERVER_MESSAGE_BYTES } from '#protocol/core/json-frame.ts';
import { FairMemory, type Peer } from '../state/shares.ts';

const MIB = 1024 * 1024;
/** Messages that are smaller always pass: a few for each socket. */
export const SMALL_BYTES = 64 * 1024;
const LIMITS = { scarceAbove: 48 * MIB, max: 96 * MIB, message: MAX_SERVER_MESSAGE_BYTES };

/** A relayed socket. */
export interface VendorReader {
  readonly peer: Peer;
  /** The vendor is not read, or is again. */
  wait(isWaiting: boolean): void;
  /** Ends the socket, for an address that holds less. */
  giveUp(): void;
}

/** Counts what a socket holds. The flag: none of it waits for the client. */
export type CountBytes = (bytes: number, isReading: boolean) => void;

/**
 * Memory of large messages of vendors that are not complete, or that clients have not read. Where it is scarce, only one
 * vendor is read at a time, of the address that holds least, so that every message is completed in its turn.
 */
export class VendorMemory {
  readonly #limits: typeof LIMITS;
  readonly #memory: FairMemory;
  /** Those with a large message that is not complete, and whose client has read the ones before. */
  readonly #reading = new Set<VendorReader>();
  readonly #waiting = new Set<VendorReader>();
  #next: VendorReader | null = null;

  constructor(limits: Partial<typeof LIMITS> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#memory = new FairMemory(this.#limits.max);
  }

  get heldBytes(): number {
    return this.#memory.heldBytes;
  }

  hold(reader: VendorReader): CountBytes {
    const held = this.#memory.hold(reader.peer, () => {
      this.#reading.delete(reader);
      reader.giveUp();
    });
    return (bytes, isReading) => {
      const isLarge = bytes > SMALL_BYTES;
      if (isLarge && isReading) this.#reading.add(reader);
      else this.#reading.delete(reader);
      held.resize(isLarge ? bytes : 0);
      this.#settle();
    };
  }

  #settle(): void {
    const isScarce = this.#memory.heldBytes > this.#limits.scarceAbove;
    if (!isScarce && this.#waiting.size === 0) return;
    if (this.#next === null || !this.#reading.has(this.#next)) this.#next = this.#choose();
    for (const reader of [...this.#waiting]) {
      if (isScarce && this.#reading.has(reader) && reader !== this.#next) continue;
      this.#waiting.delete(reader);
      reader.wait(false);
    }
    for (const reader of isScarce ? this.#reading : []) {
      if (reader === this.#next || this.#waiting.has(reader)) continue;
      this.#waiting.add(reader);
      reader.wait(true);
    }
  }

  #choose(): VendorReader | null {
    let next: VendorReader | null = null;
    for (const reader of this.#reading)
      if (next === null || this.#memory.of(reader.peer) < this.#memory.of(next.peer)) next = reader;
    const { max, message } = this.#limits;
    const isFull = this.#memory.heldBytes > max - message;
    // Addresses that hold about as much would end the sockets of one another.
    const mayEndOther = next !== null && this.#memory.of(next.peer) + message < this.#memory.largest;
    return isFull && !mayEndOther ? null : next;
  }
}
