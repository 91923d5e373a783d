import { madeOnce } from '#lib/collections/maps.ts';
import type { Dialect, Endpoint, Intent } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointNamed } from '#protocol/registry.ts';
import { closeOf, isClose, openingOf, type RecordedOpening, reopen } from './connection.ts';
import type { NewEntry, RecordEntry, RecordingInfo } from './entry.ts';
import { NotedTurn } from './noted-turn.ts';
import { type FrameNote, mainEvent, NO_NOTE, noteOf, UNREAD } from './recorded-event.ts';
import { lineRulesOf, TurnLine } from './turn-line.ts';

/** The part of an entry that says what happened. */
export type Happening = Pick<RecordEntry, 'direction' | 'kind' | 'connection' | 'payload'>;

/** An entry, understood: the speech events in it, and the turn, context and chunk that it belongs to. */
export interface Traced {
  events: readonly SpeechEvent[];
  note: Required<FrameNote>;
}

interface Connection {
  dialect: Dialect;
  line: TurnLine<NotedTurn>;
  /** The client has ended the connection on its side. */
  hasLeft: boolean;
}

/**
 * Understands the entries of a session in their order: opens the dialect of each connection, decodes each frame once, and
 * assigns it to its turn. The same entries give the same turns, from whatever source, because nothing else decides.
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

  append(entry: Happening): Traced {
    const { direction, connection: id, kind, payload } = entry;
    if (direction === 'player') return { events: [], note: { ...NO_NOTE, kind } };
    const opening = openingOf(entry);
    if (opening) this.#connections.delete(id);
    const connection = this.#endpoint && this.#connectionOf(id, this.#endpoint, opening);
    if (direction === 'in') return received(connection, payload);
    if (direction === 'out') return { events: [], note: sent(this.#endpoint, connection, payload) };
    const events = connection && isClose(entry) ? closed(connection, payload) : [];
    return { events, note: { ...NO_NOTE, kind } };
  }

  #connectionOf(id: number, endpoint: Endpoint, opening: RecordedOpening | null): Connection {
    return madeOnce(this.#connections, id, () => {
      const dialect = reopen(endpoint, opening ?? this.#opening);
      const line = new TurnLine((context) => {
        this.#turns += 1;
        return new NotedTurn(this.#turns, context);
      });
      line.rules = lineRulesOf(endpoint, dialect);
      return { dialect, line, hasLeft: false };
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

function received(connection: Connection | null, frame: Frame): Traced {
  if (!connection) return { events: [], note: { ...NO_NOTE, kind: 'unknown' } };
  const { dialect, line } = connection;
  const events = dialect.decode(frame);
  // A frame may end a turn and begin the next, so that every event counts. Times decide nothing here.
  const turns = events.map((event) => {
    const { turn } = line.received(event, 0, true);
    turn?.heard(event);
    return turn;
  });
  const event = mainEvent(events);
  const note = event ? noteOf(event, turns[events.indexOf(event)] ?? null) : { ...NO_NOTE, kind: UNREAD };
  return { events, note };
}

function sent(endpoint: Endpoint | null, connection: Connection | null, frame: Frame): Required<FrameNote> {
  const intents = endpoint ? protocolOf(endpoint).readIntents(frame) : [];
  // The dialect of an endpoint whose frames name no turn foresees the answers to what was sent.
  for (const each of intents) connection?.dialect.follow?.(each);
  const turns = intents.map((each) => connection && followed(connection, each));
  const intent = intents.find(({ kind }) => kind === 'say') ?? intents[0];
  if (!intent) return { ...NO_NOTE, kind: 'sent' };
  const context = ('context' in intent && intent.context) || null;
  return { ...NO_NOTE, kind: intent.kind, context, turn: turns[intents.indexOf(intent)]?.id ?? null };
}

function followed(connection: Connection, intent: Intent): NotedTurn | null {
  const { dialect, line, hasLeft } = connection;
  // Some servers read no text behind the end of the connection.
  if (hasLeft && intent.kind === 'say' && dialect.hasRoom?.(intent.context) === false) return null;
  connection.hasLeft ||= intent.kind === 'disconnect';
  const turn = line.sent(intent, 0);
  if (turn && intent.kind === 'say') turn.textFrames += 1;
  return turn;
}

function closed({ dialect }: Connection, payload: Frame): readonly SpeechEvent[] {
  const { code, reason, asked } = closeOf(payload);
  return asked ? [] : (dialect.closed?.(code, reason) ?? []);
}
