import type { Frame, Intent, Settings } from '#protocol/core/endpoint.ts';
import type { UserAction } from '#recordings/format/user-actions.ts';
import type { SessionEnvironment } from '../environment.ts';
import type { Speech } from '../sending/stopping.ts';
import type { SessionParts } from '../session.ts';
import { LiveAnswer, noteQuestion, noteToken } from '../turns/live-answer.ts';
import type { Turn } from '../turns/turn.ts';

/** Repeats the client's side of a recorded session. The recording replaces all decisions on what to send and when. */
export class Reenactment {
  readonly #environment: SessionEnvironment;
  readonly #parts: SessionParts;
  /** The settings that the server holds on this connection. */
  #settings: Settings = {};

  constructor(environment: SessionEnvironment, parts: SessionParts) {
    this.#environment = environment;
    this.#parts = parts;
  }

  /** Repeats a user action, except `disconnected`, which the session does itself. */
  act(action: UserAction): void {
    const { conversation, playback, stopping } = this.#parts;
    switch (action.kind) {
      case 'begun': {
        const { turn, context, origin, line } = action;
        if (turn === null || this.#turn(turn)) break;
        conversation.numberNext(turn);
        const begun = conversation.begin(context ?? '', origin, this.#voiceOf(context ?? ''), line);
        if (origin === 'live') {
          const { question = '', model = '' } = action;
          begun.answer = new LiveAnswer(null, question, model, this.#environment.nowMs());
          noteQuestion(this.#parts.publisher, begun, begun.answer);
        }
        break;
      }
      case 'line': {
        playback.listen(action.listening, action.pauseMs);
        const turn = this.#turn(action.turn);
        if (turn) playback.addLine(turn, action.interrupts);
        break;
      }
      case 'listening':
        playback.listen(action.listening, action.pauseMs);
        break;
      case 'cancelled': {
        const speech = this.#speechOf(action);
        stopping.silence(action.context, speech?.decidedMs, speech?.onsetMs);
        break;
      }
      case 'paused': {
        const speech = this.#speechOf(action);
        if (speech) stopping.pause(speech);
        break;
      }
      case 'continued':
        stopping.continue();
        break;
      case 'disconnected':
        break;
    }
  }

  /**
   * Repeats a sent frame.
   * @param intents null for a frame sent by hand, which the recorded session did not interpret either
   * @param turn the turn that it was sent for; null where the recording does not say
   */
  sent(frame: Frame, intents: readonly Intent[] | null, turn: number | null): void {
    if (intents === null) this.#parts.outbox.sentByHand();
    this.#parts.connection.send(frame, { kind: 'sent' });
    for (const intent of intents ?? []) this.#perform(intent, turn);
  }

  /** Skips turns that a seek has passed, so that they are never heard. */
  skip(isMeant: (turn: Turn) => boolean): void {
    const { conversation, playback } = this.#parts;
    for (const turn of conversation.turns) if (isMeant(turn)) playback.skip(turn);
  }

  /** @param replaces the connection replaced one that was dropped while it worked */
  opens(replaces: boolean): void {
    const { connection } = this.#parts;
    // A retry has already begun by its own timer.
    if (replaces && connection.state !== 'retrying' && connection.state !== 'connecting') connection.reopen();
    else connection.open();
  }

  /** Returns when the speech of an action that is repeated now was spoken and noticed; null for an action by hand. */
  #speechOf({ speechMs, delayMs = 0 }: Extract<UserAction, { kind: 'cancelled' | 'paused' }>): Speech | null {
    if (speechMs === undefined) return null;
    const decidedMs = this.#environment.nowMs() - delayMs;
    return { onsetMs: decidedMs - speechMs, decidedMs };
  }

  #perform(intent: Intent, turn: number | null): void {
    const { conversation, contexts, connection, outbox, playback, stopping } = this.#parts;
    // The context opens first, because its settings hold the voice of a turn that this text begins.
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
        const interrupted = this.#turn(turn);
        if (!interrupted) stopping.silence(intent.context);
        // A line that cuts off another has mostly interrupted it in the playback already.
        else if (interrupted.state !== 'cancelled' && interrupted.silencedMs === null) {
          if (!playback.cutOff(interrupted)) stopping.interrupt(interrupted);
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
    let turn = this.#turn(id) ?? conversation.openTurn(context);
    if (!turn) {
      // White space starts no turn on the server either (facts 10.9).
      if (text.trim() === '') return;
      if (id !== null) conversation.numberNext(id);
      turn = conversation.begin(context, 'whole', null);
    }
    conversation.stopAwaitingInterrupt(context);
    if (!turn.sent) turn.voice = this.#voiceOf(context);
    // A recording has the tokens as they were sent.
    noteToken(this.#parts.publisher, turn, text, this.#environment.nowMs());
    turn.write(text);
    turn.textSent(text, this.#environment.nowMs());
    outbox.noteSent(turn, 'say', text.length);
  }

  #endText(context: string, kind: 'flush' | 'endTurn', id: number | null): void {
    const turn = this.#turn(id) ?? this.#parts.conversation.openTurn(context);
    // A flush of nothing ends nothing.
    if (!turn?.sent || turn.flushedMs !== null) return;
    turn.answer?.end('done', this.#environment.nowMs());
    turn.endText(this.#environment.nowMs());
    this.#parts.outbox.noteSent(turn, kind, 0);
  }

  #turn(id: number | null): Turn | undefined {
    return this.#parts.conversation.turns.find((turn) => turn.id === id);
  }

  #voiceOf(context: string): string | number | null {
    return this.#parts.outbox.voiceOf(context, this.#settings);
  }
}
