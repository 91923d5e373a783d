import type { EndpointId, Frame } from '#protocol/core/endpoint.ts';
import type { CapturedEntry } from '#record/capture-messages.ts';
import { namedSecrets } from '#record/named-secrets.ts';
import { Redaction, withoutSecretFields } from '#record/redaction.ts';

/** Memory of an entry beside its payload. */
const ENTRY_BYTES = 200;
/** Secrets of one connection that are looked for everywhere. A client has one; each costs a search through every frame. */
const MAX_SECRETS = 8;
/** A shorter text could occur in a frame by chance. */
const MIN_SECRET_CHARS = 8;

export interface CapturedStart {
  id: string;
  endpoint: EndpointId | '';
  /** As the client sees it, with its query. */
  address: string;
  program: string;
  /** Keys of the handshake. */
  secrets: readonly string[];
  /** Keys that everybody knows are no secrets and may be ordinary words. */
  isPublic: (secret: string) => boolean;
}

export interface ConnectionEnd {
  atMs: number;
  code: number;
  reason: string;
}

/** The entries of one connection, without secrets. */
export class CapturedConnection {
  readonly id: string;
  readonly endpoint: EndpointId | '';
  readonly address: string;
  readonly program: string;
  readonly startedAtMs: number;
  end: ConnectionEnd | null = null;
  frames = 0;
  bytes = 0;
  /** Number of entries dropped from the beginning. */
  lost = 0;
  /** Memory of the kept entries. */
  keptBytes = 0;
  readonly #isPublic: (secret: string) => boolean;
  readonly #secrets = new Set<string>();
  #redaction = new Redaction();
  #streams = streamsOf(this.#redaction);
  #entries: CapturedEntry[] = [];
  readonly #kept: (bytes: number) => void;
  readonly #nowMs: () => number;

  /** @param kept called with the memory of each new entry */
  constructor(start: CapturedStart, nowMs: () => number, kept: (bytes: number) => void) {
    this.id = start.id;
    this.endpoint = start.endpoint;
    this.#isPublic = start.isPublic;
    this.#nowMs = nowMs;
    this.#kept = kept;
    for (const secret of [...start.secrets, ...namedSecrets(start.address)]) this.#learn(secret);
    this.address = this.#words(withoutSecretFields(start.address, true));
    this.program = this.#words(start.program);
    this.startedAtMs = nowMs();
    this.happened('opening', { address: this.address });
  }

  /** Number of entries so far, dropped ones included. */
  get length(): number {
    return this.lost + this.#entries.length;
  }

  /** Records a frame. Bytes must not change afterwards. */
  frame(direction: 'out' | 'in', frame: Frame): void {
    if (direction === 'out' && typeof frame === 'string') {
      for (const secret of namedSecrets(frame)) this.#learn(secret);
    }
    this.frames += 1;
    this.bytes += typeof frame === 'string' ? Buffer.byteLength(frame) : frame.length;
    const unnamed = typeof frame === 'string' ? withoutSecretFields(frame, direction === 'out') : frame;
    const payload = this.#streams[direction](unnamed);
    this.#add({ atMs: this.#nowMs(), direction, kind: '', payload });
  }

  /** Records an event of the connection itself. */
  happened(kind: 'opening' | 'opened' | 'closed' | 'fault', what: Readonly<Record<string, unknown>>): void {
    const payload = this.#redaction.json(what);
    this.#add({ atMs: this.#nowMs(), direction: 'connection', kind, payload });
  }

  /** @param asked the client closed first */
  closed(code: number, reason: string, asked: boolean): void {
    if (this.end) return;
    this.happened('closed', { code, reason, asked, left: false });
    this.end = { atMs: this.#nowMs(), code, reason: this.#words(reason) };
  }

  /** Entries from a number on; fewer where the first of them were dropped. */
  from(number: number, most: number): readonly CapturedEntry[] {
    const at = Math.max(0, number - this.lost);
    return this.#entries.slice(at, at + most);
  }

  /** Drops the older half of the entries, or all of an ended connection. @returns the freed memory */
  dropOldest(): number {
    const count = this.end ? this.#entries.length : Math.ceil(this.#entries.length / 2);
    const dropped = this.#entries.slice(0, count);
    this.#entries = this.#entries.slice(count);
    this.lost += count;
    const freed = dropped.reduce((sum, { payload }) => sum + payload.length + ENTRY_BYTES, 0);
    this.keptBytes -= freed;
    return freed;
  }

  #add(entry: CapturedEntry): void {
    this.#entries.push(entry);
    const bytes = entry.payload.length + ENTRY_BYTES;
    this.keptBytes += bytes;
    this.#kept(bytes);
  }

  #learn(secret: string): void {
    const isKnown = this.#secrets.has(secret) || this.#secrets.size >= MAX_SECRETS;
    if (isKnown || secret.length < MIN_SECRET_CHARS || this.#isPublic(secret)) return;
    this.#secrets.add(secret);
    this.#redaction = new Redaction(...this.#secrets);
    this.#streams = streamsOf(this.#redaction);
  }

  #words(text: string): string {
    return this.#redaction.words(text);
  }
}

const streamsOf = (redaction: Redaction) => ({ out: redaction.stream(), in: redaction.stream() });
