import type { Clock } from '#lib/clock.ts';
import { madeOnce } from '#lib/collections/maps.ts';
import { Shares } from '../state/shares.ts';
import { CapturedConnection, type CapturedStart } from './captured-connection.ts';
import { ConnectionFigures } from './figures.ts';

/** Memory of all kept entries. */
const MAX_BYTES = 40 * 1024 * 1024;
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
 * The entries of the server's clients, within a fixed memory. The address that holds most gives way: its ended connections are
 * dropped first, the oldest before others, and then the older half of its oldest open one.
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
  /** By memory, and by number. */
  readonly #bytes = new Shares<CapturedConnection>();
  readonly #counts = new Shares<CapturedConnection>();

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
    return this.#bytes.weight;
  }

  /** The figures of a connection, which are counted only for those who ask. */
  figuresOf(connection: CapturedConnection): ConnectionFigures {
    return madeOnce(this.#figures, connection, () => new ConnectionFigures(connection));
  }

  begin(start: CapturedStart): CapturedConnection {
    const connection = new CapturedConnection(
      start,
      () => this.#clock.nowMs(),
      (each) => this.#kept(each),
    );
    this.#connections.set(connection.id, connection);
    this.#counts.add(connection, connection.peer);
    this.#kept(connection);
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

  #kept(connection: CapturedConnection): void {
    // The first entry of one comes before it is here, and the end of one may come after it was dropped.
    if (!this.#connections.has(connection.id)) return;
    this.#bytes.add(connection, connection.peer, connection.keptBytes);
    this.#makeRoom();
  }

  #makeRoom(): void {
    const hasEnded = ({ end }: CapturedConnection) => end !== null;
    while (this.#connections.size > this.#maxConnections) {
      const ended = this.#oldest(this.#counts, hasEnded) ?? [...this.#connections.values()].find(hasEnded);
      if (!ended) break;
      this.#drop(ended);
    }
    while (this.#bytes.weight > this.#maxBytes) {
      const ended = this.#oldest(this.#bytes, hasEnded);
      const open = ended ?? this.#oldest(this.#bytes, ({ keptBytes }) => keptBytes > 0);
      if (ended) this.#drop(ended);
      else if (open) {
        open.drop('half');
        this.#bytes.add(open, open.peer, open.keptBytes);
      } else return;
    }
  }

  /** The oldest of the address with the largest share. */
  #oldest(
    shares: Shares<CapturedConnection>,
    may: (connection: CapturedConnection) => boolean,
  ): CapturedConnection | undefined {
    const { largest } = shares;
    for (const connection of this.#connections.values())
      if (shares.of(connection.peer) === largest && may(connection)) return connection;
    return undefined;
  }

  #drop(connection: CapturedConnection): void {
    connection.drop('all');
    this.#bytes.remove(connection);
    this.#counts.remove(connection);
    this.#connections.delete(connection.id);
  }
}
