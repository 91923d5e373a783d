import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { mainEvent, noteOf } from '#record/recorded-event.ts';
import type { Carried, Closing } from './connection.ts';
import type { RecordedFrame } from './recorder/recorder.ts';
import type { SessionParts } from './session.ts';
import type { Turn } from './turns/turn.ts';
import type { Problem } from './views.ts';

/** A server that closes because of an error does so within this time after the error frame. */
const CONSEQUENCE_MS = 2000;

/** Passes the events of a connection on: frames through the dialect to contexts, turns and the player. */
export class Receiver {
  readonly #parts: SessionParts;
  /** When the last frame arrived, if that was an error. A close right behind it is its consequence. */
  #errorMs: number | null = null;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  opened(): void {
    const { contexts, outbox, quiet } = this.#parts;
    this.#errorMs = null;
    outbox.opened();
    contexts.openWanted();
    outbox.send();
    quiet.asked();
  }

  received(frame: RecordedFrame): void {
    const { connection, outbox, quiet, recorder } = this.#parts;
    const events = connection.decode(frame.frame);
    const main = mainEvent(events);
    let turn: Turn | null = null;
    for (const event of events) {
      // An error that skips one chunk does not announce a close.
      this.#errorMs = event.type === 'error' && event.chunk === undefined ? frame.atMs : null;
      if (event.type === 'audio' || event.type === 'turnEnded') connection.proven();
      const own = this.#noteContext(event, frame) ? this.#pass(event, frame) : null;
      if (event === main) turn = own;
    }
    if (main) recorder.understood(noteOf(main, turn));
    connection.reply();
    outbox.settleInterrupts();
    outbox.send();
    quiet.heard();
  }

  /** Returns whether to retry. After an error frame most servers would only repeat the error. */
  closed(closing: Closing): boolean {
    const { connection, contexts, conversation, outbox, publisher } = this.#parts;
    const { code, asked, mayRetry } = closing;
    const { inFlight } = conversation;
    const isAnswer = this.#errorMs !== null && this.#parts.network.nowMs() - this.#errorMs < CONSEQUENCE_MS;
    const retry = mayRetry && (!isAnswer || connection.endpoint.retriesAfterErrors);
    // Text that waited for the end of this connection is sent on the next.
    const waits = this.#parts.isReplay ? inFlight.some((turn) => !turn.sent) : outbox.hasUnsentTurns;
    const reopen = asked && (waits || contexts.hasWanted);
    const lost = inFlight.find((turn) => turn.sent) ?? (retry ? undefined : inFlight[0]);
    this.dropped(retry ? 'unsentAndContexts' : reopen ? 'unsent' : 'nothing');
    // The close after an error frame only repeats it, and an idle connection that is retried needs no message.
    if (!isAnswer && !asked && (lost || (!retry && code !== CLOSE_CODES.normal))) {
      const words = describeLoss(closing, lost !== undefined, connection.address);
      publisher.problem({ turn: lost?.id ?? null, severity: 'error', ...words, isForSender: true });
    }
    if (reopen) connection.open();
    return retry;
  }

  dropped(carried: Carried): void {
    const { contexts, conversation, models, outbox, quiet } = this.#parts;
    const keepsUnsent = carried !== 'nothing';
    this.#errorMs = null;
    quiet.ended();
    outbox.disconnected(keepsUnsent);
    conversation.disconnected(this.#parts.network.nowMs(), keepsUnsent);
    outbox.settleInterrupts();
    contexts.disconnected(carried);
    if (!keepsUnsent) models.stop(null);
  }

  /** Returns false where the event does not concern the turns of its context. */
  #noteContext(event: SpeechEvent, { number }: RecordedFrame): boolean {
    const { contexts, publisher } = this.#parts;
    if (event.type === 'error') {
      publisher.mark('error', this.#parts.network.nowMs(), { context: event.context, frame: number });
    }
    if (!('context' in event) || event.context === null) return true;
    const { context } = event;
    if (event.type === 'contextClosed') return contexts.closed(context, event.usage);
    if (event.type === 'error') {
      contexts.refused(context);
      return true;
    }
    contexts.opened(context);
    contexts.touched(context);
    return true;
  }

  /** Returns the turn of the event. */
  #pass(event: SpeechEvent, frame: RecordedFrame): Turn | null {
    const { contexts, conversation, playback } = this.#parts;
    const mayBegin = !('context' in event && event.context !== null && contexts.isClosed(event.context));
    const { turn, isLate } = conversation.receive(event, frame.atMs, mayBegin);
    if (!turn || isLate) return turn;
    if (event.type === 'audio') contexts.received(turn.context, playback.receive(turn, event, frame));
    else if (event.type === 'audioEnded') playback.complete(turn);
    return turn;
  }
}

/** Describes a connection that ended without a request. @param duringTurn a turn was lost with it */
function describeLoss(
  { code, reason, meaning, wasOpen }: Closing,
  duringTurn: boolean,
  address: string | null,
): Pick<Problem, 'title' | 'detail' | 'remedy'> {
  if (!wasOpen) {
    return {
      title: 'No connection',
      detail:
        `${address ?? 'The server'} did not take the connection. Browsers give no reason: the server may not run, ` +
        'the address may be wrong, or a proxy refused it.',
      remedy: 'Check that the server runs and that its address is right, then try again. The text is kept.',
    };
  }
  return {
    title: duringTurn ? 'The connection was lost during the turn' : 'The connection was lost',
    detail: `${meaning.meaning} (code ${code}${reason === '' ? '' : `, ${reason}`})`,
    remedy: duringTurn ? `${meaning.remedy} The text is kept.` : meaning.remedy,
  };
}
