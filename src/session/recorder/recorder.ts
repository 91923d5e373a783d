import type { Clock } from '#lib/clock.ts';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { RecorderMessage } from '#recordings/recordings.ts';
import type { FAULT_KIND, NewEntry } from '#trace/entry.ts';
import { byteLength, opcodeOf } from '#trace/frame-size.ts';
import { type FrameNote, NO_NOTE, UNREAD } from '#trace/recorded-event.ts';
import { withoutNamedSecrets } from '#trace/secrets/named-secrets.ts';
import { cleanJson, Redaction } from '#trace/secrets/redaction.ts';
import type { UserAction } from '#trace/user-actions.ts';
import type { SessionTurn } from '../turns/session-turn.ts';
import type { Traffic } from '../views.ts';
import { type PlayerNews, playerEntryOf } from './player-news.ts';

/** Entries are posted in batches, because hundreds of messages a second cost more than their content. */
const POST_EVERY_MS = 50;

/** A frame with its time and without the key. */
export interface RecordedFrame {
  atMs: number;
  bytes: number;
  frame: Frame;
  /** See {@link Recorder.lastNumber}; undefined where nothing is recorded. */
  number: number | undefined;
  /** Its entry; null where nothing is recorded. */
  entry: NewEntry | null;
}

export type ConnectionEvent = 'opening' | 'opened' | 'closed' | 'failed' | 'retrying' | typeof FAULT_KIND;

/** The rest of an entry follows from these. */
type EntryParts = Pick<NewEntry, 'direction' | 'opcode' | 'connection' | 'payload'> & {
  /** On the wire; omitted: of the payload. */
  bytes?: number;
  note: FrameNote;
};

export const NO_TRAFFIC: Traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };

/**
 * The recording of a session: its connections, what a person did, and what was heard. Keys are replaced in all of it. Posts
 * the entries to the recordings worker.
 */
export class Recorder {
  /**
   * Number of the last entry, counted over all recordings of the session; undefined before the first. In a replay, its index
   * in the recording.
   */
  lastNumber: number | undefined;
  redaction = new Redaction();
  readonly #clock: Pick<Clock, 'after'>;
  /** Null: nothing is recorded. */
  #port: { postMessage(message: RecorderMessage): void } | null = null;
  #secret = '';
  #modelKey = '';
  #target: { endpoint: EndpointId; address: () => string } | null = null;
  /** Wall time at `atUs` 0; null: the next entry begins a recording. */
  #startedAtMs: number | null = null;
  #lastUs = 0;
  /** Connections of this recording so far. */
  #connections = 0;
  /** Entries that are not posted yet. */
  #entries: NewEntry[] = [];
  /** Entries so far. */
  #count = 0;
  /** Frames of entries are still being read. */
  #holds = 0;
  #isEnding = false;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Records from now on. */
  attach(port: { postMessage(message: RecorderMessage): void }): void {
    this.#port = port;
  }

  /** Posts the last entries and the end, once no entry is held. Nothing is recorded afterwards. */
  end(): void {
    this.#isEnding = true;
    this.#postUnlessHeld();
  }

