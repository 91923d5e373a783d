import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { SpeechPace } from '#recordings/format/estimated-words.ts';
import type { TextOrigin } from '#recordings/format/user-actions.ts';
import type { SessionParts } from '../session.ts';
import type { Problem } from '../views.ts';
import { keptUsage } from './chunks.ts';
import { Turn } from './turn.ts';

const MAX_QUOTED_CHARS = 500;

/** Limits over all turns. Beyond them, the oldest turns are condensed. */
const KEPT_CHUNKS = 30_000;
const KEPT_CHARS = 4_000_000;

/**
 * The turns of a session, and the assignment of speech events to them. The server answers turns in the order in which
 * they were sent (`facts 2.3.26`), so an event belongs to the oldest turn of its context that has not ended.
 *
 * - A cancelled turn is over here at once. It keeps its place until `interrupted`, so that frames in transit are
 *   recognised as its own and dropped (`facts 2.3.20`).
 * - A line that is cut off while later turns of its context are on their way is over only here, because a cancel
 *   would empty the whole context on the server (`facts 3.3.22`). Its frames are dropped until the server has ended
 *   it.
 * - A refused message changes nothing on the server (decision 2.11), and the client cannot see which message it was.
 *   A refusal counts against the oldest turn without a chunk. The turn fails when as many messages were refused as it
 *   sent texts, and revives if speech comes. A turn with chunks continues.
 * - Any other error ends the oldest turn, and nothing follows for it (decision 2.11).
 * - A wire that knows which message an error answers says which turn ends, if any.
 * - Speech without an open turn begins one, so that nothing audible is lost.
 */
export class Conversation {
  /** In the order of their numbers. */
  readonly turns: Turn[] = [];
  readonly #parts: SessionParts;
  /** In the order of sending. A turn leaves when no more frames can come for it. */
  #inLine: Turn[] = [];
  /** Cancelled turns that the server still speaks to their end. */
  readonly #givenUp = new Set<Turn>();
  /** Cancels without an answer. One `interrupted` may settle more turns than those of its own cancel. */
  #unansweredCancels = 0;
  #nextId: number | null = null;
  #pace = new SpeechPace();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** The voices of another endpoint speak at another pace. */
  speakWith(): void {
    this.#pace = new SpeechPace();
  }

  /** Turns whose end is awaited, oldest first. */
  get inFlight(): readonly Turn[] {
    return this.#inLine.filter((turn) => !turn.isOver);
  }

  /** The oldest turn of which the server has to send frames. */
  get owedTurn(): Turn | undefined {
    return this.#inLine.find((turn) => turn.isOwed);
  }

  /** The server has text of a turn that has not ended; null: on any context. */
  isBusy(context: string | null): boolean {
    return this.inFlight.some((turn) => turn.sent && isOf(turn, context));
  }

  /** Whether cancelled turns wait for the server's confirmation; null: on any context. */
  awaitsInterrupt(context: string | null): boolean {
    return this.#inLine.some((turn) => this.#isAwaited(turn) && isOf(turn, context));
  }

  /** Returns the turn that new text joins; null where it begins one. */
  openTurn(context: string): Turn | null {
    return this.#inLine.find((turn) => turn.context === context && !turn.textEnded) ?? null;
  }

  /** Sets the number of the next turn, so that a replay numbers turns as recorded. A number in use is ignored. */
  numberNext(id: number): void {
    this.#nextId = this.turns.some((turn) => turn.id === id) ? null : id;
  }

