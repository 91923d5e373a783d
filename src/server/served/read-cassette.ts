import { ENDPOINTS } from '#protocol/registry.ts';
import { byteLength } from '#record/frame-size.ts';
import { LOST_KIND, type NewEntry, type RecordingInfo } from '#record/record.ts';
import { restApiOf } from '#record/rest-calls.ts';
import type { Recorded, RecordedConnection } from './cassette.ts';
import { readScript } from './script.ts';
import { readCalls } from './served-calls.ts';

export interface ReadRecording extends Recorded {
  /** Sentences for people about the rest. */
  notes: string[];
}

/** A recording that is kept in memory while it is served. */
export const MAX_SERVED_BYTES = 512 * 1024 * 1024;

/** Reads the connections and calls of a recording. */
export class RecordingToServe {
  readonly #info: RecordingInfo;
  readonly #title: string;
  readonly #entries = new Map<number, (NewEntry & { index: number })[]>();
  #index = 0;
  /** Of all payloads so far. */
  bytes = 0;

  /** @param title its file or name, for reports */
  constructor(info: RecordingInfo, title: string) {
    this.#info = info;
    this.#title = title;
  }

  add(entry: NewEntry): void {
    const own = this.#entries.get(entry.connection) ?? [];
    if (entry.direction !== 'player') own.push({ ...entry, index: this.#index });
    this.#entries.set(entry.connection, own);
    this.#index += 1;
    this.bytes += byteLength(entry.payload);
  }

  read(): ReadRecording {
    const { endpoint: id, startedAtMs } = this.#info;
    const api = restApiOf(id);
    const endpoint = ENDPOINTS.find((each) => each.id === id);
    const notes: string[] = [];
    const note = (problem: string) => notes.push(`${this.#title}: ${problem}`);
    if (api) {
      const entries = [...this.#entries.values()].flat();
      const { calls, cut } = readCalls(api, this.#title, startedAtMs, entries);
      if (cut > 0) note(`left out ${cut} calls, whose bodies were not recorded as a whole.`);
      return { connections: [], calls, notes };
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
}

/** Why a recorded connection cannot be served; null where it can. */
function whyUseless(entries: readonly NewEntry[]): string | null {
  const received = entries.filter(({ direction }) => direction === 'in');
  const isClosedByServer = entries.some(({ kind }) => kind === 'closed');
  if (entries.some(({ kind }) => kind === LOST_KIND)) return 'a part of its entries was not recorded';
  if (received.length === 0 && !isClosedByServer) return 'no frames of a server';
  const isMute = ({ kind, bytes, payload }: NewEntry) =>
    kind === 'audio' && bytes > 0 && payload.length === 0;
  return received.some(isMute) ? 'its audio was not recorded' : null;
}
