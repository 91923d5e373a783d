import type { Endpoint, Frame, Intent, Settings, Wire } from '#protocol/core/endpoint.ts';
import type { Listening, TextOrigin } from '#recordings/format/user-actions.ts';
import type { SocketConnection } from '../connection.ts';
import type { Playback } from '../playback/playback.ts';
import type { Contexts } from '../sending/contexts.ts';
import type { Interrupts } from '../sending/interrupts.ts';
import { voiceIn } from '../sending/outbox.ts';
import type { Conversation } from '../turns/conversation.ts';
import type { Turn } from '../turns/turn.ts';

export interface ReenactmentParts {
  conversation: Conversation;
  contexts: Contexts;
  connection: SocketConnection;
  interrupts: Interrupts;
  playback: Playback;
  endpoint(): Endpoint;
  wire(): Wire;
}

export interface ReenactmentHandlers {
  nowMs(): number;
  begun(turn: Turn): void;
  sent(turn: Turn, kind: 'say' | 'flush' | 'endTurn', chars: number): void;
  /** The part of a cancel that needs no server. */
  silence(context: string | null): void;
  /** The same for one turn, whatever else of its context is to be heard. */
  interrupt(turn: Turn): void;
  /** The connection was left without waiting for its end. */
  left(): void;
  changed(): void;
}

/** A turn as it was begun in its time. */
export interface BegunTurn {
  turn: number;
  context: string;
  origin: TextOrigin;
  /** Its place in a script; null: it is no line of one. */
  line: number | null;
}

/**
 * What this side did in a session that is replayed, done again: turns, contexts and what is heard change as they did when
 * a frame went out. It takes the place of everything that decides what to send and when, because that is decided already.
 */
export class Reenactment {
  readonly #parts: ReenactmentParts;
  readonly #handlers: ReenactmentHandlers;
  /** What the server holds to on this connection. */
  #settings: Settings = {};

  constructor(parts: ReenactmentParts, handlers: ReenactmentHandlers) {
    this.#parts = parts;
    this.#handlers = handlers;
  }

  /** A person, or a script, began a turn; of a recording that does not tell, its first text does. */
  begun({ turn: id, context, origin, line }: BegunTurn): void {
    const { conversation } = this.#parts;
    if (this.#turn(id)) return;
    conversation.numberNext(id);
    this.#handlers.begun(conversation.begin(context, origin, this.#voiceOf(context), line));
  }

  /** The turn is a line of a script, to be heard when it is its turn. */
  line(id: number, interrupts: boolean): void {
    const turn = this.#turn(id);
    if (turn) this.#parts.playback.line(turn, interrupts);
  }

  /** How lines of a script are heard from now on. */
  listens(listening: Listening, pauseMs: number): void {
    this.#parts.playback.listen(listening, pauseMs);
  }

  /** A person cancelled, on one context or on all (null); the server may have been told by a frame of its own. */
  cancelled(context: string | null): void {
    this.#handlers.silence(context);
  }

  /**
   * A frame went out.
   * @param intents what it asks for; none for what was sent by hand, of which this side knew nothing in its time either
   * @param turn the turn that it was sent for, where that is recorded
   */
  sent(frame: Frame, intents: readonly Intent[], turn: number | null): void {
    this.#parts.connection.send(frame, { kind: 'sent' });
    for (const intent of intents) this.#perform(intent, turn);
    this.#handlers.changed();
  }

  /** A frame is about to come in that belonged to this turn, which it may begin. */
  expects(turn: number): void {
    this.#parts.conversation.numberNext(turn);
  }

  /** Turns of which nothing is to be heard, now or later: a replay that is set forward has passed them. */
  skip(isMeant: (turn: Turn) => boolean): void {
    const { conversation, playback } = this.#parts;
    for (const turn of conversation.turns) if (isMeant(turn)) playback.skip(turn);
  }

  /** This side asked the server to close, by the close frame of WebSocket. */
  closing(): void {
    this.#parts.connection.closing();
  }

  /** A connection was opened. @param replaces in place of one that was left while it worked */
  opens(replaces: boolean): void {
    const { connection } = this.#parts;
    // One that is tried again has begun by itself.
    if (replaces && connection.state !== 'retrying' && connection.state !== 'connecting') connection.reopen();
    else connection.open();
  }

  /** This side left the connection without waiting. */
  left(): void {
    this.#parts.connection.drop();
    this.#handlers.left();
  }

  #perform(intent: Intent, turn: number | null): void {
    const { conversation, contexts, connection, interrupts, wire } = this.#parts;
    // Opened first, so that what the text begins has its voice.
    if (intent.kind === 'say') this.#say(intent, turn);
    wire().encode(intent);
    switch (intent.kind) {
      case 'open':
      case 'update':
        this.#settings = { ...this.#settings, ...intent.settings };
        break;
      case 'openContext':
        if (!contexts.isLive(intent.context)) contexts.openedThen(intent.context, intent.settings);
        break;
      case 'flush':
      case 'endTurn':
        this.#endText(intent.context, intent.kind, turn);
        break;
      case 'cancel': {
        const interrupted = turn === null ? undefined : this.#turn(turn);
        if (!interrupted) this.#handlers.silence(intent.context);
        // Where lines cut one another off, that has mostly been done already.
        else if (interrupted.state !== 'cancelled' && interrupted.silencedMs === null) {
          this.#handlers.interrupt(interrupted);
        }
        conversation.cancelSent();
        interrupts.wait(intent.context);
        break;
      }
      case 'closeContext':
        if (intent.immediate) this.#handlers.silence(intent.context);
        contexts.close(intent.context, intent.immediate);
        break;
      case 'disconnect':
        connection.closing();
        break;
      case 'say':
      case 'keepAlive':
        break;
    }
    if ('context' in intent && intent.context !== null) contexts.touched(intent.context);
  }

  #say({ context, text, opens }: Extract<Intent, { kind: 'say' }>, id: number | null): void {
    const { conversation, contexts } = this.#parts;
    const isClosed = contexts.isClosed(context);
    if (opens || isClosed) contexts.openedThen(context, opens ?? {});
    let turn = (id === null ? undefined : this.#turn(id)) ?? conversation.openTurn(context);
    if (!turn) {
      // White space starts no turn on the server either (facts 10.9).
      if (text.trim() === '') return;
      if (id !== null) conversation.numberNext(id);
      turn = conversation.begin(context, 'whole', null);
      this.#handlers.begun(turn);
    }
    if (!turn.sent) turn.voice = this.#voiceOf(context);
    turn.write(text);
    turn.textSent(text, this.#handlers.nowMs());
    this.#handlers.sent(turn, 'say', text.length);
  }

  #endText(context: string, kind: 'flush' | 'endTurn', id: number | null): void {
    const turn = (id === null ? undefined : this.#turn(id)) ?? this.#parts.conversation.openTurn(context);
    // A flush of nothing ends nothing.
    if (!turn?.sent || turn.flushedMs !== null) return;
    turn.endText(this.#handlers.nowMs());
    this.#handlers.sent(turn, kind, 0);
  }

  #turn(id: number): Turn | undefined {
    return this.#parts.conversation.turns.find((turn) => turn.id === id);
  }

  #voiceOf(context: string): string | number | null {
    const { contexts, endpoint } = this.#parts;
    const { contexts: rules, settings } = endpoint();
    return rules
      ? voiceIn(contexts.speaker(context)?.settings ?? {}, rules.settings)
      : voiceIn(this.#settings, settings);
  }
}
