import type { EndpointId } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { CapturedClient, CapturedEntry } from '#trace/capture-messages.ts';
import type { Peer } from '../state/shares.ts';
import type { CallCount } from './call-count.ts';
import { querySecrets, SecretFilter } from './secret-filter.ts';

/** Memory of an entry beside its payload. */
const ENTRY_BYTES = 200;

export interface CapturedStart {
  id: string;
  /** Whose client it is. */
  peer: Peer;
  /** Registry name, that of a REST API, or empty. */
  endpoint: EndpointId | (string & {});
  /** As the client sees it, with its query. */
  address: string;
  program: string;
  /** Keys of the handshake. */
  secrets: readonly string[];
  /** Keys that everybody knows are no secrets and may be ordinary words. */
  isPublic: (secret: string) => boolean;
  /** Of a client that calls; a connection has none. */
  calls?: CallCount;
}

/** The answer that refused a handshake. Either is empty where it is unknown. */
export interface RefusalText {
  body: string;
  contentType: string;
}

/** The entries of one connection, or of the calls of one program, without secrets. */
export class CapturedConnection {
  readonly id: string;
  readonly endpoint: string;
  readonly address: string;
  readonly program: string;
  readonly startedAtMs: number;
  readonly peer: Peer;
  readonly calls: CallCount | null;
  /** Payload bytes of frames and bodies. */
  bytes = 0;
  /** Number of entries dropped from the beginning. */
  lost = 0;
  /** Memory of the kept entries. */
  keptBytes = 0;
  readonly #secrets: SecretFilter;
  #entries: CapturedEntry[] = [];
  #lastMs = 0;
  #closed: CapturedClient['end'] = null;
  readonly #kept: (connection: CapturedConnection) => void;
  readonly #nowMs: () => number;

  /** @param kept called after each new entry */
  constructor(start: CapturedStart, nowMs: () => number, kept: (connection: CapturedConnection) => void) {
    this.startedAtMs = nowMs();
    this.id = start.id;
    this.peer = start.peer;
    this.endpoint = start.endpoint;
    this.calls = start.calls ?? null;
    this.#nowMs = nowMs;
    this.#kept = kept;
    this.#secrets = new SecretFilter(start.isPublic);
    this.#secrets.learn([...start.secrets, ...querySecrets(start.address)]);
    this.address = this.#secrets.words(start.address);
    this.program = this.#secrets.words(start.program);
    this.happened('opening', { address: this.address });
  }

  /** Null while more entries may come. */
  get end(): CapturedClient['end'] {
    return this.calls?.isOver ? { atMs: this.#lastMs, code: null, reason: '' } : this.#closed;
  }

  /** Number of entries so far, dropped ones included. */
  get length(): number {
    return this.lost + this.#entries.length;
  }

  /** Records a frame. Bytes must not change afterwards. */
  frame(direction: 'out' | 'in', frame: Frame): void {
    this.bytes += typeof frame === 'string' ? Buffer.byteLength(frame) : frame.length;
    this.append({ direction, kind: '', payload: this.#secrets.frame(direction, frame) });
  }

  /** Records an event of the connection itself. */
  happened(kind: 'opening' | 'opened' | 'closed' | 'fault', what: Readonly<Record<string, unknown>>): void {
    this.append({ direction: 'connection', kind, payload: this.#secrets.json(what) });
  }

  /** @param asked the client closed first */
  closed(code: number, reason: string, asked: boolean, refusal?: RefusalText): void {
    if (this.#closed) return;
    this.happened('closed', { code, reason, asked, left: false, ...(refusal?.body && refusal) });
    this.#closed = { atMs: this.#nowMs(), code, reason: this.#secrets.words(reason) };
  }

  /** Records an entry that holds no secret. @param atMs when it happened, where that is not now */
  append(entry: Omit<CapturedEntry, 'atMs'>, atMs = this.#nowMs()): void {
    this.#lastMs = Math.max(this.#lastMs, atMs);
    this.#entries.push({ atMs: this.#lastMs, ...entry });
    this.keptBytes += memoryOf(entry);
    this.#kept(this);
  }

  /** Entries from a number on; fewer where the first of them were dropped. */
  from(number: number, most: number): readonly CapturedEntry[] {
    const at = Math.max(0, number - this.lost);
    return this.#entries.slice(at, at + most);
  }

  /** Drops all entries, or the older half of them. */
  drop(what: 'all' | 'half'): void {
    const count = what === 'all' ? this.#entries.length : Math.ceil(this.#entries.length / 2);
    const dropped = this.#entries.slice(0, count);
    this.#entries = this.#entries.slice(count);
    this.lost += count;
    this.keptBytes -= dropped.reduce((sum, entry) => sum + memoryOf(entry), 0);
  }
}

/** A text beyond Latin-1 has two bytes for each character, also of its ASCII ones. */
function memoryOf({ payload }: Pick<CapturedEntry, 'payload'>): number {
  const isWide = typeof payload === 'string' && Buffer.byteLength(payload) > payload.length;
  return payload.length * (isWide ? 2 : 1) + ENTRY_BYTES;
}
