import { madeOnce } from '#lib/collections/maps.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import { readAddress } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { ENDPOINTS, endpointNamed } from '#protocol/registry.ts';
import { closeOf, type RecordedClose } from '#trace/connection.ts';
import { LOST_KIND, type RecordEntry, type RecordingInfo } from '#trace/entry.ts';
import { isRefusal, RecordedCall, type RequestHead, type RestApi, restApiOf } from '#trace/rest-calls.ts';
import { callTargetOf } from './call-target.ts';
import type { AnsweredCall, RecordedConnection, RecordedRefusal, Servable } from './cassette.ts';
import { type ComparedBody, comparedBody } from './compared-body.ts';
import { ServedScript } from './script.ts';

/** Classes of statuses that end a call. HAR files have 0 for a call that failed. */
const STATUSES: ReadonlySet<number> = new Set([2, 3, 4, 5]);

/** Reads the connections and calls of a recording. @param title its file or name, for reports */
export async function readServable(
  info: RecordingInfo,
  all: readonly RecordEntry[],
  title: string,
): Promise<Servable> {
  const api = restApiOf(info.endpoint);
  const endpoint = endpointNamed(info.endpoint);
  if (api) return readCalls(info, api, title, await groupsOf(all, ({ turn }) => turn));
  if (!endpoint) {
    const known = ENDPOINTS.map(({ id }) => id).join(', ');
    const note = `${title}: its endpoint ${JSON.stringify(info.endpoint)} is unknown here, expected one of ${known}.`;
    return { connections: [], calls: [], notes: [note] };
  }
  const groups = await groupsOf(all, ({ connection }) => connection);
  const connections: RecordedConnection[] = [];
  const notes: string[] = [];
  for (const [number, entries] of groups) {
    const own = groups.size === 1 ? title : `${title}, connection ${number}`;
    const read = await readConnection(endpoint, entries);
    if (typeof read === 'string') notes.push(`${own}: ${read}, left out.`);
    else if (read)
      connections.push({
        endpoint,
        title: own,
        startedAtMs: info.startedAtMs + (entries[0]?.atUs ?? 0) / 1000,
        ...read,
      });
  }
  return { connections, calls: [], notes };
}

/** Groups the entries without those of a player. A connection that has only such entries counts, with none. */
async function groupsOf<K>(
  all: readonly RecordEntry[],
  keyOf: (entry: RecordEntry) => K,
): Promise<Map<K, RecordEntry[]>> {
  const groups = new Map<K, RecordEntry[]>();
  for (const entry of all) {
    const own = madeOnce(groups, keyOf(entry), () => []);
    if (entry.direction !== 'player') own.push(entry);
    const pause = yieldIfLong();
    if (pause) await pause;
  }
  return groups;
}

/** Reads one connection. Returns why it cannot be served, and null for one without entries. */
async function readConnection(
  endpoint: Endpoint,
  entries: readonly RecordEntry[],
): Promise<Pick<RecordedConnection, 'settings' | 'script' | 'refusal' | 'isAnswered'> | string | null> {
  if (entries.length === 0) return null;
  const script = new ServedScript(endpoint, entries[0]?.atUs ?? 0);
  const has = { received: false, opened: false, lost: false, mute: false };
  let close: RecordedClose | null = null;
  for (const entry of entries) {
    const { direction, kind, bytes } = entry;
    has.received ||= direction === 'in';
    has.opened ||= kind === 'opened';
    has.lost ||= kind === LOST_KIND;
    has.mute ||= direction === 'in' && kind === 'audio' && bytes > 0 && entry.payload.length === 0;
    if (kind === 'closed') close = closeOf(entry.payload);
    script.take(entry);
    const pause = yieldIfLong();
    if (pause) await pause;
  }
  script.end();
  if (has.lost) return 'a part of its entries was not recorded';
  if (!has.received && !close) return 'no frames of a server';
  const refusal = has.received || has.opened ? null : refusalOf(close);
  if (!has.received && !has.opened && !refusal) return 'its handshake was refused';
  if (has.mute) return 'its audio was not recorded';
  const isClosedByServer = close !== null && !close.asked && !close.left;
  const settings = readAddress(endpoint, script.address)?.settings ?? {};
  return { settings, script, refusal, isAnswered: has.received || isClosedByServer || refusal !== null };
}