  begin(
    context: string,
    origin: TextOrigin,
    voice: string | number | null,
    line: number | null = null,
  ): Turn {
    const turn = new Turn(this.#nextId ?? (this.turns.at(-1)?.id ?? 0) + 1, context, origin, voice, line);
    this.#nextId = null;
    turn.endpoint = this.#endpoint.id;
    turn.billing = this.#endpoint.billing;
    turn.pace = this.#pace;
    insert(this.turns, turn);
    insert(this.#inLine, turn);
    this.#parts.publisher.changed('totals');
    this.#parts.publisher.turnChanged(turn);
    return turn;
  }

  /** Ends every turn in flight, on that context or on all (null). Returns those that need a cancel on the server. */
  cancel(context: string | null, atMs: number): Turn[] {
    const cancelled = this.inFlight.filter((turn) => isOf(turn, context));
    for (const turn of cancelled) this.#end(turn, 'cancelled', atMs);
    // The server has no text of an unsent turn.
    this.#retire((turn) => !turn.sent && isOf(turn, context));
    // The server may still speak a line that was cut off before.
    const givenUp = [...this.#givenUp].filter((turn) => isOf(turn, context));
    for (const turn of givenUp) this.#givenUp.delete(turn);
    return [...givenUp, ...cancelled.filter((turn) => turn.sent)];
  }

  /**
   * Ends this turn and no other that can still be heard. Returns the turns that need a cancel of their context: none
   * where the server has ended the turn, has no text of it, or has other turns of the context.
   */
  interrupt(turn: Turn, atMs: number): Turn[] {
    if (turn.isOver) return [];
    this.#end(turn, 'cancelled', atMs);
    if (!turn.sent) {
      this.#leave(turn);
      return [];
    }
    const hasOthers = this.inFlight.some((other) => other.sent && other.context === turn.context);
    // A cancel would also drop the later turns. A turn without a flush is the last one, and its text would join the next.
    if (hasOthers && turn.flushedMs !== null) {
      this.#givenUp.add(turn);
      return [];
    }
    return [turn];
  }

  cancelUnsent(atMs: number, isMeant: (turn: Turn) => boolean = () => true): void {
    for (const turn of this.inFlight) {
      if (!turn.sent && isMeant(turn)) this.#end(turn, 'cancelled', atMs);
    }
    this.#retire((turn) => !turn.sent && turn.isOver);
  }

  fail(turn: Turn, atMs: number): void {
    this.#end(turn, 'failed', atMs);
    this.#leave(turn);
  }

  cancelSent(): void {
    this.#unansweredCancels += 1;
  }

  /** Stops waiting for the confirmation of a cancel, because later speech belongs to text that goes out now. */
  stopAwaitingInterrupt(context: string | null): void {
    this.#retire((turn) => this.#isAwaited(turn) && isOf(turn, context));
  }

  contextClosed(context: string, atMs: number): void {
    // Text sent from here on opens the context again, so its turn continues.
    const theirs = this.#inLine.filter((turn) => turn.context === context && turn.sent);
    for (const turn of theirs) {
      if (turn.isOver) continue;
      this.#end(turn, turn.hasChunks ? 'ended' : 'lost', atMs);
      if (turn.hasChunks) continue;
      this.#report(turn, atMs, 'warning', {
        title: 'The context closed before it spoke',
        detail: 'The server ended the context of this line while its text was on the way.',
        remedy: 'Speak the line again; the text is kept.',
        isForSender: true,
      });
    }
    this.#retire((turn) => theirs.includes(turn));
  }

  /** Ends the turns of a lost connection. Unsent turns may stay for the next one. */
  disconnected(atMs: number, keepUnsent: boolean): void {
    this.#unansweredCancels = 0;
    for (const turn of this.inFlight) {
      if (turn.sent || !keepUnsent) this.#end(turn, 'lost', atMs);
    }
    this.#retire((turn) => turn.isOver);
  }

  /** Returns the turn of an event that has not been received yet; null where there is none. */
  turnOf(event: SpeechEvent): Turn | null {
    if (!('context' in event) || event.context === null) return null;
    if (event.type === 'words') return this.#ownerOfWords(event.context, event.chunk);
    return this.#first(event.context);
  }

  /** Returns the turn of an audio frame; null where its turn was cancelled. @param mayBegin see {@link receive} */
  takeAudio(context: string, atMs: number, mayBegin: boolean): Turn | null {
    const turn = this.#speaker(context, atMs, mayBegin);
    if (turn) return turn;
    const cancelled = this.#first(context);
    if (cancelled) {
      cancelled.lateFrames += 1;
      this.#parts.publisher.turnChanged(cancelled);
    }
    return null;
  }

  /**
   * Changes turns by any event but `audio`.
   * @param mayBegin speech without a turn begins one; false where its context is closed (`facts 3.3.18`)
   */
  receive(event: SpeechEvent, atMs: number, mayBegin: boolean): void {
    switch (event.type) {
      case 'chunkStarted': {
        const turn = this.#speaker(event.context, atMs, mayBegin);
        if (!turn) return;
        turn.chunkStarted(event.chunk, event.text, event.inferred ? null : atMs);
        this.#parts.publisher.turnChanged(turn);
        break;
      }
      case 'words': {
        const turn = this.#ownerOfWords(event.context, event.chunk);
        if (!turn) return;
        turn.words(event.chunk, event.words, atMs);
        this.#parts.publisher.turnChanged(turn);
        break;
      }
      case 'chunkCompleted': {
        const turn = this.#first(event.context);
        if (!turn || turn.isOver) return;
        turn.chunkCompleted(event.chunk, event.generationMs, atMs, event.figures);
        this.#parts.publisher.turnChanged(turn);
        break;
      }
      case 'turnEnded': {
        const turn = this.#first(event.context, (candidate) => !hasUsage(candidate));
        if (!turn) return;
        turn.usage = event.usage
          ? keptUsage(event.usage)
          : turn.billing === 'context'
            ? 'withContext'
            : 'unreported';
        this.#parts.publisher.turnChanged(turn);
        // The end of the turn crossed with its cancel, which is confirmed all the same.
        if (this.#isAwaited(turn) && this.#endpoint.can.cancel) return;
        this.#end(turn, turn.refusals > 0 && !turn.hasChunks ? 'failed' : 'ended', atMs);
        this.#leave(turn);
        const next = this.#first(event.context);
        if (next) next.aloneFromMs = atMs;
        break;
      }
      case 'interrupted':
        this.#interrupted(event.context, atMs);
        break;
      case 'warning':
        this.#warned(event, atMs);
        break;
      case 'error':
        this.#failed(event, atMs);
        break;
      case 'unknown':
        this.#report(null, atMs, 'warning', {
          title: 'A frame of an unknown kind',
          detail: `The server sent a frame that this version of the page does not know: ${quoted(keysOf(event.frame))}.`,
          remedy: 'Nothing is wrong with the turn; the server may speak a newer version of the protocol.',
        });
        break;
      case 'malformed':
        this.#report(this.inFlight[0] ?? null, atMs, 'error', {
          title: 'A frame that breaks the protocol',
          detail: quoted(event.problem),
          remedy: 'The frame was left out. If speech is missing, the server needs correcting.',
        });
        break;
      case 'contextClosed':
        this.contextClosed(event.context, atMs);
        break;
    }
  }

  get #endpoint(): Endpoint {
    return this.#parts.connection.endpoint;
  }

  #first(context: string, is: (turn: Turn) => boolean = () => true): Turn | null {
    return this.#inLine.find((turn) => turn.sent && turn.context === context && is(turn)) ?? null;
  }

  /** Returns the turn that is spoken, and begins one where that is allowed; null where the turn was cancelled. */
  #speaker(context: string, atMs: number, mayBegin: boolean): Turn | null {
    let first = this.#first(context);
    if (first?.state === 'cancelled') return null;
    if (first?.state === 'failed') {
      // A server that does not answer the flush of a refused turn continues with the next turn.
      const next = this.#first(context, (turn) => !turn.isOver);
      if (next) this.#leave(first);
      else first.revive();
      first = next ?? first;
    }
    if (first) return first;
    if (!mayBegin) return null;
    const turn = this.begin(context, 'whole', null);
    turn.sent = true;
    turn.endText(null);
    this.#report(turn, atMs, 'warning', {
      title: 'Speech without a turn',
      detail: 'The server speaks although no turn is open, so a turn was opened for it.',
      remedy: 'This happens when text and an end of the turn by the server cross on the way.',
    });
    return turn;
  }

  /** Word timings may come after their turn has ended (`facts 1.6`, `2.3.30`). */
  #ownerOfWords(context: string, chunk: number): Turn | null {
    const first = this.#first(context);
    if (first?.hasUntimedChunk(chunk)) return first;
    const late = this.turns.findLast(
      (turn) => turn.context === context && turn.state === 'ended' && turn.hasUntimedChunk(chunk),
    );
    return late ?? (first && !first.isOver ? first : null);
  }

  #interrupted(context: string | null, atMs: number): void {
    const isAnswer = this.#unansweredCancels > 0;
    if (isAnswer) this.#unansweredCancels -= 1;
    for (const turn of this.#inLine) {
      if (!this.#isAwaited(turn) || !isOf(turn, context)) continue;
      if (turn.bargeIn) turn.bargeIn.interruptedMs ??= atMs;
      this.#parts.publisher.turnChanged(turn);
    }
    this.#retire((turn) => turn.state === 'cancelled' && isOf(turn, context));
    if (isAnswer) return;
    const turn = this.inFlight.find((candidate) => candidate.sent && isOf(candidate, context));
    if (!turn) return;
    this.#end(turn, 'cancelled', atMs);
    this.#leave(turn);
    this.#report(turn, atMs, 'warning', {
      title: 'Interrupted by the server',
      detail: 'The server abandoned the turn without a cancel.',
      remedy: 'Speak again; the text is kept.',
      isForSender: true,
    });
  }

  #warned(event: Extract<SpeechEvent, { type: 'warning' }>, atMs: number): void {
    const open = event.endsTurn ? this.#first(event.context, (turn) => !turn.textEnded) : null;
    this.#report(open ?? this.#first(event.context), atMs, 'warning', {
      title: open ? 'The server ended the turn by itself' : 'The server warns',
      detail: quoted(event.message) || 'It did not say of what.',
      remedy: open ? 'What is said from now on is another turn. Flush ends a turn at once.' : null,
    });
    if (!open) return;
    open.endText(null);
    this.#parts.publisher.turnChanged(open);
  }

  #failed(event: Extract<SpeechEvent, { type: 'error' }>, atMs: number): void {
    const { code, name } = event;
    const words = {
      detail: reasonOf(event),
      remedy: this.#endpoint.explainError(name, code),
      isForSender: true,
    } as const;
    const candidates = this.inFlight.filter((turn) => turn.sent && isOf(turn, event.context));
    if (event.chunk !== undefined) {
      // The turn continues, and fails at its end if no other chunk is spoken.
      const [skipping = null] = candidates;
      this.#report(skipping, atMs, 'error', { title: 'A piece of the text was not spoken', ...words });
      if (skipping) skipping.refusals += 1;
      return;
    }
    const isRefusal = event.isRefusal === true || (code !== null && REFUSALS.has(code));
    const first = event.context === null ? null : this.#first(event.context);
    if (!isRefusal && first && this.#givenUp.has(first)) {
      // The error concerns a line that was cut off.
      this.#leave(first);
      return;
    }
    const newest = event.ends === 'newest' ? candidates.at(-1) : null;
    const unspoken = isRefusal ? candidates.find((candidate) => !candidate.hasChunks) : null;
    const turn = event.ends === 'nothing' ? null : (newest ?? unspoken ?? candidates[0] ?? null);
    this.#report(turn, atMs, 'error', {
      title: isRefusal ? 'The server refused a message' : 'The server reported an error',
      ...words,
    });
    if (!turn) return;
    if (isRefusal && !newest) {
      turn.refusals += 1;
      if (turn.hasChunks || turn.refusals < turn.textFrames) return;
    }
    if (event.context === null && this.#endpoint.contexts && !isRefusal) {
      // An error of the connection is an error of every context (`facts 3.3.17`).
      for (const candidate of candidates) this.#end(candidate, 'failed', atMs);
      this.#retire((other) => candidates.includes(other));
      return;
    }
    // The server answers the flush of a refused turn (decision 2.1), so the turn keeps its place.
    const isAnswered = isRefusal && !newest && turn.flushedMs !== null;
    this.#end(turn, 'failed', atMs);
    if (!isAnswered) this.#leave(turn);
  }

  #end(turn: Turn, state: 'ended' | 'cancelled' | 'failed' | 'lost', atMs: number): void {
    if (turn.isOver) return;
    turn.end(state, atMs);
    this.#condense(turn);
    this.#parts.playback.turnEnded(turn);
    this.#parts.models.turnEnded(turn);
    this.#parts.publisher.changed('totals');
    this.#parts.publisher.turnChanged(turn);
  }

  /** Bounds the memory of many large turns. */
  #condense(newest: Turn): void {
    const kept = { chunks: 0, chars: 0 };
    for (const turn of this.turns) {
      kept.chunks += turn.kept.chunks;
      kept.chars += turn.kept.chars;
    }
    for (const turn of this.turns) {
      if (kept.chunks <= KEPT_CHUNKS && kept.chars <= KEPT_CHARS) return;
      if (turn === newest || !turn.isOver || turn.isCondensed) continue;
      const before = turn.kept;
      turn.condense();
      kept.chunks -= before.chunks - turn.kept.chunks;
      kept.chars -= before.chars - turn.kept.chars;
      this.#parts.publisher.turnChanged(turn);
    }
  }

  /** The turn was cancelled on the server, which has not confirmed it. */
  #isAwaited(turn: Turn): boolean {
    return turn.state === 'cancelled' && !this.#givenUp.has(turn);
  }

  #leave(turn: Turn): void {
    this.#retire((other) => other === turn);
  }

  #retire(isDone: (turn: Turn) => boolean): void {
    this.#inLine = this.#inLine.filter((turn) => !isDone(turn));
    for (const turn of this.#givenUp) if (isDone(turn)) this.#givenUp.delete(turn);
  }

  #report(
    turn: Turn | null,
    atMs: number,
    severity: Problem['severity'],
    words: Pick<Problem, 'title' | 'detail' | 'remedy' | 'isForSender'>,
  ): void {
    this.#parts.publisher.problem({ turn: turn?.id ?? null, atMs, severity, ...words });
  }
}

