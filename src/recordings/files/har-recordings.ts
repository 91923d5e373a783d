import { madeOnce } from '#lib/collections/maps.ts';
import { count, counted } from '#lib/format.ts';
import { readAddress } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { LOST_KIND, type RecordEntry, type RecordingInfo } from '#trace/entry.ts';
import type { ImportError } from '#trace/files/import-error.ts';
import { NameLimit } from '#trace/files/recording-schema.ts';
import { byteLength } from '#trace/frame-size.ts';
import { bareAddress, endpointAt } from '#trace/known-endpoint.ts';
import { NO_NOTE } from '#trace/recorded-event.ts';
import { withoutNamedSecrets } from '#trace/secrets/named-secrets.ts';
import type { Redaction } from '#trace/secrets/redaction.ts';
import { Trace } from '#trace/trace.ts';
import type { FileSecrets } from './file-secrets.ts';

/** Which connections of a file share a recording. */
export type HarSplit = 'endpoint' | 'address';

export interface HarRecording {
  info: RecordingInfo;
  entries: RecordEntry[];
}

export interface HarMessage {
  head: { direction: 'out' | 'in'; opcode: 'text' | 'binary' };
  atMs: number;
  payload: Frame;
}

/** What happened on a socket: a message, its first close, or damaged messages in place of which `lost` counts them. */
export type HarEvent =
  | HarMessage
  | { atMs: number; close: { code: number; reason: string; asked: boolean } }
  | { atMs: number; lost: number };

export type HarPath = readonly PropertyKey[];
export const HAR_ENTRIES: HarPath = ['log', 'entries'];

/** A socket of a file of another program. */
export interface HarSocket {
  path: HarPath;
  url: string;
  startedMs: number | null;
  events: readonly HarEvent[];
  /** Address and payloads, the key of its secrets. */
  texts: readonly Frame[];
}

export interface HarRecordingOptions {
  split: HarSplit;
  /** Of the sockets at addresses of no endpoint; null: they are of none. */
  asked: Endpoint | null;
  secrets: FileSecrets;
  /** Of one recording, see {@link NameLimit}. */
  maxNames: number;
  maxRecordings: number;
  wrong: (path: HarPath, expected: string, found: string) => ImportError;
  /** Called after each event. */
  entryRead: () => void;
}

/** Grouped by endpoint or address. */
interface GroupedSocket {
  socket: HarSocket;
  endpoint: Endpoint | null;
  address: string;
  openedMs: number;
}

/**
 * Returns a recording for each endpoint, or for each address; those of known endpoints first, then in the order of time.
 * Every socket with messages is a connection of one of them. @throws ImportError
 */
export function harRecordings(
  sockets: readonly HarSocket[],
  options: HarRecordingOptions,
): { recordings: HarRecording[]; addresses: number } {
  const { split, maxRecordings, wrong } = options;
  const endpointOf = endpointsOf(sockets, options.asked);
  const groups = new Map<string, GroupedSocket[]>();
  const addresses = new Set<string>();
  for (const socket of sockets) {
    if (socket.events.length === 0) continue;
    const endpoint = endpointOf(socket.url);
    const address = bareAddress(socket.url, endpoint);
    addresses.add(address);
    const key = split === 'address' ? address : (endpoint?.id ?? '');
    // No frame may precede its connection, and messages may be in any order.
    const openedMs = socket.events.reduce(
      (earliestMs, { atMs }) => Math.min(earliestMs, atMs),
      socket.startedMs ?? Number.POSITIVE_INFINITY,
    );
    madeOnce(groups, key, () => []).push({ socket, endpoint, address, openedMs });
  }
  if (groups.size > maxRecordings)
    throw wrong(HAR_ENTRIES, `at most ${counted(maxRecordings, 'address', 'addresses')}`, count(groups.size));
  const recordings = [...groups.values()].map((group) => recordingOf(group, options));
  const rank = ({ info }: HarRecording): number => (info.endpoint === '' ? 1 : 0);
  recordings.sort((a, b) => rank(a) - rank(b) || a.info.startedAtMs - b.info.startedAtMs);
  return { recordings, addresses: addresses.size };
}

