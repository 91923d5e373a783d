import { madeOnce } from '#lib/collections/maps.ts';
import type { Dialect, Endpoint, Intent } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointNamed } from '#protocol/registry.ts';
import { closeOf, isClose, openingOf, type RecordedOpening, reopen } from './connection.ts';
import type { NewEntry, RecordEntry, RecordingInfo } from './entry.ts';
import { LineTurn } from './line-turn.ts';
import {
  type FrameNote,
  mainEvent,
  NO_NOTE,
  notedContext,
  noteOf,
  ownerOf,
  UNREAD,
} from './recorded-event.ts';
import { lineRulesOf, TurnLine } from './turn-line.ts';

/** The part of an entry that says what happened. */
export type Happening = Pick<RecordEntry, 'direction' | 'kind' | 'connection' | 'payload'>;

/** An entry, understood: the speech events in it, and the turn, context and chunk that it belongs to. */
export interface Traced {
  events: readonly SpeechEvent[];
  note: Required<FrameNote>;
}

/** An entry as the dialect of its connection reads it. */
export interface Decoded {
  /** Of a received frame, or of a close. */
  events: readonly SpeechEvent[];
  /** Of a sent frame. */
  intents: readonly Intent[];
}

interface Read extends Decoded {
  /** Null for an unknown endpoint, and for an entry of the player. */
  connection: Connection | null;
}

interface Connection {
  dialect: Dialect;
  line: TurnLine<LineTurn>;
}

/**
 * Understands the entries of a session in their order: opens the dialect of each connection, decodes each frame once, and
 * assigns it to its turn. The same entries give the same turns in captures and imports, because nothing else decides.
 */
export class Trace {
  readonly #endpoint: Endpoint | null;
  readonly #opening: RecordedOpening | null;
  readonly #connections = new Map<number, Connection>();
  #turns = 0;

  /**
   * @param endpoint null for an unknown one, whose frames have no events and no turns
   * @param address of connections without an entry of their opening, without its key
   */
  constructor(endpoint: Endpoint | null, address: string | null = null) {
    this.#endpoint = endpoint;
    this.#opening = address === null ? null : { address };
  }

  /** Number of turns so far, over all connections. */
  get turns(): number {
    return this.#turns;
  }

  /** Reads the next entry for a reader that knows the turns already: they are stored with the entries. */
  decode(entry: Happening): Decoded {
    return this.#read(entry);
  }

  /** Returns the events of the next entry, and what it belongs to. */
  append(entry: Happening): Traced {
    const { connection, events, intents } = this.#read(entry);
    return { events, note: { ...NO_NOTE, ...noted(entry, connection, events, intents) } };
  }

  #read(entry: Happening): Read {
    const { direction, connection: id, payload } = entry;
    const endpoint = this.#endpoint;
    if (!endpoint || direction === 'player') return { connection: null, events: [], intents: [] };
    const opening = openingOf(entry);
    if (opening) this.#connections.delete(id);
    const connection = this.#connectionOf(id, endpoint, opening);
    const { dialect } = connection;
    const intents = direction === 'out' ? protocolOf(endpoint).readIntents(payload) : [];
    // The dialect of an endpoint whose frames name no turn foresees the answers to what was sent.
    for (const intent of intents) dialect.follow?.(intent);
    if (direction === 'in') return { connection, events: dialect.decode(payload), intents };
    return { connection, events: isClose(entry) ? eventsOfClose(dialect, payload) : [], intents };
  }

  #connectionOf(id: number, endpoint: Endpoint, opening: RecordedOpening | null): Connection {
    return madeOnce(this.#connections, id, () => {
      const dialect = reopen(endpoint, opening ?? this.#opening);
      const line = new TurnLine((context) => {
        this.#turns += 1;
        return new LineTurn(this.#turns, context);
      });
      line.rules = lineRulesOf(endpoint, dialect);
      return { dialect, line };
    });
  }
}

/** Returns the endpoint with this registry name for a recording that has none; null for any other recording. */
export const endpointFor = ({ endpoint }: RecordingInfo, asked: string | null): Endpoint | null =>
  endpoint === '' ? endpointNamed(asked) : null;

/** Returns a function that notes the frames of a recording anew as those of an endpoint. It takes the entries in order. */
export function notedAnewAs(endpoint: Endpoint): <E extends NewEntry>(entry: E) => E {
  const trace = new Trace(endpoint);
  return (entry) => {
    const { note } = trace.append(entry);
    return entry.direction === 'in' || entry.direction === 'out' ? { ...entry, ...note } : entry;
  };
}

function noted(
  { direction, kind }: Happening,
  connection: Connection | null,
  events: readonly SpeechEvent[],
  intents: readonly Intent[],
): FrameNote {
  if (direction === 'in') return connection ? noteOfReceived(connection, events) : { kind: 'unknown' };
  return direction === 'out' ? noteOfSent(connection, intents) : { kind };
}

function noteOfReceived({ line }: Connection, events: readonly SpeechEvent[]): FrameNote {
  // A frame may end a turn and begin the next, so that every event counts. Times decide nothing here.
  const turns = events.map((event) => {
    const { turn, how } = line.received(event, 0, true);
    if (how !== 'late') turn?.take(event, 0);
    return turn;
  });
  const event = mainEvent(events);
  return event ? noteOf(event, ownerOf(event, events, turns)) : { kind: UNREAD };
}

function noteOfSent(connection: Connection | null, intents: readonly Intent[]): FrameNote {
  const turns = intents.map((intent) => connection?.line.sent(intent, 0).turn);
  const intent = intents.find(({ kind }) => kind === 'say') ?? intents[0];
  if (!intent) return { kind: 'sent' };
  return {
    kind: intent.kind,
    context: notedContext(intent),
    turn: turns[intents.indexOf(intent)]?.id ?? null,
  };
}

function eventsOfClose(dialect: Dialect, payload: Frame): readonly SpeechEvent[] {
  const { code, reason, asked } = closeOf(payload);
  return asked ? [] : (dialect.closed?.(code, reason) ?? []);
}
