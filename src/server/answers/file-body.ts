import { onLeave, type RestContext } from '../rest.ts';
import { FairMemory, type HeldMemory, type Peer } from '../state/shares.ts';
import { breakOff } from './break-off.ts';
import { type Watch, watchedBody } from './watched-body.ts';

const MAX_BYTES = 96 * 1024 * 1024;
const SLICE_BYTES = 256 * 1024;

/** Why a client loses what the server keeps for it. */
export const NEEDED_BY_OTHERS = 'other clients need the memory, try again shortly';

/**
 * Memory of whole files: in the making, kept for later, and not read yet. While it is full, the peer that holds most waits with
 * its next file, and its oldest file gives way to those of other peers.
 */
export class FileMemory {
  readonly #maxBytes: number;
  readonly #memory: FairMemory;
  #waiting: { peer: Peer; start(): void }[] = [];

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
    this.#memory = new FairMemory(maxBytes, { sparesOwn: true });
  }

  /** Resolves when one more file may be made, which may exceed the limit. Rejects where the signal aborts before that. */
  async room(peer: Peer, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#mayStart(peer)) return;
    await new Promise<void>((start, leave) => {
      const waiting = { peer, start };
      this.#waiting.push(waiting);
      const left = () => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        leave(signal?.reason);
      };
      signal?.addEventListener('abort', left, { once: true });
    });
  }

  /** Counts a file. @param giveUp frees it for other peers; then it is counted no more */
  hold(peer: Peer, bytes: number, giveUp: () => void): Omit<HeldMemory, 'keep'> {
    const { resize, release } = this.#memory.hold(peer, giveUp);
    resize(bytes);
    return {
      resize,
      release: () => {
        release();
        this.#wakeNext();
      },
    };
  }

  #mayStart(peer: Peer): boolean {
    return this.#memory.heldBytes < this.#maxBytes || this.#memory.largest > this.#memory.of(peer);
  }

  /** Wakes the others later, because the first may hold its file at once. */
  #wakeNext(): void {
    const next = this.#waiting.find(({ peer }) => this.#mayStart(peer));
    if (!next) return;
    this.#waiting = this.#waiting.filter((each) => each !== next);
    next.start();
    setImmediate(() => this.#wakeNext());
  }
}

/** A file in memory: its parts, and how many bytes they have. */
export interface FileParts {
  parts: Iterator<Uint8Array<ArrayBuffer>>;
  length: number;
}

/** Sends a file as fast as the client reads, and counts it until the answer is over. */
export function fileBody(
  c: RestContext,
  { files, peer, ...watch }: Watch & { files: FileMemory; peer: Peer },
  { parts, length }: FileParts,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const held = files.hold(peer, length, () => breakOff(c.env.outgoing, NEEDED_BY_OTHERS));
  onLeave(c, held.release);
  return watchedBody(c, watch, parts);
}

export function* slicesOf(
  file: Uint8Array<ArrayBuffer>,
  sliceBytes = SLICE_BYTES,
): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < file.length; at += sliceBytes) yield file.subarray(at, at + sliceBytes);
}