/** Inserts a turn by its number. Only the turns of a replay begin out of order. */
function insert(turns: Turn[], turn: Turn): void {
  const before = turns.findLastIndex(({ id }) => id < turn.id);
  turns.splice(before + 1, 0, turn);
}

/** A context of null means all contexts. */
const isOf = (turn: Turn, context: string | null): boolean => context === null || turn.context === context;

/** The server has reported the usage of a cancelled turn. */
const hasUsage = ({ state, usage }: Turn): boolean => state === 'cancelled' && typeof usage === 'object';

/** Error codes of refused messages (`facts 1.8`). Other codes mean that the server cannot speak. */
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 413, 422]);

const quoted = (text: string): string =>
  text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text;

/** Returns the message of an error with its name, code and request id. */
function reasonOf({ message, name, code, requestId }: Extract<SpeechEvent, { type: 'error' }>): string {
  const marks = [name, code, requestId && `request ${requestId}`].filter(
    (mark) => mark !== null && mark !== '',
  );
  return (
    (quoted(message) || 'It gave no reason.') + (marks.length > 0 ? ` (${quoted(marks.join(', '))})` : '')
  );
}

const keysOf = (frame: unknown): string =>
  typeof frame === 'object' && frame !== null
    ? Object.keys(frame).join(', ') || 'an empty object'
    : typeof frame;
