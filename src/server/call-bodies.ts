import type { Readable } from 'node:stream';
import type { Clock } from '#lib/clock.ts';
import type { Issue } from '#protocol/core/issue.ts';

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
  refuse(why: BodyRefused): void;
}

/** Receives the bodies of all calls, within one bound and in time. */
export class CallBodies {
  readonly #clock: Clock;
  readonly #maxTotalBytes: number;
  readonly #arriving = new Set<Arriving>();
  #totalBytes = 0;

  constructor(clock: Clock, maxTotalBytes = MAX_TOTAL_BYTES) {
    this.#clock = clock;
    this.#maxTotalBytes = maxTotalBytes;
  }

  /** Receives a body, and counts it until `use` is done. Throws a BodyRefused, and what `use` throws. */
  async read<T>(source: Readable, maxBytes: number, use: (bytes: Buffer) => T | Promise<T>): Promise<T> {
    const body: Arriving = { bytes: 0, refuse: () => {} };
    const refused = new Promise<never>((_, reject) => {
      body.refuse = reject;
    });
    // A body that has ended awaits it no more.
    refused.catch(() => {});
    this.#arriving.add(body);
    try {
      const parts: Buffer[] = [];
      for await (const part of this.#parts(source, body, refused)) {
        if (body.bytes > maxBytes) throw new BodyRefused(413, `expected a body of at most ${maxBytes} bytes`);
        parts.push(part);
      }
      this.#arriving.delete(body);
      return await use(Buffer.concat(parts));
    } finally {
      this.#arriving.delete(body);
      this.#totalBytes -= body.bytes;
    }
  }

  async *#parts(source: Readable, body: Arriving, refused: Promise<never>): AsyncGenerator<Buffer> {
    // The connection stays, so that a refusal can be sent.
    const parts: AsyncIterator<Buffer> = source.iterator({ destroyOnReturn: false });
    const stalled = () =>
      body.refuse(new BodyRefused(408, `no part of the body within ${STALLED_MS / 1000} s`));
    try {
      for (;;) {
        const stopTimer = this.#clock.after(STALLED_MS, stalled);
        const part = await Promise.race([refused, parts.next()]).finally(stopTimer);
        if (part.done) return;
        body.bytes += part.value.length;
        this.#totalBytes += part.value.length;
        this.#makeRoom();
        yield part.value;
      }
    } finally {
      // Not awaited, because it waits for the next part.
      void parts.return?.().catch(() => {});
    }
  }

  /** Refuses the largest bodies, so that clients who fill the room keep no small call out. */
  #makeRoom(): void {
    let excessBytes = this.#totalBytes - this.#maxTotalBytes;
    const bySize = excessBytes > 0 ? [...this.#arriving].sort((a, b) => b.bytes - a.bytes) : [];
    for (const body of bySize) {
      if (excessBytes <= 0) return;
      excessBytes -= body.bytes;
      const why = `expected at most ${this.#maxTotalBytes} bytes in all bodies at a time, try again shortly`;
      body.refuse(new BodyRefused(503, why));
    }
  }
}
