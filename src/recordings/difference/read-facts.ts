import { madeOnce, remember } from '#lib/collections/maps.ts';
import { readAddress } from '#protocol/core/address.ts';
import type { Intent } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { fieldsOf, parseBounded } from '#protocol/core/json-frame.ts';
import { endpointNamed } from '#protocol/registry.ts';
import { StepReader } from '#trace/client-steps.ts';
import { closeOf, isClose, openingOf } from '#trace/connection.ts';
import { LOST_KIND, type NewEntry } from '#trace/entry.ts';
import { UNREAD } from '#trace/recorded-event.ts';
import { RecordedSpeech } from '#trace/recorded-speech.ts';
import { CALL_KINDS, RecordedCall, restApiOf } from '#trace/rest-calls.ts';
import { type Fact, type FactsData, MESSAGES, PlaceFacts } from './facts.ts';

/** An entry whose payload is null where it was not kept. */
export type ComparedEntry = Omit<NewEntry, 'payload'> & { payload: Frame | null };

const isKept = (entry: ComparedEntry): entry is NewEntry => entry.payload !== null;

/** The facts of a recording. */
export interface RecordingFacts {
  /**
   * By place, such as `connection 1, context 2, turn 1`, `GET /v1/voices, call 1` or `every audio`. Numbers stand for ids in
   * the order of their first use, because ids differ from run to run.
   */
  places: Places;
  /** Entries are missing. */
  isTorn: boolean;
}

/** Keeps the facts of a place outside of the memory. Returns the way back to them. */
export type KeepFacts = (data: FactsData) => () => FactsData;

/** Places whose facts stay in memory. A turn that goes on behind so many others loses its later speech. */
const KEPT_PLACES = 500;

/** The facts of each place, the newest ones in memory. */
class Places {
  readonly #keep: KeepFacts | null;
  /** Those in memory, used least recently first. */
  readonly #newest = new Map<string, PlaceFacts>();
  /** All by name, in the order of their first use, with the way to those that are not in memory. */
  readonly #all = new Map<string, (() => FactsData) | null>();
  readonly #leaves: (place: string, facts: PlaceFacts) => void;

  /** @param leaves called before the facts of a place leave the memory, and at the end */
  constructor(keep: KeepFacts | null, leaves: (place: string, facts: PlaceFacts) => void) {
    this.#keep = keep;
    this.#leaves = leaves;
  }

  keys(): MapIterator<string> {
    return this.#all.keys();
  }

  get(place: string): ReadonlyMap<string, Fact> | undefined {
    return this.#find(place)?.data.facts;
  }

