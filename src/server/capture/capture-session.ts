import { describeIssue, issuesOf } from '#protocol/core/issue.ts';
import { parseFields } from '#protocol/core/json-frame.ts';
import {
  type CapturedClient,
  type CaptureMessage,
  messageOfEntry,
  pageMessageSchema,
} from '#trace/capture-messages.ts';
import type { Connection, Session } from '../connection.ts';
import { CLOSE_POLICY, CLOSE_TRY_AGAIN } from '../sockets/web-socket.ts';
import type { Capture, StruckFault } from './capture.ts';
import type { CapturedConnection } from './captured-connection.ts';
import type { ConnectionFigures } from './figures.ts';

/** Entries of watched clients are sent this often. */
const SEND_EVERY_MS = 50;
/** The list of clients changes this often. */
const LIST_EVERY_MS = 500;
/** Entries in one message, and characters of their payloads after which another begins. */
const ENTRIES_A_MESSAGE = 256;
const CHARS_A_MESSAGE = 512 * 1024;

/** Faults that wait for a page that does not read, the newest ones. */
const MAX_WAITING_FAULTS = 100;

const MAX_LISTED_CHARS = 2000;

export const CLOSE_GOING_AWAY = 1001;

/** A client that a page watches. */
interface Watched {
  connection: CapturedConnection;
  /** Number of the next entry to send. */
  next: number;
  lost: number;
}

/** A page that watches the other clients of the server. */
export class CaptureSession implements Session {
  readonly #connection: Connection;
  readonly #capture: Capture;
  readonly #watched = new Map<string, Watched>();
  /** The last sent view of each client, as JSON without its address and other parts that never change, by its id. */
  readonly #known = new Map<string, string>();
  readonly #stopFaults: () => void;
  readonly #ended: () => void;
  #faults: StruckFault[] = [];
  #stopSending = () => {};
  #stopListing = () => {};
  #isFirstList = true;
  #isOver = false;

  /** @param ended called once it watches no more */
  constructor(connection: Connection, capture: Capture, ended: () => void) {
    this.#connection = connection;
    this.#capture = capture;
    this.#ended = ended;
    this.#stopFaults = capture.onFault((fault) => {
      this.#faults = [...this.#faults, fault].slice(-MAX_WAITING_FAULTS);
      if (this.#faults.length === 1) connection.background(() => this.#sendFaults());
    });
    connection.background(() => this.#list());
  }

  text(text: string): void {
    const read = parseFields(text);
    if (!('fields' in read)) {
      this.#refuse(`expected a JSON object, got ${read.kind}`);
      return;
    }
    const message = pageMessageSchema.safeParse(read.fields);
    if (!message.success) {
      const [issue] = issuesOf(message.error, read.fields);
      this.#refuse(issue ? describeIssue(issue) : 'expected watch or unwatch');
      return;
    }
    const { type, client } = message.data;
    if (type === 'unwatch') this.#watched.delete(client);
    else this.#watch(client);
  }

  binary(): void {
    this.#refuse('expected a text message');
  }

  gone(): void {
    this.#isOver = true;
    this.#stopFaults();
    this.#stopSending();
    this.#stopListing();
    this.#watched.clear();
    this.#ended();
  }

  /** Ends, for a page of an address that holds less. */
  giveUp(why: string): void {
    this.gone();
    this.#connection.close(CLOSE_TRY_AGAIN, why);
  }

  goingAway(): void {
    this.gone();
    this.#connection.close(CLOSE_GOING_AWAY, 'restarting');
  }

