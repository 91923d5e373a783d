import { onLeave, type RestContext } from '../rest.ts';
import { type Watch, watchedBody } from './watched-body.ts';

const MAX_UNREAD_BYTES = 256 * 1024 * 1024;
const SLICE_BYTES = 256 * 1024;

/** Memory of whole files that clients have not read. */
export class UnreadFiles {
  readonly #maxBytes: number;
  #bytes = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(maxBytes = MAX_UNREAD_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Resolves when one more file may be made. That file may exceed the limit. */
  async room(): Promise<void> {
    if (!this.#hasRoom) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Counts a file. @returns the function that removes it */
  add({ length }: Uint8Array): () => void {
    this.#bytes += length;
    return () => {
      this.#bytes -= length;
      this.#wakeNext();
    };
  }

  get #hasRoom(): boolean {
    return this.#bytes < this.#maxBytes;
  }

  /** Wakes the others later, because the first may add its file at once. */
  #wakeNext(): void {
    if (!this.#hasRoom || this.#waiting.length === 0) return;
    this.#waiting.shift()?.();
    setImmediate(() => this.#wakeNext());
  }
}

/** Sends a file as fast as the client reads, and counts it until the answer is over. */
export function fileBody(
  c: RestContext,
  { unread, ...watch }: Watch & { unread: UnreadFiles },
  file: Uint8Array<ArrayBuffer>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  onLeave(c, unread.add(file));
  return watchedBody(c, watch, slicesOf(file));
}

function* slicesOf(file: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < file.length; at += SLICE_BYTES) yield file.subarray(at, at + SLICE_BYTES);
}
