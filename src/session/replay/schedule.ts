import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import { delaysOf, type Impairments } from './impairments.ts';

/** An entry and when it is done again, in µs of the recording. */
export interface Scheduled {
  entry: ShownEntry;
  dueUs: number;
}

/**
 * When each entry of a recording is done again. What came from the server comes later by what is added to its way, in
 * the order in which it came, as over TCP. What this side did stays at its time, but for what cannot be before an answer
 * that is late: nothing goes out before its connection is open, and none is opened before the last one has ended.
 */
export class Schedule {
  readonly #delayMs: () => number;
  readonly #client: Scheduled[] = [];
  readonly #server: Scheduled[] = [];
  #clientUs = 0;
  #serverUs = 0;
  /** Everything that is not known yet is at this time or later. */
  #knownToUs = 0;
  #isWhole = false;

  constructor(impairments: Impairments) {
    this.#delayMs = delaysOf(impairments);
  }

  /** Entries that wait. */
  get length(): number {
    return this.#client.length + this.#server.length;
  }

  /** Takes the next entry of the recording. */
  add(entry: ShownEntry): void {
    this.#knownToUs = entry.atUs;
    const isServer = isOfServer(entry);
    if (isServer) {
      const lateUs = Math.round(this.#delayMs() * 1000);
      this.#serverUs = Math.max(this.#serverUs, entry.atUs + lateUs);
      this.#server.push({ entry, dueUs: this.#serverUs });
    } else {
      const isAnswered = entry.kind === 'opening';
      this.#clientUs = Math.max(this.#clientUs, entry.atUs, isAnswered ? this.#serverUs : 0);
      this.#client.push({ entry, dueUs: this.#clientUs });
    }
    // What goes out next on the connection waits for it.
    if (isServer && entry.kind === 'opened') this.#clientUs = Math.max(this.#clientUs, this.#serverUs);
  }

  /** There are no more entries. */
  end(): void {
    this.#isWhole = true;
  }

  /**
   * The next entry to be done; `'unknown'` where one that is not there yet may come before it; null where all are done.
   */
  peek(): Scheduled | 'unknown' | null {
    const next = this.#next()[0];
    if (!next) return this.#isWhole ? null : 'unknown';
    return this.#isWhole || next.dueUs <= this.#knownToUs ? next : 'unknown';
  }

  take(): void {
    this.#next().shift();
  }

  #next(): Scheduled[] {
    const client = this.#client[0];
    const server = this.#server[0];
    if (!client || !server) return client ? this.#client : this.#server;
    const isClientFirst =
      client.dueUs < server.dueUs ||
      (client.dueUs === server.dueUs && client.entry.index < server.entry.index);
    return isClientFirst ? this.#client : this.#server;
  }
}

/** Ends by this side, at once and without an answer, are its own; all others are the server's, or come through it. */
function isOfServer({ direction, kind, payload }: ShownEntry): boolean {
  if (direction === 'in') return true;
  if (direction !== 'connection') return false;
  if (kind === 'opened' || kind === 'failed') return true;
  return kind === 'closed' && closingOf(payload).left === false;
}

/** What a connection's end says of itself; of a recording from elsewhere, anything. */
export interface RecordedClosing {
  code: number;
  reason: string;
  /** This side had asked for it. */
  asked: boolean;
  /** This side went without waiting for the server. */
  left: boolean;
}

export function closingOf(payload: ShownEntry['payload']): RecordedClosing {
  const { code, reason, asked, left } = toldIn(payload);
  return {
    code: typeof code === 'number' ? code : CODE_NONE,
    reason: typeof reason === 'string' ? reason : '',
    asked: asked === true,
    left: left === true,
  };
}

/** What an entry of the connection tells; nothing where it tells it in no way that is known. */
export function toldIn(payload: ShownEntry['payload']): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(typeof payload === 'string' ? payload : '');
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** A close without a code (RFC 6455, 7.4.1). */
const CODE_NONE = 1005;
