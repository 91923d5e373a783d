import type { EndpointId, Frame } from '#protocol/core/endpoint.ts';
import { byteLength, opcodeOf } from '#record/frame-size.ts';
import type { FAULT_KIND, NewEntry } from '#record/record.ts';
import { type FrameNote, NO_NOTE, UNREAD } from '#record/recorded-event.ts';
import { cleanJson, Redaction, withoutSecretFields } from '#record/redaction.ts';
import type { UserAction } from '#recordings/format/user-actions.ts';
import type { Turn } from '../turns/turn.ts';
import type { Traffic } from '../views.ts';
import type { Feed } from './feed.ts';
import { heardSoFar, type PlayerNews, playerEntryOf } from './player-news.ts';

/** A frame with its time and without the key. */
export interface RecordedFrame {
  atMs: number;
  bytes: number;
  frame: Frame;
  /** See {@link Feed.add}; undefined where nothing is recorded. */
  number: number | undefined;
}

export type ConnectionEvent = 'opening' | 'opened' | 'closed' | 'failed' | 'retrying' | typeof FAULT_KIND;

/** Records every frame, with the key replaced, before any other code handles it. Only its copies are decoded and shown. */
export class Recorder {
  traffic: Traffic = NO_TRAFFIC;
  /** Number of the last entry, see {@link Feed.add}; undefined before the first. In a replay, its index in the recording. */
  lastNumber: number | undefined;
  readonly #feed: Feed | null;
  #secret = '';
  #modelKey = '';
  #redaction = new Redaction();
  #cleanSent = this.#redaction.stream();
  #cleanReceived = this.#redaction.stream();
  #target: { endpoint: EndpointId; address: string } | null = null;
  /** Wall time at `atUs` 0; null: the next entry begins a recording. */
  #startedAtMs: number | null = null;
  #lastUs = 0;
  #connections = 0;
  #received: NewEntry | null = null;

  /** @param feed stores the entries; without it, frames are only counted and redacted */
  constructor(feed: Feed | null = null) {
    this.#feed = feed;
  }

  aim(endpoint: EndpointId, address: string): void {
    this.#target = { endpoint, address };
    this.#startedAtMs = null;
  }

  /** Resets the counts for a new connection, and sets the key to replace. */
  begin(secret: string): void {
    this.traffic = NO_TRAFFIC;
    this.#secret = secret;
    this.#renewRedaction();
  }

  /** Replaces also the key of a model server, which its answer may repeat, until there is another. */
  hide(modelKey: string): void {
    if (modelKey === this.#modelKey) return;
    this.#modelKey = modelKey;
    this.#renewRedaction();
  }

  outwards(frame: Frame, atMs: number, note: FrameNote): void {
    const bytes = byteLength(frame);
    const { framesSent, bytesSent } = this.traffic;
    this.traffic = { ...this.traffic, framesSent: framesSent + 1, bytesSent: bytesSent + bytes };
    this.#keep('out', opcodeOf(frame), bytes, atMs, note, this.#cleanSent(frame));
  }

  inwards(frame: Frame, atMs: number): RecordedFrame {
    const bytes = byteLength(frame);
    const { framesReceived, bytesReceived } = this.traffic;
    const received = { framesReceived: framesReceived + 1, bytesReceived: bytesReceived + bytes };
    this.traffic = { ...this.traffic, ...received };
    const clean = this.#cleanReceived(frame);
    this.#received = this.#keep('in', opcodeOf(frame), bytes, atMs, { kind: UNREAD }, clean);
    return { atMs, bytes, frame: clean, number: this.lastNumber };
  }

  /** Sets the kind of the last received frame. To be called in the same task. */
  understood(note: FrameNote): void {
    if (this.#received) Object.assign(this.#received, this.#cleanNote(note));
    this.#received = null;
  }

  /** Records an event of the connection; `opening` is the first of each connection. */
  happened(event: ConnectionEvent, what: Readonly<Record<string, unknown>>, atMs: number): void {
    if (event === 'opening') {
      // The recording begins before its first connection is counted.
      if (this.#feed?.isAttached) this.#begun(atMs);
      this.#connections += 1;
    }
    const payload = this.#redaction.json(what);
    this.#keep('connection', 'none', byteLength(payload), atMs, { kind: event }, payload);
  }

  /** Records a user action that no frame shows. Only `begun` can begin a recording: nothing is heard before it. */
  acted({ kind, turn, context, ...what }: UserAction, atMs: number): void {
    if (kind !== 'begun' && this.#startedAtMs === null) return;
    // The question of a live model may contain a key.
    const payload = cleanJson(what, (text) => this.text(text));
    this.#keep('player', 'none', byteLength(payload), atMs, { kind, turn, context }, payload);
  }

  /** Records an event of the player, within a recording that has begun. */
  played(news: PlayerNews, atMs: number): void {
    const startedAtMs = this.#startedAtMs;
    if (startedAtMs === null) return;
    const { note, payload } = playerEntryOf(news, (wallMs) => Math.round((wallMs - startedAtMs) * 1000));
    this.#keep('player', 'none', byteLength(payload), atMs, note, payload);
  }

  /** Updates the recording with what has been heard so far of turns that still play. */
  hearing(turns: readonly Turn[]): void {
    const startedAtMs = this.#startedAtMs;
    if (startedAtMs === null || !this.#feed?.isAttached) return;
    const usOf = (wallMs: number): number => Math.round((wallMs - startedAtMs) * 1000);
    this.#feed.hearing(turns.map((turn) => ({ turn: turn.id, soFar: heardSoFar(turn, usOf) })));
  }

  /** Returns text to speak without the keys. A short key stays, because it may be an ordinary word. */
  text(text: string): string {
    return this.texts()(text);
  }

  /** Returns a cleaner like {@link text} for texts in a row, which also finds keys that continue in the next one. */
  texts(): (text: string) => string {
    const clean = this.#redaction.stream();
    return (text) => String(clean(text));
  }

  /** Returns the text without the key, which close reasons and exceptions may repeat. */
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
    // Entry times never run backwards.
    this.#lastUs = Math.max(this.#lastUs, Math.round((atMs - startedAtMs) * 1000));
    const entry: NewEntry = {
      atUs: this.#lastUs,
      direction,
      connection: Math.max(1, this.#connections),
      opcode,
      bytes,
      ...NO_NOTE,
      ...this.#cleanNote(note),
      payload: typeof payload === 'string' ? withoutSecretFields(payload, direction === 'out') : payload,
    };
    this.lastNumber = this.#feed.add(entry);
    return entry;
  }

  #renewRedaction(): void {
    this.#redaction = new Redaction(this.#secret, this.#modelKey);
    this.#cleanSent = this.#redaction.stream();
    this.#cleanReceived = this.#redaction.stream();
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

  /** The name of a context may repeat the key. */
  #cleanNote(note: FrameNote): FrameNote {
    return note.context ? { ...note, context: this.words(note.context) } : note;
  }
}

const NO_TRAFFIC: Traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };
