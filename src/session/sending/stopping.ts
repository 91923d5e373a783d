import type { DropReason } from '#recordings/format/player-entry.ts';
import type { UserAction } from '#recordings/format/user-actions.ts';
import type { SessionParts } from '../session.ts';
import type { Turn } from '../turns/turn.ts';

/** Ends speech: by a cancel, a line that cuts off another, the end of a context, or of the connection. */
export class Stopping {
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Barge-in on one context or on all (null). The sound stops before the server is informed. */
  cancel(context: string | null, pressedMs = this.#parts.environment.nowMs()): void {
    this.#record({ kind: 'cancelled', turn: null, context });
    const spoken = this.silence(context, pressedMs);
    if (spoken.length > 0) this.#cancelOnServer(context, spoken, null);
  }

  /** Ends turns without the server. Returns those that the server has text of. */
  silence(context: string | null, pressedMs = this.#parts.network.nowMs()): readonly Turn[] {
    const { conversation, publisher } = this.#parts;
    const nowMs = this.#parts.network.nowMs();
    const cancelled = this.#cutOff(context, pressedMs, 'cancel');
    const spoken = conversation.cancel(context, nowMs);
    for (const turn of cancelled) publisher.mark('cancel', nowMs, { context: turn.context, turn: turn.id });
    return spoken;
  }

  /** Cuts off one turn for another line, and leaves the other turns of its speaker alone. */
  interrupt(turn: Turn): void {
    const { conversation, playback, publisher } = this.#parts;
    const nowMs = this.#parts.network.nowMs();
    const { context, id } = turn;
    turn.cutOffMs ??= nowMs;
    playback.silence(turn, 'bargeIn');
    publisher.mark('cancel', nowMs, { context, turn: id });
    const spoken = conversation.interrupt(turn, nowMs);
    if (spoken.length > 0) this.#cancelOnServer(context, spoken, turn);
  }

  closeContext(context: string, immediate: boolean): void {
    const { contexts, conversation, outbox } = this.#parts;
    if (immediate) {
      const nowMs = this.#parts.environment.nowMs();
      this.#record({ kind: 'cancelled', turn: null, context });
      this.#cutOff(context, nowMs, 'contextClosed');
      conversation.cancel(context, nowMs);
      outbox.dropEnded();
    }
    contexts.close(context, immediate);
  }

  /** Cancels unsent lines of speakers who were removed, because no settings are left to open their context with. */
  cancelOrphans(): void {
    const { connection, contexts, conversation, outbox } = this.#parts;
    if (!connection.endpoint.contexts) return;
    const isOrphan = ({ context, line }: Turn): boolean =>
      line !== null && contexts.speaker(context) === undefined;
    conversation.cancelUnsent(this.#parts.environment.nowMs(), isOrphan);
    outbox.dropEnded();
  }

  disconnect(): void {
    const { connection, contexts, conversation, models, outbox, quiet } = this.#parts;
    this.#record({ kind: 'disconnected', turn: null, context: null });
    models.stop(null);
    contexts.forgetWanted();
    const { state } = connection;
    if (state === 'connecting' || state === 'retrying' || quiet.isNoticed) {
      connection.drop('nothing');
      return;
    }
    const frames = state === 'open' ? connection.encode({ kind: 'disconnect' }) : [];
    if (frames.length > 0) outbox.send();
    // Text that could not go out by now must not go out on the next connection.
    conversation.cancelUnsent(this.#parts.environment.nowMs());
    outbox.dropEnded();
    if (frames.length === 0) {
      connection.close();
      return;
    }
    // The server speaks what is in flight before it closes (facts 2.3.14). A second press closes at once.
    if (!this.#parts.isReplay) for (const frame of frames) connection.send(frame, { kind: 'disconnect' });
    connection.closing();
  }

  /** Ends everything before the session goes to another server. */
  leaveServer(): void {
    const { conversation, models, playback } = this.#parts;
    playback.clear(null, 'otherServer');
    // Everything recorded from here on belongs to the next recording.
    playback.settle();
    models.stop(null);
    conversation.cancel(null, this.#parts.environment.nowMs());
  }

  /** Stops sound and models. Returns the turns that were not heard to their end. */
  #cutOff(context: string | null, pressedMs: number, why: DropReason): Set<Turn> {
    const { conversation, models, playback } = this.#parts;
    const silenced = playback.clear(context, why);
    models.stop(context);
    const isMeant = (turn: Turn): boolean => context === null || turn.context === context;
    const turns = new Set([...silenced, ...conversation.inFlight.filter(isMeant)]);
    for (const turn of turns) turn.cutOffMs ??= pressedMs;
    return turns;
  }

  /**
   * @param spoken turns that the server has text of
   * @param turn the only turn that was meant; null: all of the context
   */
  #cancelOnServer(context: string | null, spoken: readonly Turn[], turn: Turn | null): void {
    const { connection, outbox, quiet } = this.#parts;
    if (this.#parts.isReplay || !connection.takesFrames) return;
    if (connection.endpoint.can.cancel && !quiet.isNoticed) {
      for (const cancelled of context === null ? this.#cancelsForAll(spoken) : [context]) {
        outbox.cancel(cancelled, turn);
      }
      outbox.awaitInterrupt(context);
      return;
    }
    // A silent server would not confirm a cancel either, and the next turn would follow on a dead connection.
    // A `disconnect` on its way already ends what the server generates; nothing else does (facts 6.3.17).
    if (connection.state === 'open') outbox.replaceConnection(spoken);
  }

  /** Returns the contexts to cancel by name; null: all others. A cancel of all skips closing contexts (`facts 3.3.22`). */
  #cancelsForAll(spoken: readonly Turn[]): (string | null)[] {
    const names = [...new Set(spoken.map(({ context }) => context))];
    const closing = names.filter((context) => this.#parts.contexts.isClosing(context));
    return closing.length < names.length ? [...closing, null] : closing;
  }

  #record(action: UserAction): void {
    this.#parts.recorder.acted(action, this.#parts.environment.nowMs());
  }
}
