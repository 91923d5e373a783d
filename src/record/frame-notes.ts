import { keylessAddress, readAddress } from '#protocol/core/address.ts';
import type { Endpoint, Frame, Intent } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '#protocol/core/speech-event.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { reopen } from './entry-decoder.ts';
import { withoutNamedSecrets } from './named-secrets.ts';
import { type FrameNote, mainEvent, NO_NOTE, noteOf, UNREAD } from './recorded-event.ts';

/** Returns the endpoint of an address; null for an unknown one. */
export const endpointAt = (address: string): Endpoint | null =>
  (URL.canParse(address) && ENDPOINTS.find((endpoint) => readAddress(endpoint, address))) || null;

/**
 * Drops user and password, and all of query and fragment but the settings of the endpoint, which may hold a key and
 * differ between connections.
 */
export function bareAddress(url: string): string {
  if (!URL.canParse(url)) return withoutNamedSecrets(url.split(/[?#]/, 1)[0] ?? '');
  const { protocol, host, pathname, search } = new URL(url);
  const plain = `${protocol}//${host}${pathname}`;
  const endpoint = endpointAt(plain);
  const read = endpoint && readAddress(endpoint, plain + search);
  return read ? keylessAddress(endpoint, read.base, read.settings) : plain;
}

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
  const turns = new TurnsOfContexts(count);
  return {
    received(frame) {
      const events = dialect?.decode(frame) ?? [];
      const event = mainEvent(events);
      // A frame may end a turn and begin the next, so that every event counts.
      const turnOf = new Map(events.map((each) => [each, turns.received(each)]));
      if (!event) return { ...NO_NOTE, kind: dialect ? UNREAD : 'unknown' };
      const id = turnOf.get(event) ?? null;
      return noteOf(event, id === null ? null : { id });
    },
    sent(frame) {
      const intents = endpoint?.readIntents(frame) ?? [];
      // The dialect of an endpoint whose frames name no turn foresees the answers to what was sent.
      for (const each of intents) dialect?.encode(each);
      const turnOf = new Map(intents.map((each) => [each, turns.sent(each)]));
      const intent = intents.find(({ kind }) => kind === 'say') ?? intents[0];
      if (!intent) return { ...NO_NOTE, kind: 'sent' };
      const context = ('context' in intent && intent.context) || null;
      return { ...NO_NOTE, kind: intent.kind, context, turn: turnOf.get(intent) ?? null };
    },
  };
}

/** The turns of one context. */
interface ContextTurns {
  spoken: { turn: number; isCancelled: boolean } | null;
  /** Sent, and not spoken yet. */
  awaited: number[];
  /** More text joins the newest turn. */
  takesText: boolean;
}

/** Numbers turns as `Conversation` does. Events after a cancel belong to the cancelled turn. */
class TurnsOfContexts {
  readonly #count: TurnCount;
  readonly #contexts = new Map<string, ContextTurns>();

  constructor(count: TurnCount) {
    this.#count = count;
  }

  sent(intent: Intent): number | null {
    switch (intent.kind) {
      case 'say':
        return this.#say(this.#of(intent.context), intent.text);
      case 'flush':
      case 'endTurn':
        return endText(this.#of(intent.context));
      case 'closeContext':
        if (intent.immediate) return this.#cancel(intent.context, abandon);
        endText(this.#of(intent.context));
        return null;
      case 'cancel':
        return this.#cancel(intent.context, abandon);
      default:
        return null;
    }
  }

  received(event: SpeechEvent): number | null {
    switch (event.type) {
      case 'chunkStarted': {
        const of = this.#of(event.context);
        if (of.spoken?.isCancelled) of.spoken = null;
        return this.#speak(of);
      }
      case 'audio':
      case 'words':
      case 'chunkCompleted':
        return this.#speak(this.#of(event.context));
      case 'audioEnded':
        return this.#of(event.context).spoken?.turn ?? null;
      case 'turnEnded': {
        const of = this.#of(event.context);
        const turn = of.spoken?.turn ?? of.awaited.shift() ?? null;
        of.spoken = null;
        of.takesText &&= of.awaited.length > 0;
        return turn;
      }
      case 'error':
        return event.ends === 'newest' ? (this.#of(ONLY_CONTEXT).awaited.pop() ?? null) : null;
      case 'interrupted':
        return this.#cancel(event.context, interrupt);
      default:
        return null;
    }
  }

  #of(context: string): ContextTurns {
    const of = this.#contexts.get(context) ?? { spoken: null, awaited: [], takesText: false };
    this.#contexts.set(context, of);
    return of;
  }

  #say(of: ContextTurns, text: string): number | null {
    // White space starts no turn on the server either (facts 10.9).
    if (!of.takesText && text.trim() === '') return null;
    if (!of.takesText) of.awaited.push(this.#next());
    of.takesText = true;
    return newestOf(of);
  }

  #speak(of: ContextTurns): number {
    of.spoken ??= { turn: of.awaited.shift() ?? this.#next(), isCancelled: false };
    return of.spoken.turn;
  }

  #next(): number {
    this.#count.turns += 1;
    return this.#count.turns;
  }

  /** @param context null: all of them; the turn is then known only if there is a single one */
  #cancel(context: string | null, cancel: (of: ContextTurns) => void): number | null {
    const cancelled = [...this.#contexts].flatMap(([name, of]) => {
      const turn = of.spoken?.turn ?? of.awaited[0];
      if (turn === undefined || (context !== null && name !== context)) return [];
      cancel(of);
      return [turn];
    });
    return cancelled.length === 1 ? (cancelled[0] ?? null) : null;
  }
}

const newestOf = ({ spoken, awaited }: ContextTurns): number | null => awaited.at(-1) ?? spoken?.turn ?? null;

function endText(of: ContextTurns): number | null {
  const turn = of.takesText ? newestOf(of) : null;
  of.takesText = false;
  return turn;
}

/** Text sent since the cancel belongs to the next turn. */
function interrupt(of: ContextTurns): void {
  const turn = of.spoken?.turn ?? of.awaited.shift();
  if (turn !== undefined) of.spoken = { turn, isCancelled: true };
  of.takesText &&= of.awaited.length > 0;
}

/** Nothing more is spoken. Audio that is on its way belongs to the oldest turn. */
function abandon(of: ContextTurns): void {
  const [first] = of.awaited;
  if (first !== undefined) of.spoken ??= { turn: first, isCancelled: false };
  of.awaited = [];
  of.takesText = false;
}