  #refuse(reason: string): void {
    this.gone();
    this.#connection.close(CLOSE_POLICY, reason.slice(0, 100));
  }

  #send(message: CaptureMessage): void {
    if (!this.#isOver) this.#connection.send(JSON.stringify(message));
  }

  async #sendFaults(): Promise<void> {
    while (this.#faults.length > 0) {
      await this.#connection.drained();
      for (const fault of this.#faults) this.#send({ type: 'fault', ...fault });
      this.#faults = [];
    }
  }

  #watch(client: string): void {
    const connection = this.#capture.connections.get(client);
    if (!connection) {
      this.#send({ type: 'clients', changed: [], gone: [client] });
      return;
    }
    const isFirst = this.#watched.size === 0;
    this.#watched.set(client, { connection, next: 0, lost: 0 });
    if (isFirst) this.#connection.background(() => this.#sendEntries());
  }

  /** Sends new entries of all watched clients, at the pace at which the page reads. */
  async #sendEntries(): Promise<void> {
    for (const [client, watched] of this.#watched) {
      do {
        await this.#connection.drained();
        if (this.#isOver) return;
      } while (this.#watched.get(client) === watched && this.#sendSome(client, watched));
    }
    this.#stopSending();
    if (this.#isOver || this.#watched.size === 0) return;
    this.#stopSending = this.#connection.clock.after(SEND_EVERY_MS, () =>
      this.#connection.background(() => this.#sendEntries()),
    );
  }

  /** Sends one message. Returns whether there are more entries. */
  #sendSome(client: string, watched: Watched): boolean {
    const { connection } = watched;
    // Read before the entries, so that none of this time follows.
    const untilMs = this.#connection.clock.nowMs();
    const dropped = Math.max(0, connection.lost - watched.next);
    watched.next += dropped;
    const entries = connection.from(watched.next, ENTRIES_A_MESSAGE);
    let chars = 0;
    const some = entries.filter(({ payload }, at) => {
      chars += payload.length;
      return at === 0 || chars <= CHARS_A_MESSAGE;
    });
    watched.next += some.length;
    const hasMore = watched.next < connection.length;
    const isLast = connection.end !== null && !hasMore;
    this.#send({
      type: 'entries',
      client,
      entries: some.map(messageOfEntry),
      lost: dropped,
      untilMs: hasMore ? (some.at(-1)?.atMs ?? untilMs) : untilMs,
      sentAtMs: this.#connection.clock.nowMs(),
      isLast,
    });
    if (isLast) this.#watched.delete(client);
    return hasMore;
  }

  /** Sends what has changed in the list of clients, at the pace at which the page reads, and again after a while. */
  async #list(): Promise<void> {
    await this.#connection.drained();
    if (this.#isOver) return;
    const { connections } = this.#capture;
    const changed: CapturedClient[] = [];
    for (const connection of connections.values()) {
      const figures = this.#capture.figuresOf(connection);
      while (figures.readOn()) await new Promise(setImmediate);
      if (this.#isOver) return;
      const view = changingOf(connection, figures);
      const json = JSON.stringify(view);
      const { id, endpoint, startedAtMs } = connection;
      if (this.#known.get(id) === json) continue;
      this.#known.set(id, json);
      const address = listed(connection.address);
      const program = listed(connection.program);
      changed.push({ id, endpoint, address, program, startedAtMs, ...view });
    }
    const gone = [...this.#known.keys()].filter((id) => !connections.has(id));
    for (const id of gone) {
      this.#known.delete(id);
      this.#watched.delete(id);
    }
    if (this.#isFirstList || changed.length > 0 || gone.length > 0)
      this.#send({ type: 'clients', changed, gone });
    this.#isFirstList = false;
    this.#stopListing = this.#connection.clock.after(LIST_EVERY_MS, () =>
      this.#connection.background(() => this.#list()),
    );
  }
}

/** Without the end of an address of kilobytes, which its first entry has: the list names hundreds. */
const listed = (text: string): string => text.slice(0, MAX_LISTED_CHARS);

/** The fields of a client that may change. */
const changingOf = (
  connection: CapturedConnection,
  figures: ConnectionFigures,
): Omit<CapturedClient, 'id' | 'endpoint' | 'address' | 'program' | 'startedAtMs'> => ({
  end: connection.end,
  calls: connection.calls && { running: connection.calls.running, failed: connection.calls.failed },
  bytes: connection.bytes,
  turns: connection.calls?.all ?? figures.turns,
  audioMs: figures.audioMs === null ? null : Math.round(figures.audioMs),
  findings: figures.findings,
  lost: connection.lost,
});
