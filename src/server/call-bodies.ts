import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '#lib/clock.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import type { Issue } from '#protocol/core/issue.ts';
import { FairMemory, type HeldMemory, type Peer } from './state/shares.ts';

/** Memory of all bodies of calls until they are read. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
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

/** A body that is being received. */
interface Arriving {
  bytes: number;
  memory: HeldMemory;
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
    let refuse: (why: BodyRefused) => void = () => {};
    const refused = new Promise<never>((_, reject) => {
      refuse = reject;
    });
    // A body that has ended awaits it no more.
    refused.catch(() => {});
    const why = `expected at most ${this.#maxTotalBytes} bytes in all bodies at a time, try again shortly`;
    const memory = this.#memory.hold(holderOf(source), () => refuse(new BodyRefused(503, why)));
    const body: Arriving = { bytes: 0, memory };
    try {
      const parts: Buffer[] = [];
      for await (const part of this.#parts(source, body, refused, refuse)) {
        if (body.bytes > maxBytes) throw new BodyRefused(413, `expected a body of at most ${maxBytes} bytes`);
        parts.push(part);
      }
      memory.keep();
      return await use(await joined(parts, body.bytes));
    } finally {
      memory.release();
    }
  }

  async *#parts(
    source: Readable,
    body: Arriving,
    refused: Promise<never>,
    refuse: (why: BodyRefused) => void,
  ): AsyncGenerator<Buffer> {
    // The connection stays, so that a refusal can be sent.
    const parts: AsyncIterator<Buffer> = source.iterator({ destroyOnReturn: false });
    const stalled = () => refuse(new BodyRefused(408, `no part of the body within ${STALLED_MS / 1000} s`));
    try {
      for (;;) {
        const stopTimer = this.#clock.after(STALLED_MS, stalled);
        const part = await Promise.race([refused, parts.next()]).finally(stopTimer);
        if (part.done) return;
        body.bytes += part.value.length;
        body.memory.resize(body.bytes);
        yield part.value;
      }
    } finally {
      // Not awaited, because it waits for the next part.
      void parts.return?.().catch(() => {});
    }
  }
}

/** Joins parts while others run, because the pages of a large memory take long to be made. */
async function joined(parts: readonly Buffer[], length: number): Promise<Buffer> {
  const whole = Buffer.allocUnsafe(length);
  let at = 0;
  for (const part of parts) {
    at += part.copy(whole, at);
    const pause = yieldIfLong();
    if (pause) await pause;
  }
  return whole;
}

/** The address that sends a body; nobody for one that is no request. */
const holderOf = (source: Readable): Peer => [
  'socket' in source && source.socket instanceof Socket ? (source.socket.remoteAddress ?? '') : '',
];
