import { setImmediate } from 'node:timers/promises';
import { groupBy } from '#lib/collections/maps.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { LOST_KIND, type RecordEntry, type RecordingInfo } from '#record/record.ts';
import { RecordedCall, type RequestHead, type RestApi, restApiOf } from '#record/rest-calls.ts';
import type { AnsweredCall, RecordedConnection, Servable } from './cassette.ts';
import { comparedBody } from './compared-body.ts';
import { ServedScript } from './script.ts';

/** Classes of statuses that end a call. HAR files have 0 for a call that failed. */
const STATUSES: ReadonlySet<number> = new Set([2, 3, 4, 5]);
/** Entries that are read without a break of the event loop. */
const ENTRIES_AT_ONCE = 500;

/** Reads the connections and calls of a recording. @param title its file or name, for reports */
export async function readServable(
  info: RecordingInfo,
  all: readonly RecordEntry[],
  title: string,
): Promise<Servable> {
  const api = restApiOf(info.endpoint);
  const endpoint = ENDPOINTS.find(({ id }) => id === info.endpoint);
  const played = all.filter(({ direction }) => direction !== 'player');
  if (api) return readCalls(info, api, title, played);
  if (!endpoint) {
    const known = ENDPOINTS.map(({ id }) => id).join(', ');
    const note = `${title}: its endpoint ${JSON.stringify(info.endpoint)} is unknown here, expected one of ${known}.`;
    return { connections: [], calls: [], notes: [note] };
  }
  const numbers = new Set(all.map(({ connection }) => connection));
  const connections: RecordedConnection[] = [];
  const notes: string[] = [];
  for (const [number, entries] of groupBy(played, ({ connection }) => connection)) {
    const own = numbers.size === 1 ? title : `${title}, connection ${number}`;
    const why = whyUseless(entries);
    if (why !== null) {
      notes.push(`${own}: ${why}, left out.`);
      continue;
    }
    const firstUs = entries[0]?.atUs ?? 0;
    const script = new ServedScript(endpoint, firstUs);
    for (const [at, entry] of entries.entries()) {
      script.take(entry);
      if (at % ENTRIES_AT_ONCE === 0) await setImmediate();
    }
    connections.push({ endpoint, title: own, startedAtMs: info.startedAtMs + firstUs / 1000, script });
  }
  return { connections, calls: [], notes };
}

/** Leaves out calls without an answer, and preflights, which are answered without a recording. */
function readCalls(
  info: RecordingInfo,
  api: RestApi,
  title: string,
  played: readonly RecordEntry[],
): Servable {
  const counts = { unanswered: 0, cut: 0 };
  const calls = [...groupBy(played, ({ turn }) => turn)].flatMap(([turn, entries]): AnsweredCall[] => {
    const call = new RecordedCall(entries);
    const { request, response, firstUs, end } = call;
    if (turn === null || isPreflight(request)) return [];
    const isAnswered = response && STATUSES.has(Math.floor(response.status / 100));
    if (!isAnswered) counts.unanswered += 1;
    else if (end?.sent.kept || end?.received.kept) counts.cut += 1;
    else {
      const startedAtMs = info.startedAtMs + firstUs / 1000;
      const body = comparedBody(call.sent, request.headers['content-type'] ?? '');
      return [{ api, title, startedAtMs, entry: entries[0]?.index ?? 0, call, body, response }];
    }
    return [];
  });
  const notes = [
    ...(counts.cut > 0 ? [`left out ${counts.cut} calls, whose bodies were not recorded as a whole.`] : []),
    ...(counts.unanswered > 0 ? [`left out ${counts.unanswered} calls without an answer.`] : []),
  ];
  return { connections: [], calls, notes: notes.map((note) => `${title}: ${note}`) };
}

/** A browser sends preflights at moments of its own choice. */
const isPreflight = ({ method, headers }: RequestHead): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;

/** Why a recorded connection cannot be served; null where it can. */
function whyUseless(entries: readonly RecordEntry[]): string | null {
  const received = entries.filter(({ direction }) => direction === 'in');
  const isClosedByServer = entries.some(({ kind }) => kind === 'closed');
  if (entries.some(({ kind }) => kind === LOST_KIND)) return 'a part of its entries was not recorded';
  if (received.length === 0 && !isClosedByServer) return 'no frames of a server';
  if (received.length === 0 && !entries.some(({ kind }) => kind === 'opened'))
    return 'its handshake was refused';
  const isMute = ({ kind, bytes, payload }: RecordEntry) =>
    kind === 'audio' && bytes > 0 && payload.length === 0;
  return received.some(isMute) ? 'its audio was not recorded' : null;
}
