import { NotedTurn } from './noted-turn.ts';
import { lineRulesOf, TurnLine } from './turn-line.ts';
import { madeOnce } from '#lib/collections/maps.ts';
import type { Endpoint, Intent } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointNamed } from '#protocol/registry.ts';
import { openingOf, reopen } from './entry-decoder.ts';
import type { NewEntry, RecordingInfo } from './record.ts';
import { type FrameNote, mainEvent, NO_NOTE, noteOf, UNREAD } from './recorded-event.ts';

/** Turns so far, over all connections that share it. */
export interface TurnCount {
  turns: number;
}

/** Reads the frames of one connection, which another program made, in their order. */
export interface NoteReader {
  received(frame: Frame): Required<FrameNote>;
  sent(frame: Frame): Required<FrameNote>;
}

/**
 * @param endpoint null for an unknown one, whose frames have no notes
 * @param address without its key
 */
export function noteReader(endpoint: Endpoint | null, address: string, count: TurnCount): NoteReader {
  const dialect = endpoint && reopen(endpoint, { address });
  const begin = (context: string): NotedTurn => {
    count.turns += 1;
    return new NotedTurn(count.turns, context);
  };
  const line = new TurnLine(begin);
  if (dialect) line.rules = lineRulesOf(endpoint, dialect);
  // Times decide nothing here.
  const received = (event: SpeechEvent): NotedTurn | null => {
    const { turn } = line.received(event, 0, true);
    turn?.heard(event);
    return turn;
  };
  let hasLeft = false;
  const sent = (intent: Intent): NotedTurn | null => {
    // Some servers read no text behind the end of the connection.
    if (hasLeft && intent.kind === 'say' && dialect?.hasRoom?.(intent.context) === false) return null;
    hasLeft ||= intent.kind === 'disconnect';
    const turn = line.sent(intent, 0);
    if (turn && intent.kind === 'say') turn.textFrames += 1;
    return turn;
  };
  return {
    received(frame) {
      const events = dialect?.decode(frame) ?? [];
      const event = mainEvent(events);
      // A frame may end a turn and begin the next, so that every event counts.
      const turnOf = new Map(events.map((each) => [each, received(each)]));
      if (!event) return { ...NO_NOTE, kind: dialect ? UNREAD : 'unknown' };
      return noteOf(event, turnOf.get(event) ?? null);
    },
    sent(frame) {
      const intents = endpoint ? protocolOf(endpoint).readIntents(frame) : [];
      // The dialect of an endpoint whose frames name no turn foresees the answers to what was sent.
      for (const each of intents) dialect?.follow?.(each);
      const turnOf = new Map(intents.map((each) => [each, sent(each)]));
      const intent = intents.find(({ kind }) => kind === 'say') ?? intents[0];
      if (!intent) return { ...NO_NOTE, kind: 'sent' };
      const context = ('context' in intent && intent.context) || null;
      return { ...NO_NOTE, kind: intent.kind, context, turn: turnOf.get(intent)?.id ?? null };
    },
  };
}

/** Returns the endpoint with this registry name for a recording that has none; null for any other recording. */
export const endpointFor = ({ endpoint }: RecordingInfo, asked: string | null): Endpoint | null =>
  (endpoint === '' && endpointNamed(asked)) || null;

/** Returns a function that notes the frames of a recording anew as those of an endpoint. It takes the entries in order. */
export function notedAnewAs(endpoint: Endpoint): <E extends NewEntry>(entry: E) => E {
  const count = { turns: 0 };
  const readers = new Map<number, NoteReader>();
  return (entry) => {
    const { connection, direction, payload } = entry;
    const opening = openingOf(entry);
    if (opening) readers.set(connection, noteReader(endpoint, opening.address, count));
    if (direction !== 'in' && direction !== 'out') return entry;
    const reader = madeOnce(readers, connection, () => noteReader(endpoint, '', count));
    return { ...entry, ...(direction === 'in' ? reader.received(payload) : reader.sent(payload)) };
  };
}
