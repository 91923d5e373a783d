import { randomBytes } from 'node:crypto';
import type { Clock } from '#lib/clock.ts';
import { counted } from '#lib/format.ts';
import { REST_APIS } from '#record/rest-calls.ts';
import { SERVED_PATH } from '#record/served-messages.ts';
import type { CallBodies } from '../call-bodies.ts';
import type { Handler } from '../reply.ts';
import type { RefusedUpgrade, SocketEndpoint } from '../upgrade.ts';
import { Cassette } from './cassette.ts';
import type { PostedRecording } from './posted-recording.ts';
import { RecordingToServe } from './read-cassette.ts';
import { serveCall } from './served-calls.ts';
import { servedEndpointAt } from './served-endpoints.ts';
import type { Manner } from './served-session.ts';

/** Recordings that answer clients at one base address. */
export interface Served {
  cassette: Cassette;
  manner: Manner;
}

/** A recording that is answered below `/served/<id>`, until it is stopped, or makes room for another one. */
export interface KeptRecording extends Served, Omit<PostedRecording, 'notes'> {
  bytes: number;
  /** Called once it is not served any more. */
  ended: Set<() => void>;
}

/** A recording cannot be served. The message is for people. */
export class NotServed extends Error {
  override readonly name = 'NotServed';
  readonly status: 422 | 501 | 503;

  constructor(status: NotServed['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/** Memory of an entry besides its payload. A file may hold 500,000 empty ones. */
const ENTRY_BYTES = 1000;
/** Bounds of the recordings of pages. Their bytes are those of payloads and entries. */
const LIMITS = { recordings: 20, bytes: 256 * 1024 * 1024 };

/** A person tries again and again. */
const MANNER: Manner = { pace: 'recorded', strict: false, closes: false };

/** `/served/<id>`, in front of a vendor's prefix. */
const SERVED = new RegExp(`^${SERVED_PATH}/([^/]*)(/.*)$`);

/** Why a client at the address of a recording finds none. */
export const NOT_SERVED = 'No recording is served here: it was stopped, or its server was restarted.';

/** The recordings that a server plays: those of pages below `/served/<id>`, or one in place of all vendors. */
export class ServedRecordings {
  readonly #root: Served | null;
  readonly #limits: typeof LIMITS;
  readonly #isAlone: boolean;
  /** Used least recently first. */
  readonly #kept = new Map<string, KeptRecording>();

  /** @param root answers in place of the local server; null for none @param isAlone no other process has the same address */
  constructor(root: Served | null, isAlone = true, limits = LIMITS) {
    this.#root = root;
    this.#isAlone = isAlone;
    this.#limits = limits;
  }

  /** @param needsAnswers false: also keeps a recording for pages to read that answers nobody @throws NotServed */
  keep(
    { info, entries, notes: missing }: PostedRecording,
    needsAnswers = true,
  ): { id: string; notes: string[] } {
    if (!this.#isAlone)
      throw new NotServed(
        501,
        'This server shares its clients with other servers (VOICEWIRE_REDIS), and only one of them would have the recording. Start a server for it: npx voicewire open FILE.',
      );
    const toServe = new RecordingToServe(info, info.name || 'The recording');
    for (const entry of entries) toServe.add(entry);
    const bytes = toServe.bytes + ENTRY_BYTES * entries.length;
    const maxBytes = this.#limits.bytes;
    // Before it is read, which would keep the event loop busy.
    if (bytes > maxBytes)
      throw new NotServed(
        422,
        `This recording takes ${Math.ceil(bytes / 2 ** 20)} MiB of memory, expected at most ${maxBytes / 2 ** 20} MiB.`,
      );
    const read = toServe.read();
    const notes = [...missing, ...read.notes];
    if (needsAnswers && read.connections.length + read.calls.length === 0) {
      const why = notes.join(' ') || 'There are no frames or answers of a server in it.';
      throw new NotServed(422, `Nothing in this recording can be served. ${why}`);
    }
    this.#makeRoom(bytes);
    const id = randomBytes(9).toString('base64url');
    const cassette = new Cassette(read, true);
    this.#kept.set(id, { cassette, manner: MANNER, info, entries, bytes, ended: new Set() });
    return { id, notes };
  }

  get(id: string): KeptRecording | undefined {
    return this.#kept.get(id);
  }

  remove(id: string): void {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    for (const ended of kept?.ended ?? []) ended();
  }

  /** Ends all, with the server. */
  close(): void {
    for (const id of [...this.#kept.keys()]) this.remove(id);
  }

  #makeRoom(bytes: number): void {
    const { recordings, bytes: maxBytes } = this.#limits;
    const left = new Map(this.#kept);
    const isFull = () =>
      left.size >= recordings || [...left.values()].reduce((sum, kept) => sum + kept.bytes, bytes) > maxBytes;
    for (const [id, { cassette }] of this.#kept)
      if (isFull() && cassette.runs.every(({ isOver }) => isOver)) left.delete(id);
    if (isFull())
      throw new NotServed(
        503,
        `There is no room for this recording: a server keeps at most ${counted(recordings, 'recording')} of ${maxBytes / 2 ** 20} MiB in all, and those with clients stay. Stop serving one of them.`,
      );
    for (const id of [...this.#kept.keys()]) if (!left.has(id)) this.remove(id);
  }

  /** The recordings at a path, and the path without their prefix; null for a path of the local server. */
  #placeOf(pathname: string): { served: Served | undefined; path: string } | null {
    const isOfVendor = (path: string) =>
      REST_APIS.some(({ localPrefix }) => path.startsWith(`${localPrefix}/`));
    const [, id, path = ''] = SERVED.exec(pathname) ?? [];
    if (id !== undefined) {
      if (!isOfVendor(path)) return null;
      const kept = this.#kept.get(id);
      if (kept) this.#kept.delete(id);
      if (kept) this.#kept.set(id, kept);
      return { served: kept, path };
    }
    return this.#root && isOfVendor(pathname) ? { served: this.#root, path: pathname } : null;
  }

  /** Null where no recording answers at this address. */
  endpointAt(
    { pathname }: URL,
    locals: Readonly<Record<string, SocketEndpoint>>,
  ): SocketEndpoint | RefusedUpgrade | null {
    const place = this.#placeOf(pathname);
    if (place && !place.served) return { status: 404, why: NOT_SERVED };
    return place?.served ? servedEndpointAt(place.path, { ...place.served, locals }) : null;
  }

  /** Answers a call to a vendor's prefix; undefined where no recording answers at this address. */
  callsAt(url: URL, bodies: CallBodies, clock: Clock): Handler | undefined {
    const place = this.#placeOf(url.pathname);
    const api = REST_APIS.find(({ localPrefix }) => place?.path.startsWith(`${localPrefix}/`));
    if (!place?.served || !api) return undefined;
    const { served } = place;
    const path = `${place.path.slice(api.localPrefix.length)}${url.search}`;
    return (request, response) => serveCall(api, path, request, response, { ...served, bodies, clock });
  }
}
