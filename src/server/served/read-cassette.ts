import { ENDPOINTS } from '#protocol/registry.ts';
import { byteLength } from '#record/frame-size.ts';
import { LOST_KIND, type NewEntry, type RecordingInfo } from '#record/record.ts';
import { RecordedCall, type RestApi, restApiOf } from '#record/rest-calls.ts';
import type { RecordedConnection, Servable, ServableCall } from './cassette.ts';
import { comparedBody } from './compared-body.ts';
import { isPreflight } from './page-access.ts';
import { readScript } from './script.ts';

export interface ReadRecording extends Servable {
  /** Sentences for people about the rest. */
  notes: string[];
}

/** A recording that is kept in memory while it is served. */
export const MAX_SERVED_BYTES = 512 * 1024 * 1024;

/** Classes of statuses that end a call. HAR files have 0 for a call that failed. */
const STATUSES: ReadonlySet<number> = new Set([2, 3, 4, 5]);

/** Place of entries of no call, whose numbers begin with 1. */
const NO_CALL = 0;

/** Reads the connections and calls of a recording. */
export class RecordingToServe {
  readonly #info: RecordingInfo;
  readonly #title: string;
  readonly #api: RestApi | null;
  /** By connection, or by call. */
  readonly #entries = new Map<number, (NewEntry & { index: number })[]>();
  #index = 0;
  #unanswered = 0;
  /** Of all payloads so far. */
  bytes = 0;

  /** @param title its file or name, for reports */
  constructor(info: RecordingInfo, title: string) {
    this.#info = info;
    this.#title = title;
    this.#api = restApiOf(info.endpoint);
  }

  add(entry: NewEntry): void {
    const key = this.#api ? (entry.turn ?? NO_CALL) : entry.connection;
    const own = this.#entries.get(key) ?? [];
    if (entry.direction !== 'player') own.push({ ...entry, index: this.#index });
    this.#entries.set(key, own);
    this.#index += 1;
    this.bytes += byteLength(entry.payload);
  }

  read(): ReadRecording {
    const { endpoint: id, startedAtMs } = this.#info;
    const api = this.#api;
    const endpoint = ENDPOINTS.find((each) => each.id === id);
    const notes: string[] = [];
    const note = (problem: string) => notes.push(`${this.#title}: ${problem}`);
    if (api) {
      const calls = this.#calls(api);
      const whole = calls.filter(({ call: { end } }) => !end?.sent.kept && !end?.received.kept);
      const cut = calls.length - whole.length;
      if (cut > 0) note(`left out ${cut} calls, whose bodies were not recorded as a whole.`);
      if (this.#unanswered > 0) note(`left out ${this.#unanswered} calls without an answer.`);
      return { connections: [], calls: whole, notes };
    }
    if (!endpoint) {
      note(
        `its endpoint ${JSON.stringify(id)} is unknown here, expected one of ${ENDPOINTS.map((each) => each.id).join(', ')}.`,
      );
      return { connections: [], calls: [], notes };
    }
    const connections = [...this.#entries].flatMap(([number, entries]): RecordedConnection[] => {
      const title = this.#entries.size === 1 ? this.#title : `${this.#title}, connection ${number}`;
      const why = whyUseless(entries);
      if (why !== null) {
        notes.push(`${title}: ${why}, left out.`);
        return [];
      }
      return [
        {
          endpoint,
          title,
          startedAtMs: startedAtMs + (entries[0]?.atUs ?? 0) / 1000,
          script: readScript(endpoint, entries),
        },
      ];
    });
    return { connections, calls: [], notes };
  }

  /** Calls without an answer are left out, and preflights, which are answered without a recording. */
  #calls(api: RestApi): ServableCall[] {
    return [...this.#entries].flatMap(([number, entries]) => {
      const call = new RecordedCall(entries);
      const { request, response, firstUs } = call;
      if (number === NO_CALL || isPreflight(request.method, request.headers)) return [];
      if (!response || !STATUSES.has(Math.floor(response.status / 100))) {
        this.#unanswered += 1;
        return [];
      }
      const startedAtMs = this.#info.startedAtMs + firstUs / 1000;
      const body = comparedBody(call.sent, request.headers['content-type'] ?? '');
      return [{ api, title: this.#title, startedAtMs, entry: entries[0]?.index ?? 0, call, body, response }];
    });
  }
}

/** Why a recorded connection cannot be served; null where it can. */
function whyUseless(entries: readonly NewEntry[]): string | null {
  const received = entries.filter(({ direction }) => direction === 'in');
  const isClosedByServer = entries.some(({ kind }) => kind === 'closed');
  if (entries.some(({ kind }) => kind === LOST_KIND)) return 'a part of its entries was not recorded';
  if (received.length === 0 && !isClosedByServer) return 'no frames of a server';
  if (received.length === 0 && !entries.some(({ kind }) => kind === 'opened'))
    return 'its handshake was refused';
  const isMute = ({ kind, bytes, payload }: NewEntry) =>
    kind === 'audio' && bytes > 0 && payload.length === 0;
  return received.some(isMute) ? 'its audio was not recorded' : null;
}
