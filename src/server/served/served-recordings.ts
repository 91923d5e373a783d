import { createHash } from 'node:crypto';
import { remember } from '#lib/collections/maps.ts';
import { counted } from '#lib/format.ts';
import type { RecordEntry, RecordingInfo } from '#trace/entry.ts';
import { byteLength } from '#trace/frame-size.ts';
import { REST_APIS, type RestApi } from '#trace/rest-calls.ts';
import { SERVED_PATH } from '#trace/served-messages.ts';
import { OWN_PEER, type Peer, Shares } from '../state/shares.ts';
import { addToDigest } from './added-digest.ts';
import { Cassette, hasAnswers, type Manner } from './cassette.ts';
import { readServable } from './read-cassette.ts';

/** A recording that is answered below `/served/<id>`, until it is stopped, or makes room for another one. */
export interface KeptRecording {
  /** The same for the same content. */
  id: string;
  cassette: Cassette;
  info: RecordingInfo;
  entries: readonly RecordEntry[];
  /** Sentences for people about the parts that are not served. */
  notes: readonly string[];
  bytes: number;
  /** Whose page serves it. */
  peer: Peer;
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
const LIMITS = { recordings: 20, bytes: 160 * 1024 * 1024 };

/** A person tries again and again. */
const MANNER: Manner = { pace: 'recorded', strict: false, closes: false, repeats: true };
/** Runs of each kept recording. */
const MAX_KEPT_RUNS = 50;

const ID_CHARS = 12;

/** `/served/<id>`, in front of a vendor's prefix. */
const SERVED = new RegExp(`^${SERVED_PATH}/([^/]*)(/.*)$`);

/** Why a client at the address of a recording finds none. */
export const NOT_SERVED = 'No recording is served here: it was stopped, or its server was restarted.';

const isIdle = ({ cassette }: KeptRecording): boolean => cassette.runs.every(({ isOver }) => isOver);

/**
 * Returns the recording that gives way: of the peer that holds most, one without clients first. Null where that peer would be
 * the one that asks for room, and has clients everywhere. @param due the share that it would have
 */
function firstToGo(shares: Shares<KeptRecording>, due: number): KeptRecording | null {
  const idle = shares.first(isIdle);
  if (idle && shares.of(idle.peer) === shares.largest) return idle;
  return (shares.largest > due && shares.first()) || null;
}

/** The recordings that a server plays: those of pages below `/served/<id>`, or one in place of all vendors. */
export class ServedRecordings {
  readonly #root: Cassette | null;
  readonly #limits: typeof LIMITS;
  readonly #isAlone: boolean;
  /** By id, used least recently first. */
  readonly kept = new Map<string, KeptRecording>();

  /** @param root answers in place of the local server; null for none @param isAlone no other process has the same address */
  constructor(root: Cassette | null, isAlone = true, limits = LIMITS) {
    this.#root = root;
    this.#isAlone = isAlone;
    this.#limits = limits;
  }

  /**
   * Keeps a recording without named secrets.
   * @param missing sentences about what its file lacks
   * @param needsAnswers false: also keeps a recording for pages to read that answers nobody
   * @param peer whose page serves it
   * @throws NotServed
   */
  async keep(
    info: RecordingInfo,
    entries: readonly RecordEntry[],
    missing: readonly string[],
    { needsAnswers = true, peer = OWN_PEER }: { needsAnswers?: boolean; peer?: Peer } = {},
  ): Promise<KeptRecording> {
    if (!this.#isAlone)
      throw new NotServed(
        501,
        'This server shares its clients with other servers (VOICEWIRE_REDIS), and only one of them would have the recording. Start a server for it: npx voicewire open FILE.',
      );
    const digest = createHash('sha256').update(JSON.stringify([info.endpoint, info.startedAtMs, missing]));
    let bytes = ENTRY_BYTES * entries.length;
    for (const { atUs, payload } of entries) {
      digest.update(`${atUs}`);
      bytes += byteLength(payload);
      await addToDigest(digest, payload);
    }
    const id = digest.digest('base64url').slice(0, ID_CHARS);
    const maxBytes = this.#limits.bytes;
    if (bytes > maxBytes)
      throw new NotServed(
        422,
        `This recording takes ${Math.ceil(bytes / 2 ** 20)} MiB of memory, expected at most ${maxBytes / 2 ** 20} MiB.`,
      );
    const read = await readServable(info, entries, info.name || 'The recording');
    const notes = [...missing, ...read.notes];
    if (needsAnswers && !hasAnswers(read)) {
      const why = notes.join(' ') || 'There are no frames or answers of a server in it.';
      throw new NotServed(422, `Nothing in this recording can be served. ${why}`);
    }
    const known = this.kept.get(id);
    if (known) return known;
    this.#makeRoom(bytes, peer);
    const cassette = new Cassette(read, MANNER, MAX_KEPT_RUNS);
    const kept = { id, cassette, info, entries, notes, bytes, peer };
    this.kept.set(id, kept);
    return kept;
  }

  remove(id: string): void {
    this.kept.get(id)?.cassette.stop();
    this.kept.delete(id);
  }

  /** Ends all, with the server. */
  close(): void {
    for (const id of [...this.kept.keys()]) this.remove(id);
  }

  #makeRoom(bytes: number, peer: Peer): void {
    const { recordings, bytes: maxBytes } = this.#limits;
    const left = new Set(this.kept.values());
    const shrink = (max: number, added: number, weightOf: (kept: KeptRecording) => number) => {
      const shares = new Shares<KeptRecording>();
      for (const kept of left) shares.add(kept, kept.peer, weightOf(kept));
      while (shares.weight + added > max) {
        const first = firstToGo(shares, shares.of(peer) + added);
        if (!first)
          throw new NotServed(
            503,
            `There is no room for this recording: a server keeps at most ${counted(recordings, 'recording')} of ${maxBytes / 2 ** 20} MiB in all, and those with clients stay. Stop serving one of them.`,
          );
        shares.remove(first);
        left.delete(first);
      }
    };
    shrink(recordings, 1, () => 1);
    shrink(maxBytes, bytes, (kept) => kept.bytes);
    for (const [id, kept] of this.kept) if (!left.has(kept)) this.remove(id);
  }

  /**
   * The place of an address below a vendor's prefix; null for an address of the local server.
   * @returns the recordings, undefined where they are not served any more, and the path with the vendor's prefix
   */
  placeAt({ pathname }: URL): { cassette: Cassette | undefined; api: RestApi; path: string } | null {
    const [, id, path = ''] = SERVED.exec(pathname) ?? [undefined, undefined, pathname];
    const api = REST_APIS.find(({ localPrefix }) => path.startsWith(`${localPrefix}/`));
    if (!api) return null;
    if (id === undefined) return this.#root && { cassette: this.#root, api, path };
    const kept = this.kept.get(id);
    if (kept) remember(this.kept, id, kept, Infinity);
    return { cassette: kept?.cassette, api, path };
  }
}