/** How a capture words the end of a refused handshake. */
const REFUSED = /^refused with (\d{3})$/;
const MIN_REFUSAL = 300;
/** A value that a header can hold. */
const SENDABLE = /^[!-~][ -~]*$/;
/** The type of a recorded body without one. */
const PLAIN = 'text/plain; charset=utf-8';

function refusalOf(close: RecordedClose | null): RecordedRefusal | null {
  const status = Number(REFUSED.exec(close?.reason ?? '')?.[1] ?? 0);
  if (!close || status < MIN_REFUSAL || status >= 600) return null;
  const { body, contentType } = close;
  return { status, body, contentType: SENDABLE.test(contentType) ? contentType : PLAIN };
}

/** Leaves out calls without an answer, and preflights, which are answered without a recording. */
async function readCalls(
  info: RecordingInfo,
  api: RestApi,
  title: string,
  groups: ReadonlyMap<number | null, readonly RecordEntry[]>,
): Promise<Servable> {
  const counts = { unanswered: 0, cut: 0 };
  const calls: AnsweredCall[] = [];
  for (const [turn, entries] of groups) {
    const pause = yieldIfLong();
    if (pause) await pause;
    if (turn === null) continue;
    const call = new RecordedCall(entries);
    const { request, response, firstUs, end } = call;
    if (isPreflight(request)) continue;
    const isAnswered = response && STATUSES.has(Math.floor(response.status / 100));
    if (!isAnswered) counts.unanswered += 1;
    else if ((end?.sent.kept && !isRefusal(response)) || end?.received.kept) counts.cut += 1;
    else calls.push(new KeptCall(info, api, title, entries, callTargetOf(request), firstUs));
  }
  const notes = [
    ...(counts.cut > 0 ? [`left out ${counts.cut} calls, whose bodies were not recorded as a whole.`] : []),
    ...(counts.unanswered > 0 ? [`left out ${counts.unanswered} calls without an answer.`] : []),
  ];
  return { connections: [], calls, notes: notes.map((note) => `${title}: ${note}`) };
}

/** A call that is read from its entries whenever it answers, because a recording may have very many. */
class KeptCall implements AnsweredCall {
  readonly api: RestApi;
  readonly title: string;
  readonly startedAtMs: number;
  readonly target: string | null;
  readonly #entries: readonly RecordEntry[];
  #body: Promise<ComparedBody | null> | null = null;

  constructor(
    info: RecordingInfo,
    api: RestApi,
    title: string,
    entries: readonly RecordEntry[],
    target: string | null,
    firstUs: number,
  ) {
    this.api = api;
    this.title = title;
    this.startedAtMs = info.startedAtMs + firstUs / 1000;
    this.target = target;
    this.#entries = entries;
  }

  get entry(): number {
    return this.#entries[0]?.index ?? 0;
  }

  get call(): RecordedCall {
    return new RecordedCall(this.#entries);
  }

  body(): Promise<ComparedBody | null> {
    this.#body ??= this.#read();
    return this.#body;
  }

  async #read(): Promise<ComparedBody | null> {
    const { call } = this;
    if (isRefusedEarly(call)) return null;
    return comparedBody(bytesOf(call.sent), call.request.headers['content-type'] ?? '');
  }
}

/** Whether a server refused a call before all of its body was recorded. A client does not need to send the rest. */
function isRefusedEarly({ request: { headers }, response, end }: RecordedCall): boolean {
  if (!response || !end || !isRefusal(response)) return false;
  const { bytes, kept } = end.sent;
  const isUnread = bytes === 0 && headers['transfer-encoding'] !== undefined;
  return kept !== undefined || isUnread || bytes < Number(headers['content-length'] ?? 0);
}

const bytesOf = (parts: readonly Frame[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));

/** A browser sends preflights at moments of its own choice. */
const isPreflight = ({ method, headers }: RequestHead): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
