const KIB = 1024;
const MIB = 1024 * KIB;

/** Memory of a queued frame beside its payload: header, two write requests, callbacks. Measured at 300 to 500 bytes. */
const FRAME_BYTES = 512;
/** Back-pressure begins above this, and ends at a share of it. */
const WAIT_ABOVE_BYTES = MIB;
/** Back-pressure begins above this instead while all connections together hold too much. */
const SCARCE_ABOVE_BYTES = 64 * KIB;
const UNTIL_SHARE = 0.25;
const MAX_TOTAL_BYTES = 48 * MIB;
/** Limit of one connection before its last message. A session that waits when it is asked to never reaches it. */
const MAX_BYTES = 4 * MIB;

/** Memory of unread output over all connections. */
export class TotalOutput {
  readonly #maxBytes: number;
  bytes = 0;

  constructor(maxBytes = MAX_TOTAL_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get isScarce(): boolean {
    return this.bytes > this.#maxBytes;
  }
}

/** Memory of the output that one client has not read. A frame of 20 bytes costs hundreds. */
export class UnreadOutput {
  readonly #total: TotalOutput;
  readonly #waitAboveBytes: number;
  #bytes = 0;

  /** @param waitAboveBytes where back-pressure begins; it ends at a quarter of that */
  constructor(total: TotalOutput, waitAboveBytes = WAIT_ABOVE_BYTES) {
    this.#total = total;
    this.#waitAboveBytes = waitAboveBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Producers of audio wait. */
  get isFull(): boolean {
    return this.#bytes > this.#limit;
  }

  /** The socket is not read. Audio alone never goes so far, so a slow client can still cancel. */
  get isFlooded(): boolean {
    return this.#bytes > 2 * this.#limit;
  }

  /** The client has caught up. */
  get isLow(): boolean {
    return this.#bytes <= this.#limit * UNTIL_SHARE;
  }

  get isTooMuch(): boolean {
    return this.#bytes > MAX_BYTES;
  }

  get #limit(): number {
    return this.#total.isScarce ? Math.min(SCARCE_ABOVE_BYTES, this.#waitAboveBytes) : this.#waitAboveBytes;
  }

  /** @returns the memory of the frame, for `remove` */
  add({ length }: string | Uint8Array): number {
    const bytes = length + FRAME_BYTES;
    this.#bytes += bytes;
    this.#total.bytes += bytes;
    return bytes;
  }

  remove(bytes: number): void {
    this.#bytes -= bytes;
    this.#total.bytes -= bytes;
  }
}
