import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '#lib/clock.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import type { Issue } from '#protocol/core/issue.ts';
import { FairMemory, type HeldMemory, type Peer } from './state/shares.ts';

/** Memory of all bodies of calls until they are read. */
const MAX_TOTAL_BYTES = 48 * 1024 * 1024;
/** A body that stalls for this long is refused. */
const STALLED_MS = 30_000;

/** A body cannot be received, or is not what the call expects (400). The message is for the client. */
export class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
  readonly status: 400 | 408 | 413 | 503;
  /** The fields that are wrong; empty where the body cannot be read at all. */
  readonly issues: readonly Issue[];

  constructor(status: BodyRefused['status'], message: string, issues: readonly Issue[] = []) {
    super(message);
    this.status = status;
    this.issues = issues;
  }
}

/** Receives the bodies of all calls, within one bound and in time. */
export class CallBodies {
  readonly #clock: Clock;
  readonly #maxTotalBytes: number;
  /** Who holds most of it loses its largest body, so that nobody who fills the room keeps a small call out. */
  readonly #memory: FairMemory;

  constructor(clock: Clock, maxTotalBytes = MAX_TOTAL_BYTES) {
    this.#clock = clock;
    this.#maxTotalBytes = maxTotalBytes;
    this.#memory = new FairMemory(maxTotalBytes);
  }

  /** Receives a body, and counts it until `use` is done. Throws a BodyRefused, and what `use` throws. */
  async read<T>(source: Readable, maxBytes: number, use: (bytes: Buffer) => T | Promise<T>): Promise<T> {
    const why = `expected at most ${this.#maxTotalBytes} bytes in all bodies at a time, try again shortly`;
    let refuse: (why: BodyRefused) => void = () => {};
    const memory = this.#memory.hold(holderOf(source), () => refuse(new BodyRefused(503, why)));
    const body = new Arriving(source, memory, maxBytes);
    try {
      const bytes = await new Promise<Buffer>((resolve, reject) => {
        refuse = (refusal) => {
          body.abandon();
          reject(refusal);
        };
        const stalled = () =>
          refuse(new BodyRefused(408, `no part of the body within ${STALLED_MS / 1000} s`));
        body.receive(() => this.#clock.after(STALLED_MS, stalled)).then(resolve, reject);
      });
      memory.keep();
      return await use(bytes);
    } finally {
      memory.release();
    }
  }
}

/** A body that is being received, in one buffer, because each part of a body in single bytes would take far more memory. */
class Arriving {
  readonly #source: Readable;
  readonly #memory: HeldMemory;
  readonly #maxBytes: number;
  #buffer = Buffer.alloc(0);
  #length = 0;
  #isAbandoned = false;
  #stopTimer = () => {};

  constructor(source: Readable, memory: HeldMemory, maxBytes: number) {
    this.#source = source;
    this.#memory = memory;
    this.#maxBytes = maxBytes;
  }

  /** Ends at the next part, which may never come. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#buffer = Buffer.alloc(0);
    this.#stopTimer();
  }

  /** @param startTimer called before each part; returns the function that stops it */
  async receive(startTimer: () => () => void): Promise<Buffer> {
    // The connection stays, so that a refusal can be sent.
    const parts: AsyncIterator<Buffer> = this.#source.iterator({ destroyOnReturn: false });
    try {
      while (!this.#isAbandoned) {
        this.#stopTimer = startTimer();
        const part = await parts.next().finally(this.#stopTimer);
        if (part.done) break;
        if (!this.#isAbandoned) await this.#add(part.value);
      }
      return this.#buffer.subarray(0, this.#length);
    } finally {
      // Not awaited, because it waits for the next part.
      void parts.return?.().catch(() => {});
    }
  }

  async #add(part: Buffer): Promise<void> {
    const length = this.#length + part.length;
    if (length > this.#maxBytes)
      throw new BodyRefused(413, `expected a body of at most ${this.#maxBytes} bytes`);
    if (length > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(length, 2 * this.#buffer.length)));
      this.#memory.resize(grown.length);
      await copy(this.#buffer.subarray(0, this.#length), grown);
      if (!this.#isAbandoned) this.#buffer = grown;
    }
    this.#length += part.copy(this.#buffer, this.#length);
  }
}

const BYTES_AT_ONCE = 64 * 1024;

/** Copies while others run, because the pages of a large memory take long to be made. */
async function copy(from: Buffer, to: Buffer): Promise<void> {
  for (let at = 0; at < from.length; at += BYTES_AT_ONCE) {
    from.copy(to, at, at, at + BYTES_AT_ONCE);
    const pause = yieldIfLong();
    if (pause) await pause;
  }
}

/** The address that sends a body; nobody for one that is no request. */
const holderOf = (source: Readable): Peer => [
  'socket' in source && source.socket instanceof Socket ? (source.socket.remoteAddress ?? '') : '',
];