  /**
   * @param address of the first connection, asked when the recording begins
   * @param secret the key to replace from now on
   */
  aim(endpoint: EndpointId, address: () => string, secret: string): void {
    this.#target = { endpoint, address };
    this.#startedAtMs = null;
    this.#secret = secret;
    this.redaction = new Redaction(secret, this.#modelKey);
  }

  /** Replaces also the key of a model server, which its answer may repeat, until there is another. */
  hide(modelKey: string): void {
    if (modelKey === this.#modelKey) return;
    this.#modelKey = modelKey;
    this.redaction = new Redaction(this.#secret, modelKey);
  }

  /** The recorder of another connection. */
  connection(): ConnectionRecorder {
    return new ConnectionRecorder(this);
  }

  /** Begins the recording where it has not begun. Returns the number of another connection. */
  nextConnection(atMs: number): number {
    // The recording begins before its first connection is counted.
    if (this.#port) this.#begun(atMs);
    this.#connections += 1;
    return this.#connections;
  }

  /** Records a user action that no frame shows. Only `begun` can begin a recording: nothing is heard before it. */
  acted({ kind, turn, context, ...what }: UserAction, atMs: number): void {
    if (kind !== 'begun' && this.#startedAtMs === null) return;
    // The question of a live model may contain a key.
    const payload = cleanJson(what, (text) => this.text(text));
    this.#keepPlayer({ kind, turn, context }, payload, atMs);
  }

  /** Records an event of the player, within a recording that has begun. */
  played(news: PlayerNews, atMs: number): void {
    const startedAtMs = this.#startedAtMs;
    if (startedAtMs === null) return;
    const { note, payload } = playerEntryOf(news, (wallMs) => Math.round((wallMs - startedAtMs) * 1000));
    this.#keepPlayer(note, payload, atMs);
  }

  /** Posts at once what has been heard so far of turns that still play. */
  hearing(turns: readonly SessionTurn[]): void {
    const startedAtMs = this.#startedAtMs;
    if (startedAtMs === null || !this.#port) return;
    const usOf = (wallMs: number): number => Math.round((wallMs - startedAtMs) * 1000);
    const heard = turns.map((turn) => ({ turn: turn.id, soFar: turn.heard.record(usOf) }));
    this.#port.postMessage({ type: 'hearing', turns: heard });
  }

  /** Returns text to speak without the keys. A short key stays, because it may be an ordinary word. */
  text(text: string): string {
    return String(this.redaction.frame(text));
  }

  /** Returns the text without the key, which close reasons and exceptions may repeat. */
  words(text: string): string {
    return this.redaction.words(text);
  }

  /** Returns the entry, which may still be changed in the same task, or while {@link hold} lasts; null: nothing is recorded. */
  keep({ note, payload, bytes = byteLength(payload), ...parts }: EntryParts, atMs: number): NewEntry | null {
    if (!this.#port || !this.#target) return null;
    const startedAtMs = this.#begun(atMs);
    // Entry times never run backwards.
    this.#lastUs = Math.max(this.#lastUs, Math.round((atMs - startedAtMs) * 1000));
    const entry: NewEntry = {
      atUs: this.#lastUs,
      ...parts,
      bytes,
      ...NO_NOTE,
      ...this.clean(note),
      payload: withoutNamedSecrets(payload),
    };
    this.#entries.push(entry);
    if (this.#entries.length === 1) this.#clock.after(POST_EVERY_MS, () => this.#postUnlessHeld());
    this.lastNumber = this.#count;
    this.#count += 1;
    return entry;
  }

  /** Keeps entries from being posted until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
      this.#postUnlessHeld();
    };
  }

  /** The name of a context may repeat the key. */
  clean(note: FrameNote): FrameNote {
    return note.context ? { ...note, context: this.words(note.context) } : note;
  }

  #keepPlayer(note: FrameNote, payload: string, atMs: number): void {
    const connection = Math.max(1, this.#connections);
    this.keep({ direction: 'player', opcode: 'none', payload, connection, note }, atMs);
  }

  #begun(atMs: number): number {
    if (this.#startedAtMs !== null || !this.#target) return this.#startedAtMs ?? atMs;
    const { endpoint, address } = this.#target;
    this.#startedAtMs = atMs;
    this.#lastUs = 0;
    this.#connections = 0;
    const clean = withoutNamedSecrets(this.words(address()));
    this.#post();
    this.#port?.postMessage({ type: 'begin', start: { endpoint, address: clean, startedAtMs: atMs } });
    return atMs;
  }

  #postUnlessHeld(): void {
    if (this.#holds > 0) return;
    this.#post();
    if (!this.#isEnding) return;
    this.#port?.postMessage({ type: 'end' });
    this.#port = null;
  }

  #post(): void {
    const entries = this.#entries;
    if (entries.length === 0) return;
    this.#entries = [];
    this.#port?.postMessage({ type: 'entries', first: this.#count - entries.length, entries });
  }
}

/** Records one connection, with the key replaced before any other code handles its frames. Only copies are decoded. */
export class ConnectionRecorder {
  traffic: Traffic = NO_TRAFFIC;
  readonly #recorder: Recorder;
  #number = 1;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /** Returns the entry; null where nothing is recorded. */
  outwards(frame: Frame, atMs: number, note: FrameNote): NewEntry | null {
    const bytes = byteLength(frame);
    const { framesSent, bytesSent } = this.traffic;
    this.traffic = { ...this.traffic, framesSent: framesSent + 1, bytesSent: bytesSent + bytes };
    const payload = this.#recorder.redaction.frame(frame);
    return this.#keep({ direction: 'out', opcode: opcodeOf(frame), bytes, payload, note }, atMs);
  }

  inwards(frame: Frame, atMs: number): RecordedFrame {
    const bytes = byteLength(frame);
    const { framesReceived, bytesReceived } = this.traffic;
    const received = { framesReceived: framesReceived + 1, bytesReceived: bytesReceived + bytes };
    this.traffic = { ...this.traffic, ...received };
    const payload = this.#recorder.redaction.frame(frame);
    const note = { kind: UNREAD };
    const entry = this.#keep({ direction: 'in', opcode: opcodeOf(frame), bytes, payload, note }, atMs);
    return { atMs, bytes, frame: payload, number: this.#recorder.lastNumber, entry };
  }

  /** Sets the kind of a received frame. To be called in the same task, or before {@link hold} is released. */
  understood({ entry }: RecordedFrame, note: FrameNote): void {
    if (entry) Object.assign(entry, this.#recorder.clean(note));
  }

  /** See {@link Recorder.hold}. */
  hold(): () => void {
    return this.#recorder.hold();
  }

  /** Records an event of the connection; `opening` is its first. Returns the number of the entry. */
  happened(
    event: ConnectionEvent,
    what: Readonly<Record<string, unknown>>,
    atMs: number,
  ): number | undefined {
    if (event === 'opening') this.#number = this.#recorder.nextConnection(atMs);
    const payload = this.#recorder.redaction.json(what);
    this.#keep({ direction: 'connection', opcode: 'none', payload, note: { kind: event } }, atMs);
    return this.#recorder.lastNumber;
  }

  #keep(parts: Omit<EntryParts, 'connection'>, atMs: number): NewEntry | null {
    return this.#recorder.keep({ ...parts, connection: this.#number }, atMs);
  }
}
