import type { SpeechNews } from '#microphone/speech-news.ts';
import type { DropReason } from '#recordings/format/player-entry.ts';
import type { UserAction } from '#recordings/format/user-actions.ts';
import type { SessionParts } from '../session.ts';
import type { Turn } from '../turns/turn.ts';

/** The detector confirms or ends a pause much sooner. A microphone that was unplugged does neither. */
const MAX_PAUSE_MS = 5000;

/** When a person began to speak over the voice, and when the detector decided so. */
export type Speech = Pick<Extract<SpeechNews, { onsetMs: number }>, 'onsetMs' | 'decidedMs'>;

/** Ends speech: by a cancel, a line that cuts off another, the end of a context, or of the connection. */
export class Stopping {
  readonly #parts: SessionParts;
  #stopWatching = (): void => {};

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /**
   * Barge-in on one context or on all (null). The sound stops before the server is informed.
   * @param onsetMs when a person began to speak over it; null for a press
   */
  cancel(
    context: string | null,
    pressedMs = this.#parts.environment.nowMs(),
    onsetMs: number | null = null,
  ): void {
    const times = onsetMs === null ? null : this.#elapsed({ onsetMs, decidedMs: pressedMs });
    this.#record({ kind: 'cancelled', turn: null, context, ...times });
    const spoken = this.silence(context, pressedMs, onsetMs);
    if (spoken.length > 0) this.#cancelOnServer(context, spoken, null);
  }

  /** A person speaks over the voice. Does nothing where nothing is spoken. */
  talkOver(news: SpeechNews): void {
    const { conversation, environment, playback } = this.#parts;
    if (news.kind === 'continue') {
      this.continue();
      return;
    }
    const isSpoken = playback.isBusy || conversation.inFlight.length > 0;
    if (news.kind === 'confirm' ? !playback.isPaused : !isSpoken) return;
    if (news.kind === 'pause') {
      this.pause(news);
      this.#stopWatching();
      this.#stopWatching = environment.after(MAX_PAUSE_MS, () => this.continue());
    } else if (playback.isReplaying) {
      // A turn that is replayed from memory has been heard before, so there is nothing to cancel.
      playback.replayStopped();
    } else {
      this.cancel(null, news.decidedMs, news.onsetMs);
    }
  }

  /** Pauses everything until it continues or is cancelled. */
  pause(speech: Speech): void {
    const { playback } = this.#parts;
    if (playback.isPaused) return;
    playback.setPaused(true);
    this.#record({ kind: 'paused', turn: null, context: null, ...this.#elapsed(speech) });
    this.#mark('speech', speech.onsetMs);
    this.#mark('paused');
  }

  /** Ends a pause with the next sample. */
  continue(): void {
    const { playback } = this.#parts;
    this.#stopWatching();
    if (!playback.isPaused) return;
    playback.setPaused(false);
    this.#record({ kind: 'continued', turn: null, context: null });
    this.#mark('continued');
    playback.wake();
  }

  /**
   * Ends turns without the server. Returns those that the server has text of.
   * @param onsetMs when a person began to speak over them
   */
  silence(
    context: string | null,
    pressedMs = this.#parts.network.nowMs(),
    onsetMs: number | null = null,
  ): readonly Turn[] {
    const { conversation, playback, publisher } = this.#parts;
    const nowMs = this.#parts.network.nowMs();
    // A pause has marked the onset.
    if (onsetMs !== null && !playback.isPaused) this.#mark('speech', onsetMs);
    const cancelled = this.#cutOff(context, 'cancel', pressedMs, onsetMs);
    const spoken = conversation.cancel(context, nowMs);
    for (const turn of cancelled) publisher.mark('cancel', nowMs, { context: turn.context, turn: turn.id });
    return spoken;
  }

  /** Cuts off one turn for another line, and leaves the other turns of its speaker alone. */
  interrupt(turn: Turn): void {
    const { conversation, playback, publisher } = this.#parts;
    const nowMs = this.#parts.network.nowMs();
    const { context, id } = turn;
    turn.cutOff(nowMs);
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
      this.#cutOff(context, 'contextClosed', nowMs);
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
    // The server takes no more text of a turn. Words that are typed meanwhile begin one on the next connection.
    for (const turn of conversation.inFlight) turn.textEnded = true;
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
  #cutOff(
    context: string | null,
    why: DropReason,
    pressedMs: number,
    onsetMs: number | null = null,
  ): Set<Turn> {
    const { conversation, models, playback } = this.#parts;
    if (context === null) this.#stopWatching();
    const silenced = playback.clear(context, why);
    models.stop(context);
    const isMeant = (turn: Turn): boolean => context === null || turn.context === context;
    const turns = new Set([...silenced, ...conversation.inFlight.filter(isMeant)]);
    for (const turn of turns) turn.cutOff(pressedMs, onsetMs);
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

  /** Marks the turn of each speaker that is heard now or next. */
  #mark(kind: 'speech' | 'paused' | 'continued', atMs = this.#parts.network.nowMs()): void {
    const { playback, publisher } = this.#parts;
    for (const { context, id } of playback.heardNext) publisher.mark(kind, atMs, { context, turn: id });
  }

  /** Durations up to now, because a recording's clock is not the wall clock. */
  #elapsed({ onsetMs, decidedMs }: Speech): { speechMs: number; delayMs: number } {
    const nowMs = this.#parts.environment.nowMs();
    return { speechMs: Math.max(0, decidedMs - onsetMs), delayMs: Math.max(0, nowMs - decidedMs) };
  }

  #record(action: UserAction): void {
    this.#parts.recorder.acted(action, this.#parts.environment.nowMs());
  }
}
