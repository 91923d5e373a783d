import type { Clock } from '#lib/clock.ts';
import type { Intent, Settings } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import type { UserAction } from '#trace/user-actions.ts';
import type { Link } from '../link.ts';
import type { Route } from '../route.ts';
import type { Speech } from '../sending/stopping.ts';
import type { ReplayedParts } from '../session.ts';
import { LiveAnswer } from '../turns/live-answer.ts';
import type { SessionTurn } from '../turns/session-turn.ts';

/** Repeats the client's side of a recorded session. The recording replaces all decisions on what to send and when. */
export class ClientReplayer {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #parts: ReplayedParts;
  /** The settings that the server holds on this connection. */
  #settings: Settings = {};
  /** The recording notes what a person did, which only a session does. */
  #isOfSession = false;

  constructor(clock: Pick<Clock, 'nowMs'>, parts: ReplayedParts) {
    this.#clock = clock;
    this.#parts = parts;
  }

  /** Repeats a user action, except `disconnected`, which the session does itself. */
  act(action: UserAction): void {
    const { contexts, conversation, outbox, playback, stopping } = this.#parts;
    this.#isOfSession = true;
    switch (action.kind) {
      case 'begun': {
        const { turn, context, origin, line, settings } = action;
        if (turn === null || this.#turn(turn)) break;
        const own = { ...contexts.speaker(context ?? '')?.settings, ...settings };
        const { question = '', model = '' } = action;
        const answer = origin === 'live' ? new LiveAnswer(null, question, model, this.#clock.nowMs()) : null;
        conversation.numberNext(turn);
        const asked = { origin, line, settings: own, answer };
        conversation.begin(context ?? '', asked, outbox.voiceOf(own, this.#settings));
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
   * @param intents those that the recorded session knew of
   * @param isByHand it was sent by hand
   * @param turn the turn that it was sent for; null where the recording does not say
   * @param link the connection that it was sent on
   */
  sent(
    frame: Frame,
    { intents, isByHand }: { intents: readonly Intent[]; isByHand: boolean },
    turn: number | null,
    link: Link,
  ): void {
    const { followed } = this.#parts;
    if (isByHand) followed.hearAnswer(link);
    link.send(frame, { kind: 'sent' });
    for (const intent of intents) {
      if (isByHand) {
        link.dialect.follow?.(intent);
        followed.follow(intent, turn, link, this.#settings);
      } else this.#perform(intent, turn, link);
    }
  }

  /** Skips turns that a seek has passed, so that they are never heard. */
  skip(isMeant: (turn: SessionTurn) => boolean): void {
    const { conversation, playback } = this.#parts;
    for (const turn of conversation.turns) if (isMeant(turn)) playback.skip(turn);
  }

  /**
   * Opens a connection as recorded.
   * @param why it replaced one that was dropped while it worked, or was opened ahead of its turn
   */
  opens(route: Route, { replaces, isAhead }: { replaces: boolean; isAhead: boolean }): void {
    if (route.state === 'connecting') return;
    if (isAhead) route.openAhead();
    else if (replaces && route.state !== 'retrying') route.reopen();
    else route.open();
  }

  /** Returns when the speech of an action that is repeated now was spoken and noticed; null for an action by hand. */
  #speechOf({ speechMs, delayMs = 0 }: Extract<UserAction, { kind: 'cancelled' | 'paused' }>): Speech | null {
    if (speechMs === undefined) return null;
    const decidedMs = this.#clock.nowMs() - delayMs;
    return { onsetMs: decidedMs - speechMs, decidedMs };
  }

  #perform(intent: Intent, turn: number | null, link: Link): void {
    const { contexts, connections, conversation, followed, outbox, playback, stopping } = this.#parts;
    // The context opens first, because its settings hold the voice of a turn that this text begins.
    if (intent.kind === 'say') {
      if (this.#isOfSession) conversation.stopAwaitingInterrupt(intent.context, link);
      followed.follow(intent, turn, link, this.#settings);
    }
    // A session's own cancel means all turns, and its dialect tries it again. That of another client may mean one.
    if (intent.kind === 'cancel' && this.#isOfSession) link.dialect.encode(intent);
    else link.dialect.follow?.(intent);
    switch (intent.kind) {
      case 'open':
      case 'update':
        this.#settings = { ...this.#settings, ...intent.settings };
        break;
      case 'openContext':
        if (!contexts.isLive(intent.context)) contexts.openedBy(intent.context, intent.settings, true, link);
        break;
      case 'flush':
      case 'endTurn':
        followed.follow(intent, turn, link)?.asked.answer?.end('done', this.#clock.nowMs());
        break;
      case 'cancel': {
        const interrupted = this.#turn(turn);
        if (!interrupted) stopping.silence(intent.context);
        // A line that cuts off another has mostly interrupted it in the playback already.
        else if (interrupted.state !== 'cancelled' && interrupted.heard.silencedMs === null) {
          if (!playback.cutOff(interrupted)) stopping.interrupt(interrupted);
        }
        if (this.#isOfSession) conversation.cancelSent(link);
        else conversation.sent(intent, link, this.#clock.nowMs());
        outbox.cancels.sent(intent.context, link);
        break;
      }
      case 'closeContext':
        if (intent.immediate) stopping.silence(intent.context);
        contexts.close(intent.context, intent.immediate);
        break;
      case 'disconnect':
        conversation.sent(intent, link, this.#clock.nowMs());
        connections.routeOf(link)?.closing();
        break;
      case 'say':
      case 'keepAlive':
        break;
    }
    if ('context' in intent && intent.context !== null) contexts.touched(intent.context);
  }

  #turn(id: number | null): SessionTurn | undefined {
    return this.#parts.conversation.turns.find((turn) => turn.id === id);
  }
}
