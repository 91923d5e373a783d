import { readAddress } from '#protocol/core/address.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { StepReader } from '#record/client-steps.ts';
import { closeOf, isClose, openingOf } from '#record/entry-decoder.ts';
import { withoutNamedSecrets } from '#record/named-secrets.ts';
import { LOST_KIND, type NewEntry } from '#record/record.ts';
import { UNREAD } from '#record/recorded-event.ts';
import { readCallEntry } from '#record/rest-calls.ts';
import { RecordedSpeech } from '../format/recorded-speech.ts';
import { type FieldTypes, jsonOf, typesOf } from './field-types.ts';
import { BYTES, FrameGroup, Numbering } from './frame-group.ts';

/** An entry whose payload is null where it was not kept. */
export type OutlinedEntry = Omit<NewEntry, 'payload'> & { payload: Frame | null };

/** The part of a recording that is compared. */
export interface Outline {
  /** By place, such as `connection 1, context 2, turn 1` or `GET /v1/voices, call 1`. Numbers stand for ids. */
  groups: ReadonlyMap<string, FrameGroup>;
  /** Of each kind of frame, over all of its frames. */
  fields: ReadonlyMap<string, FieldTypes>;
  /** Connections with missing entries. */
  torn: ReadonlySet<number>;
}

/** Reads a recording from its entries in order. @param endpoint its registry name, an unknown one too */
export async function outlineOf(endpoint: string, entries: AsyncIterable<OutlinedEntry>): Promise<Outline> {
  const outliner = new Outliner(endpoint);
  for await (const entry of entries) await outliner.take(entry);
  return outliner;
}

class Outliner implements Outline {
  readonly groups = new Map<string, FrameGroup>();
  readonly fields = new Map<string, FieldTypes>();
  readonly torn = new Set<number>();
  readonly #endpoint;
  readonly #speech: RecordedSpeech;
  readonly #steps = new Map<number, StepReader>();
  readonly #numbers = new Numbering();
  /** By turn, or by connection and context. */
  readonly #known = new Map<string, FrameGroup>();
  /** Those outside of turns, and the last turn of each context. */
  readonly #latest = new Map<string, FrameGroup>();

  constructor(endpoint: string) {
    this.#endpoint = ENDPOINTS.find(({ id }) => id === endpoint);
    this.#speech = new RecordedSpeech(endpoint, null);
  }

  async take({ payload, ...head }: OutlinedEntry): Promise<void> {
    if (head.direction === 'player') return;
    const connection = this.#numbers.of('connection', head.connection);
    if (payload === null || head.kind === LOST_KIND) return this.#tear(connection);
    const entry = { ...head, payload };
    const atMs = entry.atUs / 1000;
    const group = this.#groupOf(entry, connection);
    group.isTorn ||= this.torn.has(connection);
    const { events, turn } = await this.#speech.add(entry);
    // The end of a connection completes a turn of another group.
    if (!isClose(entry)) group.speech ??= turn;
    for (const event of events) group.hear(event, atMs);
    if (entry.direction === 'in') this.#received(group, entry, atMs);
    else if (entry.direction === 'connection') this.#event(group, entry, atMs);
    else if (group.call === null) this.#sent(group, entry, atMs);
    else this.#called(group, group.call, entry, atMs);
  }

  #event(group: FrameGroup, entry: NewEntry, atMs: number): void {
    const opening = openingOf(entry);
    const address = opening && this.#endpoint && readAddress(this.#endpoint, opening.address);
    if (address) group.send('address', address.settings, '', atMs);
    else if (group.call !== null) group.receive(entry.kind, null);
    else if (isClose(entry)) group.set('shape', 'close code', closeOf(entry.payload).code);
  }

  #sent(group: FrameGroup, { connection, payload }: NewEntry, atMs: number): void {
    const reader = this.#steps.get(connection) ?? (this.#endpoint && new StepReader(this.#endpoint));
    if (reader) this.#steps.set(connection, reader);
    // Values of other messages may be ids.
    const other = { kind: 'message', value: shapeOf(payload), text: '' };
    for (const step of reader?.read(payload) ?? [other]) {
      const { kind, value, text } = step.kind === 'message' ? other : step;
      group.send(kind, value, text, atMs);
    }
  }

  #called(group: FrameGroup, call: string, entry: NewEntry, atMs: number): void {
    const { kind, payload } = entry;
    this.#addFields(`${call} ${kind}, sent`, payload);
    const read = readCallEntry(entry);
    const value = read && 'request' in read ? { path: read.request.path } : clientValue(payload);
    group.send(kind, value, '', atMs);
  }

  #received(group: FrameGroup, { kind: noted, turn, chunk, payload }: NewEntry, atMs: number): void {
    const kind = group.call === null ? kindOf(noted, payload) : noted;
    group.receive(kind, chunk);
    this.#addFields(group.call === null ? kind : `${group.call} ${kind}`, payload);
    const read = readCallEntry({ kind, turn, payload });
    if (read && 'response' in read) group.answer(read.response.status, atMs);
  }

  #addFields(kind: string, payload: Frame): void {
    this.fields.set(kind, typesOf(payload, this.fields.get(kind)));
  }

  #groupOf(entry: NewEntry, connection: number): FrameGroup {
    const { turn, context: name } = entry;
    const key = JSON.stringify(turn ?? [connection, name]);
    const known = this.#known.get(key);
    if (known) return known;
    const of = `connection ${connection}`;
    const thread = name === null ? of : `${of}, context ${this.#numbers.of(`${of}, context`, name)}`;
    const read = readCallEntry(entry);
    const request = read && 'request' in read ? read.request : null;
    const call = request && `${request.method} ${request.path.split('?', 1)[0]}`;
    const turnOf = (scope: string, unit: string) => `${scope}, ${unit} ${this.#numbers.of(scope, turn)}`;
    const group = new FrameGroup(connection, call);
    const place = call !== null ? turnOf(call, 'call') : turn === null ? thread : turnOf(thread, 'turn');
    this.#known.set(key, group);
    this.#latest.set(turn === null ? key : (call ?? thread), group);
    this.groups.set(place, group);
    return group;
  }

  #tear(connection: number): void {
    this.torn.add(connection);
    for (const group of this.#latest.values()) group.isTorn ||= group.connection === connection;
  }
}

/** A frame that no dialect reads is named by its own type, if any. */
function kindOf(noted: string, payload: Frame): string {
  const type = noted === UNREAD || noted === 'unknown' ? fieldsOf(payload)?.type : null;
  return typeof type === 'string' ? `${noted} ${type}` : noted;
}

const clientValue = (payload: Frame): unknown =>
  typeof payload === 'string' ? (jsonOf(withoutNamedSecrets(payload)) ?? payload) : BYTES;

const shapeOf = (payload: Frame): unknown =>
  Object.fromEntries([...typesOf(payload)].map(([path, types]) => [path, [...types].sort()]));
