import type { EndpointId, Frame } from '#protocol/core/endpoint.ts';
import type { FrameNote } from '#recordings/format/recorded-event.ts';
import { Redaction, withoutSecretFields } from '#recordings/format/redaction.ts';
import type { UserAction } from '#recordings/format/user-actions.ts';
import type { NewEntry } from '#recordings/store/keeper.ts';
import type { Turn } from '../turns/turn.ts';
import type { Feed } from './feed.ts';
import { heardSoFar, type PlayerNews, playerEntryOf } from './player-news.ts';

/** One frame as everything behind the recorder sees it: timed, and without the key. */
export interface RecordedFrame {
  atMs: number;
  bytes: number;
  frame: Frame;
  /** See {@link Feed.add}; undefined where nothing is recorded. */
  number: number | undefined;
}

export interface Traffic {
  framesSent: number;
  framesReceived: number;
  bytesSent: number;
  bytesReceived: number;
}

/** What happens to a connection itself. */
export type ConnectionEvent = 'opening' | 'opened' | 'closed' | 'failed' | 'retrying';

/** A frame that came in and that nobody has understood. */
const UNREAD = 'unread';

/**
 * Every frame passes here first, either way, before anything can fail on it, and nothing behind it has ever held the
 * key: what it returns is what may be decoded, shown and kept. What goes onto the wire is the frame itself.
 */
export class Recorder {
  traffic: Traffic = NO_TRAFFIC;
  readonly #feed: Feed | null;
  #redaction = new Redaction('');
  #target: { endpoint: EndpointId; address: string } | null = null;
  /** Where atUs of the recording is 0; null: the next entry begins another one. */
  #startedAtMs: number | null = null;
  #lastUs = 0;
  #connections = 0;
  #lastNumber: number | undefined;
  #received: NewEntry | null = null;

  /** @param feed where everything is kept; without it frames are only counted and cleaned */
  constructor(feed: Feed | null = null) {
    this.#feed = feed;
  }

  /** What comes now goes elsewhere than before, and is a recording of its own. */
  aim(endpoint: EndpointId, address: string): void {
    this.#target = { endpoint, address };
    this.#startedAtMs = null;
  }

  /** Number of what was recorded last, see {@link Feed.add}; undefined where nothing has been. */
  get lastNumber(): number | undefined {
    return this.#lastNumber;
  }

  /** A new connection: counts begin again, and this is the key to replace from now on. */
  begin(secret: string): void {
    this.traffic = NO_TRAFFIC;
    this.#redaction = new Redaction(secret);
  }

