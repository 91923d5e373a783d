import type { Frame, Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Listening, TextOrigin } from '#recordings/format/user-actions.ts';
import type { SessionEnvironment } from '../environment.ts';
import type { SessionParts } from '../session.ts';
import type { Turn } from '../turns/turn.ts';

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
  readonly #environment: SessionEnvironment;
  readonly #parts: SessionParts;
  /** The settings that the server holds on this connection. */
  #settings: Settings = {};

  constructor(environment: SessionEnvironment, parts: SessionParts) {
    this.#environment = environment;
    this.#parts = parts;
  }

  /** A person, or a script, began a turn; of a recording that does not tell, its first text does. */
  begun({ turn: id, context, origin, line }: BegunTurn): void {
    const { conversation } = this.#parts;
    if (this.#turn(id)) return;
    conversation.numberNext(id);
    conversation.begin(context, origin, this.#voiceOf(context), line);
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
    this.#parts.stopping.silence(context);
  }

  /**
   * A frame went out.
   * @param intents what it asks for; none for what was sent by hand, of which this side knew nothing in its time either
   * @param turn the turn that it was sent for, where that is recorded
   */
  sent(frame: Frame, intents: readonly Intent[], turn: number | null): void {
    this.#parts.connection.send(frame, { kind: 'sent' });
    for (const intent of intents) this.#perform(intent, turn);
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
    this.#parts.connection.drop('unsent');
  }

  #perform(intent: Intent, turn: number | null): void {
    const { conversation, contexts, connection, outbox, stopping } = this.#parts;
    // Opened first, so that what the text begins has its voice.
    if (intent.kind === 'say') this.#say(intent, turn);
    connection.encode(intent);
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
        if (!interrupted) stopping.silence(intent.context);
        // Where lines cut one another off, that has mostly been done already.
        else if (interrupted.state !== 'cancelled' && interrupted.silencedMs === null) {
          stopping.interrupt(interrupted);
        }
        conversation.cancelSent();
        outbox.awaitInterrupt(intent.context);
        break;
      }
      case 'closeContext':
        if (intent.immediate) stopping.silence(intent.context);
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
    const { conversation, contexts, outbox } = this.#parts;
    const isClosed = contexts.isClosed(context);
    if (opens || isClosed) contexts.openedThen(context, opens ?? {});
    let turn = (id === null ? undefined : this.#turn(id)) ?? conversation.openTurn(context);
    if (!turn) {
      // White space starts no turn on the server either (facts 10.9).
      if (text.trim() === '') return;
      if (id !== null) conversation.numberNext(id);
      turn = conversation.begin(context, 'whole', null);
    }
    if (!turn.sent) turn.voice = this.#voiceOf(context);
    turn.write(text);
    turn.textSent(text, this.#environment.nowMs());
    outbox.noteSent(turn, 'say', text.length);
  }

  #endText(context: string, kind: 'flush' | 'endTurn', id: number | null): void {
    const turn = (id === null ? undefined : this.#turn(id)) ?? this.#parts.conversation.openTurn(context);
    // A flush of nothing ends nothing.
    if (!turn?.sent || turn.flushedMs !== null) return;
    turn.endText(this.#environment.nowMs());
    this.#parts.outbox.noteSent(turn, kind, 0);
  }

  #turn(id: number): Turn | undefined {
    return this.#parts.conversation.turns.find((turn) => turn.id === id);
  }

  #voiceOf(context: string): string | number | null {
    return this.#parts.outbox.voiceOf(context, this.#settings);
  }
}
