import type { Clock } from '#lib/clock.ts';
import type { SpeechNews } from '#microphone/speech-news.ts';
import type { DropReason } from '#trace/player-entry.ts';
import type { UserAction } from '#trace/user-actions.ts';
import type { SessionPlayback } from '../playback/session-playback.ts';
import type { Publisher } from '../publisher.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { Conversation } from '../turns/conversation.ts';
import type { SessionTurn } from '../turns/session-turn.ts';
import type { Models } from './models.ts';
import type { Outbox } from './outbox.ts';

/** The detector confirms or ends a pause much sooner. A microphone that was unplugged does neither. */
const MAX_PAUSE_MS = 5000;

/** When a person began to speak over the voice, and when the detector decided so. */
export type Speech = Pick<Extract<SpeechNews, { onsetMs: number }>, 'onsetMs' | 'decidedMs'>;

export interface StoppingParts {
  clock: Clock;
  network: Pick<Clock, 'nowMs'>;
  conversation: Conversation;
  models: Models;
  outbox: Outbox;
  playback: SessionPlayback;
  publisher: Publisher;
  recorder: Recorder;
}

/** Ends speech: by a cancel, a line that cuts off another, the end of a context, or of the connection. */
export class Stopping {
  readonly #parts: StoppingParts;
  #stopWatching = (): void => {};

  constructor(parts: StoppingParts) {
    this.#parts = parts;
  }

  /**
   * Barge-in on one context or on all (null). The sound stops before the server is informed.
   * @param onsetMs when a person began to speak over it; null for a press
   */
  cancel(context: string | null, pressedMs = this.#parts.clock.nowMs(), onsetMs: number | null = null): void {
    const times = onsetMs === null ? null : this.#elapsed({ onsetMs, decidedMs: pressedMs });
    this.#record({ kind: 'cancelled', turn: null, context, ...times });
    this.#parts.outbox.cancels.send(context, this.silence(context, pressedMs, onsetMs));
  }

  /** A person speaks over the voice. Does nothing where nothing is spoken. */
  talkOver(news: SpeechNews): void {
    const { clock, conversation, playback } = this.#parts;
    if (news.kind === 'continue') {
      this.continue();
      return;
    }
    const isSpoken = playback.isBusy || conversation.inFlight.length > 0;
    if (news.kind === 'confirm' ? !playback.isPaused : !isSpoken) return;
    if (news.kind === 'pause') {
      this.pause(news);
      this.#stopWatching();
      this.#stopWatching = clock.after(MAX_PAUSE_MS, () => this.continue());
    } else if (playback.isRepeating) {
      // A turn that is repeated from memory has been heard before, so there is nothing to cancel.
      playback.repeatStopped();
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
   * Ends turns without the server. Returns those that the server has text of, by connection.
   * @param onsetMs when a person began to speak over them
   */
  silence(
    context: string | null,
    pressedMs = this.#parts.network.nowMs(),
    onsetMs: number | null = null,
  ): ReturnType<Conversation['cancel']> {
    const { conversation, outbox, playback, publisher } = this.#parts;
    const nowMs = this.#parts.network.nowMs();
    // A pause has marked the onset.
    if (onsetMs !== null && !playback.isPaused) this.#mark('speech', onsetMs);
    outbox.dropHalf(context);
    const cancelled = this.#cutOff(context, 'cancel', pressedMs, onsetMs);
    const spoken = conversation.cancel(context, nowMs);
    for (const turn of cancelled) publisher.mark('cancel', nowMs, { context: turn.context, turn: turn.id });
    return spoken;
  }

  /** Cuts off one turn for another line, and leaves the other turns of its speaker alone. */
  interrupt(turn: SessionTurn): void {
    const { conversation, outbox, playback, publisher } = this.#parts;
    const nowMs = this.#parts.network.nowMs();
    const { context, id } = turn;
    turn.cutOff(nowMs);
    outbox.dropHalf(context);
    playback.silence(turn, 'bargeIn');
    publisher.mark('cancel', nowMs, { context, turn: id });
    outbox.cancels.send(context, conversation.interrupt(turn, nowMs), turn);
  }

  /** Drops the text of a context, before the server is told. */
  dropContext(context: string): void {
    const { clock, conversation, outbox } = this.#parts;
    this.#record({ kind: 'cancelled', turn: null, context });
    this.#cutOff(context, 'contextClosed', clock.nowMs());
    conversation.cancel(context, clock.nowMs());
    outbox.dropHalf(context);
    outbox.dropEnded();
  }

  disconnect(): void {
    const { models, outbox } = this.#parts;
    this.#record({ kind: 'disconnected', turn: null, context: null });
    models.stop(null);
    outbox.dropHalf(null);
    outbox.disconnect();
  }

  /** Ends everything before the session goes to another server. */
  leaveServer(): void {
    const { conversation, models, outbox, playback } = this.#parts;
    outbox.dropHalf(null);
    playback.clear(null, 'otherServer');
    // Everything recorded from here on belongs to the next recording.
    playback.settle();
    models.stop(null);
    conversation.cancel(null, this.#parts.clock.nowMs());
  }

  /** Stops sound and models. Returns the turns that were not heard to their end. */
  #cutOff(
    context: string | null,
    why: DropReason,
    pressedMs: number,
    onsetMs: number | null = null,
  ): Set<SessionTurn> {
    const { conversation, models, playback } = this.#parts;
    if (context === null) this.#stopWatching();
    const silenced = playback.clear(context, why);
    models.stop(context);
    const isMeant = (turn: SessionTurn): boolean => context === null || turn.context === context;
    const turns = new Set([...silenced, ...conversation.inFlight.filter(isMeant)]);
    for (const turn of turns) turn.cutOff(pressedMs, onsetMs);
    return turns;
  }

  /** Marks the turn of each speaker that is heard now or next. */
  #mark(kind: 'speech' | 'paused' | 'continued', atMs = this.#parts.network.nowMs()): void {
    const { playback, publisher } = this.#parts;
    for (const { context, id } of playback.heardNext) publisher.mark(kind, atMs, { context, turn: id });
  }

  /** Durations up to now, because a recording's clock is not the wall clock. */
  #elapsed({ onsetMs, decidedMs }: Speech): { speechMs: number; delayMs: number } {
    const nowMs = this.#parts.clock.nowMs();
    return { speechMs: Math.max(0, decidedMs - onsetMs), delayMs: Math.max(0, nowMs - decidedMs) };
  }

  #record(action: UserAction): void {
    this.#parts.recorder.acted(action, this.#parts.clock.nowMs());
  }
}