  outwards(frame: Frame, atMs: number, note: FrameNote): RecordedFrame {
    const bytes = byteLength(frame);
    const { framesSent, bytesSent } = this.traffic;
    this.traffic = { ...this.traffic, framesSent: framesSent + 1, bytesSent: bytesSent + bytes };
    const clean = this.#redaction.frame(frame);
    this.#keep('out', opcodeOf(frame), bytes, atMs, note, clean);
    return { atMs, bytes, frame: clean, number: this.#lastNumber };
  }

  inwards(frame: Frame, atMs: number): RecordedFrame {
    const bytes = byteLength(frame);
    const { framesReceived, bytesReceived } = this.traffic;
    this.traffic = {
      ...this.traffic,
      framesReceived: framesReceived + 1,
      bytesReceived: bytesReceived + bytes,
    };
    const clean = this.#redaction.frame(frame);
    this.#received = this.#keep('in', opcodeOf(frame), bytes, atMs, { kind: UNREAD }, clean);
    return { atMs, bytes, frame: clean, number: this.#lastNumber };
  }

  /** What the frame that came in last turned out to be; to be told in the same task. */
  understood(note: FrameNote): void {
    if (this.#received) Object.assign(this.#received, this.#clean(note));
    this.#received = null;
  }

  /** Something happened to the connection; `opening` is the first of each. */
  happened(event: ConnectionEvent, what: Readonly<Record<string, unknown>>, atMs: number): void {
    if (event === 'opening') {
      // What begins a recording comes before what is counted in it.
      if (this.#feed?.isAttached) this.#begun(atMs);
      this.#connections += 1;
    }
    const payload = this.words(JSON.stringify(what));
    this.#keep('connection', 'none', byteLength(payload), atMs, { kind: event }, payload);
  }

  /**
   * A person did something that no frame tells, and without which what was heard cannot be told from the frames. Only a
   * turn that is begun can be the first of a recording: nothing is to be heard before.
   */
  acted({ kind, turn, context, ...what }: UserAction, atMs: number): void {
    if (kind !== 'begun' && this.#startedAtMs === null) return;
    const payload = JSON.stringify(what);
    this.#keep('player', 'none', byteLength(payload), atMs, { kind, turn, context }, payload);
  }

  /** The player did something with what came; it begins no recording. */
  played(news: PlayerNews, atMs: number): void {
    const startedAtMs = this.#startedAtMs;
    if (startedAtMs === null) return;
    const { note, payload } = playerEntryOf(news, (wallMs) => Math.round((wallMs - startedAtMs) * 1000));
    this.#keep('player', 'none', byteLength(payload), atMs, note, payload);
  }

  /** What has been heard by now of turns that are being heard, for whoever looks at them meanwhile. */
  hearing(turns: readonly Turn[]): void {
    const startedAtMs = this.#startedAtMs;
    if (startedAtMs === null || !this.#feed?.isAttached) return;
    const usOf = (wallMs: number): number => Math.round((wallMs - startedAtMs) * 1000);
    this.#feed.hearing(turns.map((turn) => ({ turn: turn.id, soFar: heardSoFar(turn, usOf) })));
  }

  /** A sentence that may repeat the key: close reason, message of an exception. */
  words(text: string): string {
    return this.#redaction.words(text);
  }

  #keep(
    direction: NewEntry['direction'],
    opcode: NewEntry['opcode'],
    bytes: number,
    atMs: number,
    note: FrameNote,
    payload: Frame,
  ): NewEntry | null {
    if (!this.#feed?.isAttached || !this.#target) return null;
    const startedAtMs = this.#begun(atMs);
    // Wall clocks of a worker do not run backwards, but what is recorded must not depend on it.
    this.#lastUs = Math.max(this.#lastUs, Math.round((atMs - startedAtMs) * 1000));
    const entry: NewEntry = {
      atUs: this.#lastUs,
      direction,
      connection: Math.max(1, this.#connections),
      opcode,
      bytes,
      turn: null,
      context: null,
      chunk: null,
      audioMs: null,
      ...this.#clean(note),
      payload: typeof payload === 'string' ? withoutSecretFields(payload, direction === 'out') : payload,
    };
    this.#lastNumber = this.#feed.add(entry);
    return entry;
  }

  #begun(atMs: number): number {
    if (this.#startedAtMs !== null || !this.#target) return this.#startedAtMs ?? atMs;
    const { endpoint, address } = this.#target;
    this.#startedAtMs = atMs;
    this.#lastUs = 0;
    this.#connections = 0;
    const clean = withoutSecretFields(this.words(address), true);
    this.#feed?.begin({ endpoint, address: clean, startedAtMs: atMs });
    return atMs;
  }

  /** A context is named by a person or a server, and either may repeat the key. */
  #clean(note: FrameNote): FrameNote {
    return note.context ? { ...note, context: this.words(note.context) } : note;
  }
}

const NO_TRAFFIC: Traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };

const opcodeOf = (frame: Frame): NewEntry['opcode'] => (typeof frame === 'string' ? 'text' : 'binary');

const encoder = new TextEncoder();
const scratch = new Uint8Array(1 << 16);

/** Bytes of the message's payload. Text is counted without keeping its encoded form. */
function byteLength(frame: Frame): number {
  if (typeof frame !== 'string') return frame.byteLength;
  let bytes = 0;
  let rest = frame;
  for (;;) {
    const { read, written } = encoder.encodeInto(rest, scratch);
    bytes += written;
    if (read >= rest.length) return bytes;
    rest = rest.slice(read);
  }
}
