import type { FairMemory, HeldMemory, Peer } from '../state/shares.ts';

/** Memory of a part and its task beside its bytes, which may be a single one: some 900 bytes. */
const PART_BYTES = 1000;

/** A part of a body. Its bytes do not change; null where their memory was needed. */
export interface BodyPart {
  length: number;
  bytes: Uint8Array<ArrayBuffer> | null;
}

/** The parts of a body that wait to be recorded. Where their memory is needed, all of them lose their bytes. */
export class QueuedBody {
  readonly #waiting: FairMemory;
  readonly #peer: Peer;
  readonly #parts = new Set<BodyPart>();
  #bytes = 0;
  /** Null while nothing waits. */
  #memory: HeldMemory | null = null;
  #isCut = false;

  constructor(waiting: FairMemory, peer: Peer) {
    this.#waiting = waiting;
    this.#peer = peer;
  }

  /** Returns the part; null where it was added to one that waits, because a cut body needs no more than its length. */
  add(bytes: Uint8Array<ArrayBuffer>): BodyPart | null {
    const [waiting] = this.#isCut ? this.#parts : [];
    if (waiting) {
      waiting.length += bytes.length;
      return null;
    }
    const part: BodyPart = { length: bytes.length, bytes: this.#isCut ? null : bytes };
    this.#parts.add(part);
    if (part.bytes) this.#count(part.length + PART_BYTES);
    return part;
  }

  /** A part is recorded next. */
  take(part: BodyPart): void {
    this.#parts.delete(part);
    if (part.bytes) this.#count(-part.length - PART_BYTES);
  }

  #count(more: number): void {
    this.#bytes += more;
    if (this.#bytes > 0) {
      this.#memory ??= this.#waiting.hold(this.#peer, () => this.#cut());
      this.#memory.resize(this.#bytes);
    } else {
      this.#memory?.release();
      this.#memory = null;
    }
  }

  #cut(): void {
    this.#isCut = true;
    for (const part of this.#parts) part.bytes = null;
    this.#bytes = 0;
    this.#memory = null;
  }
}
