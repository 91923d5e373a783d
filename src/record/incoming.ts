import type { Endpoint, Frame } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { type FrameNote, mainEvent, NO_NOTE, noteOf } from './recorded-event.ts';

/** Returns the endpoint of an address by its path; null for an unknown one. */
export function endpointAt(address: string): Endpoint | null {
  let path: string;
  try {
    path = new URL(address).pathname;
  } catch {
    return null;
  }
  return ENDPOINTS.find((endpoint) => path.endsWith(endpoint.path)) ?? null;
}

/** Turns so far, over all connections that share it. */
export interface TurnCount {
  turns: number;
}

/** Reads the frames of one connection in order. */
export function noteReader(
  endpoint: Endpoint | null,
  count: TurnCount,
): (frame: Frame) => Required<FrameNote> {
  const wire = endpoint?.openWire('');
  const turns = new TurnsOfContexts(count);
  return (frame) => {
    const events = wire?.decode(frame) ?? [];
    const event = mainEvent(events);
    // A frame may end a turn and begin the next, so that every event counts.
    const turnOf = new Map(events.map((each) => [each, turns.of(each)]));
    if (!event) return { ...NO_NOTE, kind: 'unknown' };
    const id = turnOf.get(event) ?? null;
    return noteOf(event, id === null ? null : { id });
  };
}

/** Assigns events to turns without the client's side. Events after a cancel belong to the cancelled turn. */
class TurnsOfContexts {
  readonly #count: TurnCount;
  readonly #turns = new Map<string, { turn: number; isCancelled: boolean }>();

  constructor(count: TurnCount) {
    this.#count = count;
  }

  of(event: SpeechEvent): number | null {
    switch (event.type) {
      case 'chunkStarted':
        if (this.#turns.get(event.context)?.isCancelled) this.#turns.delete(event.context);
        return this.#open(event.context);
      case 'audio':
      case 'words':
      case 'chunkCompleted':
        return this.#open(event.context);
      case 'audioEnded':
        return this.#turns.get(event.context)?.turn ?? null;
      case 'turnEnded': {
        const turn = this.#turns.get(event.context)?.turn ?? null;
        this.#turns.delete(event.context);
        return turn;
      }
      case 'interrupted':
        return this.#cancel(event.context);
      default:
        return null;
    }
  }

  #open(context: string): number {
    const open = this.#turns.get(context);
    if (open) return open.turn;
    this.#count.turns += 1;
    this.#turns.set(context, { turn: this.#count.turns, isCancelled: false });
    return this.#count.turns;
  }

  /** @param context null: all of them; the turn is then known only if there is a single one */
  #cancel(context: string | null): number | null {
    const cancelled = [...this.#turns].filter(([name]) => context === null || name === context);
    for (const [, turn] of cancelled) turn.isCancelled = true;
    return cancelled.length === 1 ? (cancelled[0]?.[1].turn ?? null) : null;
  }
}
