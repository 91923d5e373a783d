import { madeOnce } from '#lib/collections/maps.ts';
import { readAddress } from '#protocol/core/address.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { fieldsOf, parseBounded } from '#protocol/core/json-frame.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { StepReader } from '#record/client-steps.ts';
import { closeOf, isClose, openingOf } from '#record/entry-decoder.ts';
import { LOST_KIND, type NewEntry } from '#record/record.ts';
import { UNREAD } from '#record/recorded-event.ts';
import { RecordedCall, restApiOf } from '#record/rest-calls.ts';
import { RecordedSpeech } from '../format/recorded-speech.ts';
import { MESSAGES, PlaceFacts } from './facts.ts';

/** An entry whose payload is null where it was not kept. */
export type ComparedEntry = Omit<NewEntry, 'payload'> & { payload: Frame | null };

/** The facts of a recording. */
export interface RecordingFacts {
  /**
   * By place, such as `connection 1, context 2, turn 1`, `GET /v1/voices, call 1` or `every audio`. Numbers stand for ids in
   * the order of their first use, because ids differ from run to run.
   */
  places: ReadonlyMap<string, PlaceFacts>;
  /** Entries are missing. */
  isTorn: boolean;
}

/** Reads a recording from its entries in order. @param endpoint its registry name, an unknown one too */
export async function factsOf(
  endpoint: string,
  entries: AsyncIterable<ComparedEntry>,
): Promise<RecordingFacts> {
  const reader = new FactReader(endpoint);
  const calls = new Map<number, NewEntry[]>();
  let isTorn = false;
  for await (const { payload, ...head } of entries) {
    const { turn, kind, direction } = head;
    if (payload === null || kind === LOST_KIND) isTorn = true;
    else if (restApiOf(endpoint) && turn !== null) {
      madeOnce(calls, turn, () => []).push({ ...head, payload });
    } else if (direction !== 'player') await reader.take({ ...head, payload });
  }
  for (const call of calls.values()) reader.takeCall(call);
  return { places: reader.end(), isTorn };
}

class FactReader {
  readonly #endpoint;
  readonly #speech: RecordedSpeech;
  readonly #steps = new Map<number, StepReader>();
  readonly #numbers = new Map<string, Map<unknown, number>>();
  readonly #places = new Map<string, PlaceFacts>();
  /** By turn, or by context outside of turns. */
  readonly #placesOf = new Map<number | string | null, string>();

  constructor(endpoint: string) {
    this.#endpoint = ENDPOINTS.find(({ id }) => id === endpoint);
    this.#speech = new RecordedSpeech(endpoint, null);
  }

  async take(entry: NewEntry): Promise<void> {
    const { direction, payload, chunk } = entry;
    const place = this.#placeOf(entry);
    const facts = this.#at(place);
    const atMs = entry.atUs / 1000;
    for (const event of await this.#speech.add(entry)) facts.addEvent(event, atMs);
    if (direction === 'in') {
      const kind = kindOf(entry);
      facts.addReceived(kind, chunk === null ? null : this.#number(`${place}, chunk`, chunk));
      this.#at(`every ${kind}`).addTypes(contentOf(payload));
    } else if (direction === 'out') this.#addSent(facts, entry, atMs);
    else if (isClose(entry)) facts.put('shape', 'close code', closeOf(payload).code);
    else {
      const opening = openingOf(entry);
      const address = opening && this.#endpoint && readAddress(this.#endpoint, opening.address);
      if (address) facts.addSent('address', address.settings, '', atMs);
    }
  }

  takeCall(entries: readonly NewEntry[]): void {
    const { request, response, sent, received, end, sentUs, answeredUs } = new RecordedCall(entries);
    const call = `${request.method} ${request.path.split('?', 1)[0]}`;
    const facts = this.#at(`${call}, call ${this.#number(call, entries)}`);
    facts.put('shape', MESSAGES, entries.length, 'presence');
    // Other bodies than JSON may be forms, whose boundaries are random.
    facts.putFields('body', contentOf(sent[0] ?? ''));
    facts.put('shape', 'path', request.path);
    facts.put('shape', 'status', response?.status);
    facts.put('shape', 'end', end?.how);
    if (response) facts.put('timing', 'wait for the answer', (answeredUs - sentUs) / 1000, 'ms');
    for (const { part } of received) this.#at(`every ${call} body`).addTypes(contentOf(part));
  }

  end(): RecordingFacts['places'] {
    for (const facts of this.#places.values()) facts.end();
    for (const turn of this.#speech.turns) {
      const place = this.#placesOf.get(turn.id ?? turn.context);
      if (place !== undefined) this.#at(place).addSpeech(turn);
    }
    return this.#places;
  }

  #addSent(facts: PlaceFacts, { connection, payload }: NewEntry, atMs: number): void {
    const reader = this.#steps.get(connection) ?? (this.#endpoint && new StepReader(this.#endpoint));
    if (reader) this.#steps.set(connection, reader);
    for (const { kind, value, text } of reader?.read(payload) ?? [OTHER]) {
      // The values of other messages may be ids.
      facts.addSent(kind, kind === OTHER.kind ? null : value, text, atMs);
      if (kind === OTHER.kind) this.#at('every message sent').addTypes(contentOf(payload));
    }
  }

  #placeOf({ connection: id, context, turn }: NewEntry): string {
    const connection = `connection ${this.#number('connection', id)}`;
    const contexts = `${connection}, context`;
    const thread = context === null ? connection : `${contexts} ${this.#number(contexts, context)}`;
    // Some frames of a turn name no context.
    const known = turn === null ? thread : this.#placesOf.get(turn);
    const place = known ?? `${thread}, turn ${this.#number(thread, turn)}`;
    this.#placesOf.set(turn ?? context, place);
    return place;
  }

  #number(scope: string, id: unknown): number {
    const numbers = madeOnce(this.#numbers, scope, () => new Map<unknown, number>());
    return madeOnce(numbers, id, () => numbers.size + 1);
  }

  #at(place: string): PlaceFacts {
    return madeOnce(this.#places, place, () => new PlaceFacts());
  }
}

/** A message to an unknown endpoint. */
const OTHER = { kind: 'message', value: null, text: '' } as const;

/** More values than any frame has. */
const MAX_VALUES = 100_000;

/** The lines before the data of a server-sent event. */
const EVENT_LINES = /^(?:(?:event|id|retry):.*\n)*data: ?/;

/** Returns the fields of a frame, or of the data of a server-sent event; any other frame itself. */
function contentOf(frame: Frame): unknown {
  if (typeof frame !== 'string') return frame;
  return fieldsOf(frame.replace(EVENT_LINES, ''), (text) => parseBounded(text, MAX_VALUES)) ?? frame;
}

/** A frame that no dialect reads is named by its own type, if any. */
function kindOf({ kind, payload }: NewEntry): string {
  const type = kind === UNREAD || kind === 'unknown' ? fieldsOf(payload)?.type : null;
  return typeof type === 'string' ? `${kind} ${type}` : kind;
}