/**
 * Returns a function from the address of a socket to its endpoint. An endpoint that is asked for has the sockets at its own
 * path, or any others where there are none.
 */
function endpointsOf(
  sockets: readonly HarSocket[],
  asked: Endpoint | null,
): (url: string) => Endpoint | null {
  const isAtPath = (url: string): boolean => asked !== null && readAddress(asked, url) !== null;
  const hasPath = sockets.some(({ url }) => endpointAt(url) === null && isAtPath(url));
  return (url) => endpointAt(url) ?? (hasPath && !isAtPath(url) ? null : asked);
}

/** @param group sockets of one endpoint */
function recordingOf(
  group: readonly GroupedSocket[],
  { secrets, maxNames, wrong, entryRead }: HarRecordingOptions,
): HarRecording {
  const trace = new Trace(group[0]?.endpoint ?? null);
  const connections = group
    .toSorted((a, b) => a.openedMs - b.openedMs)
    .map((socket, at) => new Connection(socket, at + 1, secrets, trace));
  const timed = connections.flatMap((connection) => [
    { connection, atMs: connection.openedMs, event: null },
    ...connection.events.map((event) => ({ connection, atMs: event.atMs, event })),
  ]);
  timed.sort((a, b) => a.atMs - b.atMs);
  const startedAtMs = timed[0]?.atMs ?? 0;
  const names = new NameLimit(maxNames);
  const entries = timed.map(({ connection, atMs, event }, index): RecordEntry => {
    const entry = event ? connection.entryOf(event) : connection.opening();
    const fewerNames = names.take(entry);
    if (fewerNames !== null) throw wrong(connection.path, fewerNames, 'more');
    if (event) entryRead();
    return { ...entry, index, atUs: Math.round((atMs - startedAtMs) * 1000) };
  });
  return {
    info: {
      id: '',
      name: '',
      endpoint: connections[0]?.endpoint?.id ?? '',
      address: connections[0]?.address ?? '',
      startedAtMs,
      durationUs: entries.at(-1)?.atUs ?? 0,
      entries: entries.length,
      bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
      pinned: false,
    },
    entries,
  };
}

type UntimedEntry = Omit<RecordEntry, 'index' | 'atUs'>;

/** Makes the entries of a connection. Its messages are to be read in the order of time. */
class Connection {
  readonly path: HarPath;
  readonly events: readonly HarEvent[];
  readonly openedMs: number;
  readonly endpoint: Endpoint | null;
  /** Without secrets. */
  readonly address: string;
  readonly #number: number;
  readonly #trace: Trace;
  readonly #redaction: Redaction;

  constructor(
    { socket, endpoint, address, openedMs }: GroupedSocket,
    number: number,
    secrets: FileSecrets,
    trace: Trace,
  ) {
    this.path = socket.path;
    this.events = socket.events;
    this.openedMs = openedMs;
    this.endpoint = endpoint;
    this.#number = number;
    this.#trace = trace;
    this.#redaction = secrets.redactionOf(socket.texts);
    this.address = this.#words(address);
  }

  opening(): UntimedEntry {
    const opening = this.#happened('opening', { address: this.address });
    this.#trace.append(opening);
    return opening;
  }

  entryOf(event: HarEvent): UntimedEntry {
    if ('lost' in event) return this.#happened(LOST_KIND, { entries: event.lost });
    if ('close' in event) {
      const { code, reason, asked } = event.close;
      return this.#happened('closed', { code, reason: this.#words(reason), asked, left: false });
    }
    const { head, payload } = event;
    const { note } = this.#trace.append({ ...head, kind: '', connection: this.#number, payload });
    return {
      ...head,
      ...note,
      context: note.context && this.#words(note.context),
      connection: this.#number,
      bytes: byteLength(payload),
      payload: this.#redaction.frame(withoutNamedSecrets(payload)),
    };
  }

  #happened(kind: string, what: object): UntimedEntry {
    return {
      ...NO_NOTE,
      direction: 'connection',
      connection: this.#number,
      opcode: 'none',
      bytes: 0,
      kind,
      payload: JSON.stringify(what),
    };
  }

  #words(text: string): string {
    return this.#redaction.words(withoutNamedSecrets(text));
  }
}
