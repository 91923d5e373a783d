import { type Fields, fieldsOf } from '#protocol/core/json-frame.ts';
import type { ShownEntry } from '#recordings/store/payload-reader.ts';
import { closeOf } from '#trace/connection.ts';
import { FAULT_KIND } from '#trace/entry.ts';
import { delaysOf, type Impairments } from './impairments.ts';

/** An entry and the time at which it is repeated, in µs of the recording. */
export interface Scheduled {
  entry: ShownEntry;
  dueUs: number;
}

/**
 * The order and times in which entries of a recording are repeated. Impairments delay entries of the server, which keep
 * their order as over TCP. Entries of the client keep their times, except that a connection opens after the end of the
 * last one, and frames are sent after it has opened.
 */
export class Schedule {
  readonly #delayMs: () => number;
  readonly #client: Scheduled[] = [];
  readonly #server: Scheduled[] = [];
  #clientUs = 0;
  #serverUs = 0;
  /** Entries that have not been added are at this time or later. */
  #knownToUs = 0;
  #isWhole = false;

  constructor(impairments: Impairments) {
    this.#delayMs = delaysOf(impairments);
  }

  get length(): number {
    return this.#client.length + this.#server.length;
  }

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
    // Frames go out after the delayed opening.
    if (isServer && entry.kind === 'opened') this.#clientUs = Math.max(this.#clientUs, this.#serverUs);
  }

  /** No entry before this time follows. */
  known(toUs: number): void {
    this.#knownToUs = Math.max(this.#knownToUs, toUs);
  }

  get knownToUs(): number {
    return this.#isWhole ? Number.POSITIVE_INFINITY : this.#knownToUs;
  }

  end(): void {
    this.#isWhole = true;
  }

  /** Returns the next entry; `'unknown'` where an entry not yet added may precede it; null after the last. */
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

/** Every end of a connection comes from the server, except one by which this side dropped the connection. */
function isOfServer({ direction, kind, payload }: ShownEntry): boolean {
  if (direction === 'in') return true;
  if (direction !== 'connection') return false;
  if (kind === 'opened' || kind === 'failed' || kind === FAULT_KIND) return true;
  return kind === 'closed' && closeOf(payload).left === false;
}

/** Returns the fields of a connection entry; none where the payload does not parse. */
export const detailsIn = (payload: ShownEntry['payload']): Fields =>
  (payload === null ? null : fieldsOf(payload)) ?? {};