  /** The facts of a place, which may be a new one. */
  at(place: string): PlaceFacts {
    const facts = this.#find(place) ?? new PlaceFacts();
    if (!this.#all.has(place)) this.#all.set(place, null);
    remember(this.#newest, place, facts, Number.POSITIVE_INFINITY);
    const [oldest] = this.#newest;
    if (this.#keep && oldest && this.#newest.size > KEPT_PLACES) {
      this.#leaves(...oldest);
      this.#all.set(oldest[0], this.#keep(oldest[1].data));
      this.#newest.delete(oldest[0]);
    }
    return facts;
  }

  end(): void {
    for (const each of this.#newest) this.#leaves(...each);
  }

  #find(place: string): PlaceFacts | undefined {
    const newest = this.#newest.get(place);
    const kept = newest ? null : this.#all.get(place);
    return kept ? new PlaceFacts(kept()) : newest;
  }
}

/**
 * Reads a recording from its entries in order.
 * @param endpoint its registry name, an unknown one too
 * @param keep for all but the newest places; null keeps all in memory
 */
export async function factsOf(
  endpoint: string,
  entries: AsyncIterable<ComparedEntry>,
  keep: KeepFacts | null = null,
): Promise<RecordingFacts> {
  const reader = new FactReader(endpoint, keep);
  const isOfCalls = restApiOf(endpoint) !== null;
  /** Those that are not over, and those behind them: they are numbered in the order of their beginning. */
  const calls = new Map<number, { entries: NewEntry[]; isOver: boolean }>();
  let isTorn = false;
  for await (const entry of entries) {
    const { turn, kind, direction } = entry;
    if (!isKept(entry) || kind === LOST_KIND) isTorn = true;
    else if (isOfCalls && turn !== null) {
      const call = madeOnce(calls, turn, () => ({ entries: [], isOver: false }));
      call.entries.push(entry);
      call.isOver = kind === CALL_KINDS.ended || kind === CALL_KINDS.brokenOff;
      for (const [number, one] of call.isOver ? calls : []) {
        if (!one.isOver) break;
        reader.takeCall(one.entries);
        calls.delete(number);
      }
    } else if (direction !== 'player') await reader.take(entry);
  }
  for (const call of calls.values()) reader.takeCall(call.entries);
  return { places: reader.end(), isTorn };
}

class FactReader {
  readonly #endpoint;
  readonly #speech: RecordedSpeech;
  readonly #steps = new Map<number, StepReader>();
  readonly #numbers = new Map<string, Map<unknown, number>>();
  readonly #places: Places;
  /** Calls by method and path, and turns by connection or context. */
  readonly #counts = new Map<string, number>();
  /** By turn, or by context outside of turns. */
  readonly #placesOf = new Map<number | string | null, string>();
  /** The turns and contexts of a place. */
  readonly #turnsOf = new Map<string, Pick<NewEntry, 'turn' | 'context'>[]>();

  constructor(endpoint: string, keep: KeepFacts | null) {
    this.#places = new Places(keep, (place, facts) => this.#leave(place, facts));
    this.#endpoint = endpointNamed(endpoint);
    this.#speech = new RecordedSpeech(endpoint, null);
  }

  async take(entry: NewEntry): Promise<void> {
    const { direction, payload, chunk } = entry;
    const place = this.#placeOf(entry);
    const facts = this.#at(place);
    const { events, intents } = await this.#speech.add(entry);
    for (const event of events) facts.addEvent(event);
    if (this.#speech.turnOf(entry)) this.#addTurn(place, entry);
    if (direction === 'in') {
      const kind = kindOf(entry);
      facts.addReceived(kind, chunk);
      this.#at(`every ${kind}`).addTypes(contentOf(payload));
    } else if (direction === 'out') this.#addSent(facts, entry, intents);
    else if (isClose(entry)) {
      facts.put('shape', 'close code', closeOf(payload).code);
      this.#steps.delete(entry.connection);
    } else {
      const opening = openingOf(entry);
      const address = opening && this.#endpoint && readAddress(this.#endpoint, opening.address);
      if (address) facts.addSent('address', address.settings, '');
    }
  }

  takeCall(entries: readonly NewEntry[]): void {
    const { request, response, sent, received, end, sentUs, answeredUs } = new RecordedCall(entries);
    const call = `${request.method} ${request.path.split('?', 1)[0]}`;
    const facts = this.#at(`${call}, call ${this.#count(call)}`);
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
    this.#places.end();
    return this.#places;
  }

  #addTurn(place: string, { turn, context }: NewEntry): void {
    const turns = madeOnce(this.#turnsOf, place, () => []);
    if (!turns.some((own) => own.turn === turn && own.context === context)) turns.push({ turn, context });
  }

  /** Adds what is known at the end of a place. */
  #leave(place: string, facts: PlaceFacts): void {
    for (const own of this.#turnsOf.get(place) ?? []) {
      const turn = this.#speech.turnOf(own);
      // A context may have gone on at another place.
      if (!turn || this.#placesOf.get(own.turn ?? own.context) !== place) continue;
      facts.addSpeech(turn);
      this.#speech.forget(turn);
    }
    this.#turnsOf.delete(place);
  }

  #addSent(facts: PlaceFacts, { connection, payload }: NewEntry, intents: readonly Intent[]): void {
    const reader = this.#steps.get(connection) ?? (this.#endpoint && new StepReader(this.#endpoint));
    if (reader) this.#steps.set(connection, reader);
    for (const { kind, value, text } of reader?.read(payload, intents) ?? [OTHER]) {
      // The values of other messages may be ids.
      facts.addSent(kind, kind === OTHER.kind ? null : value, text);
      if (kind === OTHER.kind) this.#at('every message sent').addTypes(contentOf(payload));
    }
  }

  #placeOf({ connection: id, context, turn }: NewEntry): string {
    const connection = `connection ${this.#number('connection', id)}`;
    const contexts = `${connection}, context`;
    const thread = context === null ? connection : `${contexts} ${this.#number(contexts, context)}`;
    // Some frames of a turn name no context.
    const known = turn === null ? thread : this.#placesOf.get(turn);
    const place = known ?? `${thread}, turn ${this.#count(thread)}`;
    this.#placesOf.set(turn ?? context, place);
    return place;
  }

  #count(scope: string): number {
    const count = (this.#counts.get(scope) ?? 0) + 1;
    this.#counts.set(scope, count);
    return count;
  }

  #number(scope: string, id: unknown): number {
    const numbers = madeOnce(this.#numbers, scope, () => new Map<unknown, number>());
    return madeOnce(numbers, id, () => numbers.size + 1);
  }

  #at(place: string): PlaceFacts {
    return this.#places.at(place);
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
