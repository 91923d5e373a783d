import type { Clock } from '#lib/clock.ts';
import { madeOnce } from '#lib/collections/maps.ts';
import { CapturedConnection, type CapturedStart } from './captured-connection.ts';
import { ConnectionFigures } from './figures.ts';

/** Memory of all kept entries. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Connections beyond this number are dropped once they have ended, also where each has few entries. */
const MAX_CONNECTIONS = 500;
/** Requests at unknown paths that are kept, and characters of each. */
const MAX_STRAYS = 20;
const MAX_STRAY_CHARS = 120;

/** A fault that was injected into a connection whose address carries a mark. */
export interface StruckFault {
  mark: string;
  atMs: number;
  what: string;
}

/**
 * The entries of the server's clients, within a fixed memory: ended connections are dropped first, the oldest before
 * others, and then the older half of the oldest open one.
 */
export class Capture {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #maxBytes: number;
  readonly #maxConnections: number;
  /** By id, oldest first. */
  readonly #connections = new Map<string, CapturedConnection>();
  readonly #faultListeners = new Set<(fault: StruckFault) => void>();
  readonly #figures = new WeakMap<CapturedConnection, ConnectionFigures>();
  readonly #strays = new Set<string>();
  #bytes = 0;

  constructor(
    clock: Pick<Clock, 'nowMs'>,
    {
      maxBytes = MAX_BYTES,
      maxConnections = MAX_CONNECTIONS,
    }: { maxBytes?: number; maxConnections?: number } = {},
  ) {
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#maxConnections = maxConnections;
  }

  get connections(): ReadonlyMap<string, CapturedConnection> {
    return this.#connections;
  }

  /** Requests at paths that no vendor has here, such as `GET /v1/models`, without their queries; the first ones. */
  get strays(): readonly string[] {
    return [...this.#strays];
  }

  /** Keeps the path of a request that nothing here answers. */
  stray(method: string, path: string): void {
    if (this.#strays.size < MAX_STRAYS) this.#strays.add(`${method} ${path.slice(0, MAX_STRAY_CHARS)}`);
  }

  /** Of all connections, in bytes. */
  get keptBytes(): number {
    return this.#bytes;
  }

  /** The figures of a connection, which are counted only for those who ask. */
  figuresOf(connection: CapturedConnection): ConnectionFigures {
    return madeOnce(this.#figures, connection, () => new ConnectionFigures(connection));
  }

  begin(start: CapturedStart): CapturedConnection {
    const connection = new CapturedConnection(
      start,
      () => this.#clock.nowMs(),
      (bytes) => {
        this.#bytes += bytes;
        this.#makeRoom();
      },
    );
    this.#connections.set(connection.id, connection);
    this.#makeRoom();
    return connection;
  }

  /** Reports a fault to the pages that listen, where it was injected into a connection with a mark. @param mark empty for none */
  injected(what: string, mark: string): void {
    if (mark === '') return;
    for (const listener of this.#faultListeners) listener({ mark, atMs: this.#clock.nowMs(), what });
  }

  onFault(listener: (fault: StruckFault) => void): () => void {
    this.#faultListeners.add(listener);
    return () => this.#faultListeners.delete(listener);
  }

  #makeRoom(): void {
    while (this.#bytes > this.#maxBytes || this.#connections.size > this.#maxConnections) {
      const all = [...this.#connections.values()];
      const ended = all.find(({ end }) => end !== null);
      if (ended) {
        this.#bytes -= ended.drop('all');
        this.#connections.delete(ended.id);
        continue;
      }
      const open = all.find(({ keptBytes }) => keptBytes > 0);
      // An open connection stays, so that dropping its entries makes room in memory alone.
      if (!open || this.#bytes <= this.#maxBytes) return;
      this.#bytes -= open.drop('half');
    }
  }
}
