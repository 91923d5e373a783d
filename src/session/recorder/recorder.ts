import type { EndpointId } from '#protocol/core/endpoint.ts';
import { byteLength } from '#record/frame-size.ts';
import type { NewEntry } from '#record/record.ts';
import { type FrameNote, NO_NOTE } from '#record/recorded-event.ts';
import { cleanJson, Redaction, withoutSecretFields } from '#record/redaction.ts';
import type { UserAction } from '#recordings/format/user-actions.ts';
import type { Turn } from '../turns/turn.ts';
import { type ConnectionBook, type ConnectionEntry, ConnectionRecorder } from './connection-recorder.ts';
import type { EntryBatcher } from './entry-batcher.ts';
import { heardSoFar, type PlayerNews, playerEntryOf } from './player-news.ts';

/** The recording of a session: its connections, what a person did, and what was heard. Keys are replaced in all of it. */
export class Recorder implements ConnectionBook {
  /** Number of the last entry, see {@link EntryBatcher.add}; undefined before the first. In a replay, its index in the recording. */
  lastNumber: number | undefined;
  redaction = new Redaction();
  readonly #entries: EntryBatcher;
  #secret = '';
  #modelKey = '';
  #target: { endpoint: EndpointId; address: string } | null = null;
  /** Wall time at `atUs` 0; null: the next entry begins a recording. */
  #startedAtMs: number | null = null;
  #lastUs = 0;
  /** Connections of this recording so far. */
  #connections = 0;

  constructor(entries: EntryBatcher) {
    this.#entries = entries;
  }

  /** @param secret the key to replace from now on */
  aim(endpoint: EndpointId, address: string, secret: string): void {
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

  nextConnection(atMs: number): number {
    // The recording begins before its first connection is counted.
    if (this.#entries.isAttached) this.#begun(atMs);
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

  /** Updates the recording with what has been heard so far of turns that still play. */
  hearing(turns: readonly Turn[]): void {
    const startedAtMs = this.#startedAtMs;
    if (startedAtMs === null || !this.#entries.isAttached) return;
    const usOf = (wallMs: number): number => Math.round((wallMs - startedAtMs) * 1000);
    this.#entries.hearing(turns.map((turn) => ({ turn: turn.id, soFar: heardSoFar(turn, usOf) })));
  }

  /** Returns text to speak without the keys. A short key stays, because it may be an ordinary word. */
  text(text: string): string {
    return this.texts()(text);
  }

  /** Returns a cleaner like {@link text} for texts in a row, which also finds keys that continue in the next one. */
  texts(): (text: string) => string {
    const clean = this.redaction.stream();
    return (text) => String(clean(text));
  }

  /** Returns the text without the key, which close reasons and exceptions may repeat. */
  words(text: string): string {
    return this.redaction.words(text);
  }

  keep({ note, payload, ...entry }: ConnectionEntry, atMs: number): NewEntry | null {
    if (!this.#entries.isAttached || !this.#target) return null;
    const startedAtMs = this.#begun(atMs);
    // Entry times never run backwards.
    this.#lastUs = Math.max(this.#lastUs, Math.round((atMs - startedAtMs) * 1000));
    const kept: NewEntry = {
      atUs: this.#lastUs,
      ...entry,
      ...NO_NOTE,
      ...this.clean(note),
      payload:
        typeof payload === 'string' ? withoutSecretFields(payload, entry.direction === 'out') : payload,
    };
    this.lastNumber = this.#entries.add(kept);
    return kept;
  }

  hold(): () => void {
    return this.#entries.hold();
  }

  /** The name of a context may repeat the key. */
  clean(note: FrameNote): FrameNote {
    return note.context ? { ...note, context: this.words(note.context) } : note;
  }

  #keepPlayer(note: FrameNote, payload: string, atMs: number): void {
    const connection = Math.max(1, this.#connections);
    const bytes = byteLength(payload);
    this.keep({ direction: 'player', opcode: 'none', bytes, payload, connection, note }, atMs);
  }

  #begun(atMs: number): number {
    if (this.#startedAtMs !== null || !this.#target) return this.#startedAtMs ?? atMs;
    const { endpoint, address } = this.#target;
    this.#startedAtMs = atMs;
    this.#lastUs = 0;
    this.#connections = 0;
    const clean = withoutSecretFields(this.words(address), true);
    this.#entries.begin({ endpoint, address: clean, startedAtMs: atMs });
    return atMs;
  }
}
