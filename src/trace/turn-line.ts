import type { Dialect, Endpoint, Intent } from '#protocol/core/endpoint.ts';
import type { SpeechEvent, TurnTotals } from '#protocol/core/speech-event.ts';
import type { LineTurn } from './line-turn.ts';
import type { TurnEnd } from './turn-state.ts';

/** Differences between endpoints that decide whose frame it is. */
export interface LineRules {
  /** The server confirms a cancel, so the turn keeps its place until then. */
  confirmsCancel: boolean;
  /** A flush ends its turn. */
  flushEndsTurn: boolean;
  /** An error without a context is an error of every context. */
  failsEveryContext: boolean;
  /** The server would take text of another turn of that context. */
  hasRoom(context: string): boolean;
}

/** The rules of an endpoint's connection. */
export const lineRulesOf = (
  { contexts, flushEndsTurn }: Pick<Endpoint, 'contexts' | 'flushEndsTurn'>,
  dialect: Pick<Dialect, 'traits' | 'hasRoom'>,
): LineRules => ({
  confirmsCancel: dialect.traits.cancel === 'confirmed',
  flushEndsTurn,
  failsEveryContext: contexts !== null,
  hasRoom: (context) => dialect.hasRoom?.(context) !== false,
});

/** Reasons to tell a person about a frame. */
export type LineProblem =
  /** Speech without a turn began one. */
  | 'unasked'
  /** The context closed while its text was on the way. */
  | 'closedUnspoken'
  /** The server abandoned a turn without a cancel. */
  | 'interrupted'
  /** A warning that ends no turn. */
  | 'warned'
  /** A warning with which the server ended a turn. */
  | 'turnEndedByServer'
  /** An error of one chunk. */
  | 'chunkSkipped'
  /** An error that refuses one message. */
  | 'refused'
  /** Any other error. */
  | 'failed';

export type LineEffect<T> =
  | { kind: 'ended'; turn: T }
  /** Its cancel was confirmed. */
  | { kind: 'confirmed'; turn: T }
  | { kind: 'problem'; problem: LineProblem; turn: T | null };

/**
 * `begun`: the speech began this turn, which nobody asked for. `late`: the turn is over here, and its speech is dropped.
 */
export type Belonging = 'expected' | 'begun' | 'late';

/** The turn of an event; null where it has none. */
export interface Attributed<T> {
  turn: T | null;
  how: Belonging;
  effects: readonly LineEffect<T>[];
}

/** A flush of another client, without text. The server answers it with an end without speech, or not at all (wire-turn-3). */
interface EmptyFlush<T> {
  context: string;
  /** The newest turn of its context before it. */
  behind: T | undefined;
}

/** A cancel, or the close of a context, which the server confirms. */
interface Clearing {
  /** Null for all. */
  context: string | null;
  /** Turns and empty flushes before it; null for every cancelled turn. */
  meant: ReadonlySet<unknown> | null;
}

/**
 * The turns of a session that may still get frames, and the assignment of speech events to them. The server answers
 * turns in the order in which they were sent, so an event belongs to the oldest turn of its context that has not ended
 * (wire-turn-1).
 *
 * - A cancelled turn is over here at once. It keeps its place until `interrupted`, so that frames in transit are
 *   recognised as its own (wire-cancel-1). Where no other turn waits, frames of a chunk that had begun are its own also
 *   behind `interrupted`.
 * - A line that is cut off while later turns of its context are on their way is over only here, because a cancel
 *   would empty the whole context on the server. Its frames are late until the server has ended it.
 * - A cancel, and the close of a context, concern what was sent before them, and may be confirmed after the next turn began.
 * - A refused message changes nothing on the server, and the client cannot see which message it was.
 *   A refusal counts against the oldest turn without a chunk. The turn fails when as many messages were refused as it
 *   sent texts, and revives if speech comes. A turn with chunks continues (wire-error-2).
 * - Any other error ends the oldest turn, and nothing follows for it (wire-error-3).
 * - A dialect that knows which message an error answers says which turn ends, if any.
 * - Speech without an open turn begins one, so that nothing audible is lost.
 */
export class TurnLine<T extends LineTurn> {
  readonly #begin: (context: string) => T;
  rules: LineRules = {
    confirmsCancel: true,
    flushEndsTurn: true,
    failsEveryContext: false,
    hasRoom: () => true,
  };
  /** In the order of sending. A turn leaves when no more frames can come for it. */
  #turns: T[] = [];
  /** Cancelled turns that the server still speaks to their end. */
  readonly #givenUp = new Set<T>();
  /** Cancelled turns whose end crossed with their cancel. */
  readonly #crossed = new WeakSet<T>();
  /** The last interrupted turn of a context, until the next chunk begins. */
  readonly #interrupted = new Map<string, T>();
  /** The newest turns that ended, whose words may come late. */
  #ended: T[] = [];
  #empty: EmptyFlush<T>[] = [];
  /** Cancels without an answer, oldest first. */
  #cancels: Clearing[] = [];
  /** Closes of contexts without an answer. A context that opens again before has turns of two lives. */
  #closes: Clearing[] = [];
  /** The client has ended the connection on its side. */
  #hasLeft = false;
  #effects: LineEffect<T>[] = [];

  /** @param begin makes a turn that begins with a frame */
  constructor(begin: (context: string) => T) {
    this.#begin = begin;
  }

  /** All that may still get frames, oldest first. */
  get turns(): readonly T[] {
    return this.#turns;
  }

  /** The server has text of a turn that has not ended; null: on any context. */
  isBusy(context: string | null): boolean {
    return this.inFlight.some((turn) => turn.sent && isOf(turn, context));
  }

  /** Turns whose end is awaited, oldest first. */
  get inFlight(): readonly T[] {
    return this.#turns.filter((turn) => !turn.isOver);
  }

  /** Whether cancelled turns wait for the server's confirmation; null: on any context. */
  awaitsInterrupt(context: string | null): boolean {
    return this.#turns.some((turn) => this.#isAwaited(turn) && isOf(turn, context));
  }

  /** The turn that new text joins; null where it begins one. */
  openTurn(context: string): T | null {
    return this.#turns.find((turn) => turn.context === context && !turn.textEnded) ?? null;
  }

  /** The oldest turn that the server has text of. */
  first(context: string, is: (turn: T) => boolean = () => true): T | null {
    return this.#turns.find((turn) => turn.sent && turn.context === context && is(turn)) ?? null;
  }

  /** Adds a turn by its number. */
  add(turn: T): void {
    insert(this.#turns, turn);
  }

  /** Ends every turn in flight, on that context or on all (null), and gives those that need a cancel on the server. */
  cancel(context: string | null, atMs: number): { sent: T[]; effects: readonly LineEffect<T>[] } {
    const sent = this.#cancel(context, atMs);
    return { sent, effects: this.#take() };
  }

  #cancel(context: string | null, atMs: number): T[] {
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
   * Ends this turn and no other that can still be heard. Gives the turns that need a cancel of their context: none
   * where the server has ended the turn, has no text of it, or has other turns of the context.
   */
  interrupt(turn: T, atMs: number): { sent: T[]; effects: readonly LineEffect<T>[] } {
    if (turn.isOver) return { sent: [], effects: [] };
    this.#end(turn, 'cancelled', atMs);
    let sent: T[] = [];
    const hasOthers = this.inFlight.some((other) => other.sent && other.context === turn.context);
    if (!turn.sent) this.#leave(turn);
    // A cancel would also drop the later turns. A turn without a flush is the last one, and its text would join the next.
    else if (hasOthers && turn.flushedMs !== null) this.#givenUp.add(turn);
    else sent = [turn];
    return { sent, effects: this.#take() };
  }

  /** Moves a turn of another line, where it waited, behind those of this one. */
  take(turn: T, from: TurnLine<T>): void {
    if (!from.turns.includes(turn)) return;
    from.#leave(turn);
    this.#turns.push(turn);
  }

  cancelUnsent(atMs: number, isMeant: (turn: T) => boolean = () => true): readonly LineEffect<T>[] {
    for (const turn of this.inFlight) if (!turn.sent && isMeant(turn)) this.#end(turn, 'cancelled', atMs);
    this.#retire((turn) => !turn.sent && turn.isOver);
    return this.#take();
  }

  fail(turn: T, atMs: number): readonly LineEffect<T>[] {
    this.#end(turn, 'failed', atMs);
    this.#leave(turn);
    return this.#take();
  }

  /** A cancel of our own went out, which the server answers. One `interrupted` may settle more turns than those of its own. */
  cancelSent(): void {
    this.#cancels = remembered(this.#cancels, { context: null, meant: null });
  }

  /** Stops waiting for the confirmation of a cancel, because later speech belongs to text that goes out now. */
  stopAwaitingInterrupt(context: string | null): void {
    // Without a confirmation, the end of the cancelled turn makes way.
    if (!this.rules.confirmsCancel) return;
    this.#retire((turn) => this.#isAwaited(turn) && isOf(turn, context));
  }

  /** Ends turns that are lost with a connection. */
  lose(atMs: number, isMeant: (turn: T) => boolean = () => true): readonly LineEffect<T>[] {
    for (const turn of this.inFlight) if (isMeant(turn)) this.#end(turn, 'lost', atMs);
    this.#retire((turn) => turn.isOver);
    return this.#take();
  }

  /**
   * Notes what a sent frame means, of a session and of any other client. Returns the turn that it belongs to, for a cancel and for
   * the end of the connection only where it is a single one.
   * @param own its turn, where the sender says so; null: the frame decides
   * @param begin makes the turn that its text begins
   */
  sent(
    intent: Intent,
    atMs: number,
    own: T | null = null,
    begin = this.#begin,
  ): { turn: T | null; effects: readonly LineEffect<T>[] } {
    const turn = this.#sent(intent, atMs, own, begin);
    return { turn, effects: this.#take() };
  }

  #sent(intent: Intent, atMs: number, own: T | null, begin: (context: string) => T): T | null {
    switch (intent.kind) {
      case 'say': {
        const turn = own ?? this.openTurn(intent.context) ?? this.#begunBy(intent, begin);
        turn?.takeSent(intent, atMs, this.rules.flushEndsTurn);
        return turn;
      }
      case 'flush':
      case 'endTurn': {
        const turn = own ?? this.openTurn(intent.context);
        if (turn) turn.takeSent(intent, atMs, this.rules.flushEndsTurn);
        else if (intent.kind === 'endTurn' || this.rules.flushEndsTurn) this.#flushedNothing(intent.context);
        return turn;
      }
      case 'closeContext':
        if (!intent.immediate) {
          const open = this.openTurn(intent.context);
          if (open) open.endText(atMs);
          else this.#flushedNothing(intent.context);
        }
        this.#closes = remembered(this.#closes, this.#clearing(intent.context));
        return intent.immediate ? this.#cancelSent(intent.context, atMs) : null;
      case 'cancel':
        this.#cancels = remembered(this.#cancels, this.#clearing(intent.context));
        return this.#cancelSent(intent.context, atMs);
      case 'disconnect': {
        // The server takes no more text of a turn.
        this.#hasLeft = true;
        const open = this.#turns.filter((turn) => !turn.textEnded);
        for (const turn of open) turn.endText(atMs);
        return singleOf(open);
      }
      default:
        return null;
    }
  }

  /**
   * Assigns a received event.
   * @param mayBegin speech without a turn begins one; false where its context is closed
   */
  received(event: SpeechEvent, atMs: number, mayBegin: boolean): Attributed<T> {
    const [turn, how] = this.#attribute(event, atMs, mayBegin);
    return { turn, how, effects: this.#take() };
  }

  #attribute(event: SpeechEvent, atMs: number, mayBegin: boolean): [turn: T | null, how: Belonging] {
    switch (event.type) {
      case 'chunkStarted':
        this.#interrupted.delete(event.context);
        return this.#speaker(event.context, mayBegin);
      case 'audio':
        return this.#lateOf(event.context) ?? this.#speaker(event.context, mayBegin);
      case 'words':
        return this.#ownerOfWords(event.context, event.chunk);
      case 'phonemes':
      case 'audioEnded':
      case 'chunkCompleted':
        if (event.type === 'audioEnded' && this.#answeredFlush(event)) return NOBODY;
        return belonging(this.#front(event.context) ?? this.#interrupted.get(event.context) ?? null);
      case 'turnEnded':
        return this.#turnEnded(event, atMs);
      case 'interrupted':
        return [this.#interruptedBy(event, atMs), 'expected'];
      case 'warning': {
        const open = event.endsTurn ? this.first(event.context, (turn) => !turn.textEnded) : null;
        open?.endText(null);
        const turn = open ?? this.first(event.context);
        this.#tell(open ? 'turnEndedByServer' : 'warned', turn);
        return [turn, 'expected'];
      }
      case 'error':
        return [this.#failed(event, atMs), 'expected'];
      case 'contextOpened':
        return belonging(this.first(event.context));
      case 'contextClosed': {
        const turn = this.first(event.context);
        this.#contextClosed(event.context, atMs);
        return [turn, 'expected'];
      }
      default:
        return NOBODY;
    }
  }

  /** The turn that the next frame is about. One whose end crossed with its cancel makes way for others. */
  #front(context: string): T | null {
    return this.first(context, (turn) => !this.#crossed.has(turn)) ?? this.first(context);
  }

  /** The turn that is spoken; begins one where that is allowed. */
  #speaker(context: string, mayBegin: boolean): [T | null, Belonging] {
    let first = this.#front(context);
    if (first?.state === 'cancelled') return [first, 'late'];
    if (first?.state === 'failed') {
      // A server that does not answer the flush of a refused turn continues with the next turn.
      const next = this.first(context, (turn) => !turn.isOver);
      if (next) this.#leave(first);
      else first.revive();
      first = next ?? first;
    }
    if (first) this.#empty = this.#empty.filter((flush) => !this.#isNext(flush, context));
    if (first || !mayBegin) return [first, 'expected'];
    const turn = this.#begin(context);
    this.#turns.push(turn);
    turn.sent = true;
    turn.endText(null);
    this.#tell('unasked', turn);
    return [turn, 'begun'];
  }

  #lateOf(context: string): [T, Belonging] | null {
    const interrupted = this.#interrupted.get(context);
    return interrupted && !this.first(context) ? [interrupted, 'late'] : null;
  }

  /** Word timings may come after their turn has ended (wire-words-3). */
  #ownerOfWords(context: string, chunk: number): [T | null, Belonging] {
    const first = this.#front(context);
    if (first?.hasUntimedChunk(chunk)) return [first, 'expected'];
    const late = this.#ended.findLast((turn) => turn.context === context && turn.hasUntimedChunk(chunk));
    if (late) return [late, 'expected'];
    return belonging(first ?? this.#interrupted.get(context) ?? null);
  }

  #turnEnded(event: Extract<SpeechEvent, { type: 'turnEnded' }>, atMs: number): [T | null, Belonging] {
    const { context } = event;
    this.#interrupted.delete(context);
    const empty = this.#answeredFlush(event);
    this.#empty = this.#empty.filter((flush) => flush !== empty);
    if (empty) return NOBODY;
    const turn = this.first(context, (candidate) => !this.#crossed.has(candidate));
    if (!turn) return NOBODY;
    // The end of the turn crossed with its cancel, which is confirmed all the same.
    if (this.#isAwaited(turn) && this.rules.confirmsCancel) {
      this.#crossed.add(turn);
      return [turn, 'late'];
    }
    this.#end(turn, turn.refusals > 0 && !turn.hasChunks ? 'failed' : 'ended', atMs);
    this.#leave(turn);
    return [turn, 'expected'];
  }

  /** Returns the interrupted turn, where it is a single one. */
  #interruptedBy({ context, ends }: Extract<SpeechEvent, { type: 'interrupted' }>, atMs: number): T | null {
    const answered = this.#answered(context);
    const named = answered?.meant;
    const meant = named && ends ? this.#interruptedAlone(named, ends, atMs) : named;
    const isMeant = (turn: T): boolean => meant?.has(turn) ?? isOf(turn, context);
    const confirmed = this.#turns.filter((turn) => this.#isAwaited(turn) && isMeant(turn));
    for (const turn of confirmed) {
      this.#effects.push({ kind: 'confirmed', turn });
      this.#interrupted.set(turn.context, turn);
    }
    this.#retire((turn) => turn.state === 'cancelled' && isMeant(turn));
    this.#empty = this.#empty.filter((flush) => !meant?.has(flush));
    const single = singleOf(confirmed);
    if (answered) return single;
    const turn = this.inFlight.find((candidate) => candidate.sent && isOf(candidate, context));
    if (!turn) return single;
    this.#end(turn, 'cancelled', atMs);
    this.#leave(turn);
    this.#interrupted.set(turn.context, turn);
    this.#tell('interrupted', turn);
    return turn;
  }

  /** Returns the turn that was interrupted alone. Later ones go on, the last one with the text before the next cancel. */
  #interruptedAlone(meant: ReadonlySet<unknown>, ends: 'first' | 'nothing', atMs: number): Set<unknown> {
    this.#retire((turn) => this.#crossed.has(turn));
    const left = this.#turns.filter((turn) => meant.has(turn));
    const over = left.splice(0, ends === 'first' ? 1 : 0);
    const [next] = this.#cancels;
    const isBefore = (one: unknown): boolean => next?.meant?.has(one) ?? true;
    const open = left.find(({ flushedMs }) => flushedMs === null);
    if (open) {
      const flush = this.#empty.find((each) => each.behind === open && isBefore(each));
      const more = flush ? undefined : this.#turns.find((each) => each.id > open.id && isBefore(each));
      if (more) this.#leave(more);
      if (flush || (more && more.flushedMs !== null)) open.endText(atMs);
      else open.textEnded = next !== undefined;
    }
    if (!next) for (const turn of left) turn.revive();
    return new Set(over);
  }

  /** Returns the turn that the error is about. */
  #failed(event: Extract<SpeechEvent, { type: 'error' }>, atMs: number): T | null {
    const candidates = this.inFlight.filter((turn) => turn.sent && isOf(turn, event.context));
    if (event.chunk !== undefined) {
      // The turn continues, and fails at its end if no other chunk is spoken.
      const [skipping = null] = candidates;
      this.#tell('chunkSkipped', skipping);
      if (skipping) skipping.refusals += 1;
      return skipping;
    }
    const isRefusal = event.isRefusal === true;
    const first = event.context === null ? null : this.first(event.context);
    const isAbandoned =
      first !== null && (this.#givenUp.has(first) || (this.#isAwaited(first) && !this.rules.confirmsCancel));
    if (!isRefusal && isAbandoned) {
      // The error concerns a line that was cut off, or a cancelled turn in place of its end.
      this.#leave(first);
      return first;
    }
    const newest = event.ends === 'newest' ? candidates.at(-1) : null;
    const unspoken = isRefusal ? candidates.find((candidate) => !candidate.hasChunks) : null;
    const turn = event.ends === 'nothing' ? null : (newest ?? unspoken ?? candidates[0] ?? null);
    this.#tell(isRefusal ? 'refused' : 'failed', turn);
    if (!turn) return null;
    if (isRefusal && !newest) {
      turn.refusals += 1;
      if (turn.hasChunks || turn.refusals < turn.textFrames) return turn;
    }
    if (event.context === null && this.rules.failsEveryContext && !isRefusal) {
      // An error of the connection is an error of every context (wire-error-4).
      for (const candidate of candidates) this.#end(candidate, 'failed', atMs);
      this.#retire((other) => candidates.includes(other));
      return turn;
    }
    // The server answers the flush of a refused turn, so the turn keeps its place.
    const isAnswered = isRefusal && !newest && turn.flushedMs !== null;
    this.#end(turn, 'failed', atMs);
    if (!isAnswered) this.#leave(turn);
    return turn;
  }

  #contextClosed(context: string, atMs: number): void {
    // Text sent from here on opens the context again, so its turn continues. Other clients send it before the answer.
    const close = this.#closes.find((other) => other.context === context);
    this.#closes = this.#closes.filter((other) => other !== close);
    const isTheirs = (one: T | EmptyFlush<T>): boolean => close?.meant?.has(one) ?? one.context === context;
    const theirs = this.#turns.filter((turn) => turn.sent && isTheirs(turn));
    this.#empty = this.#empty.filter((flush) => !isTheirs(flush));
    for (const turn of theirs) {
      if (turn.isOver) continue;
      this.#end(turn, turn.hasChunks ? 'ended' : 'lost', atMs);
      if (!turn.hasChunks) this.#tell('closedUnspoken', turn);
    }
    this.#retire((turn) => theirs.includes(turn));
    this.#interrupted.delete(context);
  }

  #begunBy({ context, text }: Extract<Intent, { kind: 'say' }>, begin: (context: string) => T): T | null {
    // White space starts no turn on the server either (wire-turn-2). Some servers read no text behind the client's end.
    if (text.trim() === '' || (this.#hasLeft && !this.rules.hasRoom(context))) return null;
    const turn = begin(context);
    this.add(turn);
    return turn;
  }

  #flushedNothing(context: string): void {
    const behind = this.#turns.findLast((turn) => turn.context === context);
    this.#empty = remembered(this.#empty, { context, behind });
  }

  /** The empty flush that an end answers. */
  #answeredFlush({ context, totals }: { context: string; totals: TurnTotals }): EmptyFlush<T> | undefined {
    if (totals.audioSeconds || totals.textChunks) return undefined;
    return this.#empty.find((flush) => this.#isNext(flush, context));
  }

  /** No turn of its context is answered before it. */
  #isNext({ context, behind }: EmptyFlush<T>, of: string): boolean {
    return context === of && !(behind && this.#turns.includes(behind) && !this.#crossed.has(behind));
  }

  #clearing(context: string | null): Clearing {
    const meant = [...this.#turns, ...this.#empty].filter((one) => isOf(one, context));
    return { context, meant: new Set<unknown>(meant) };
  }

  /** The cancel that `interrupted` answers. It may name no context. */
  #answered(context: string | null): Clearing | undefined {
    const same = this.#cancels.findIndex((cancel) => !cancel.meant || cancel.context === context);
    const place = same < 0 && context === null ? 0 : same;
    return place < 0 ? undefined : this.#cancels.splice(place, 1)[0];
  }

  #cancelSent(context: string | null, atMs: number): T | null {
    return singleOf(this.#cancel(context, atMs));
  }

  #end(turn: T, state: TurnEnd, atMs: number): void {
    if (turn.isOver) return;
    turn.end(state, atMs);
    if (state === 'ended') this.#ended = [...this.#ended, turn].slice(-MAX_ENDED);
    this.#effects.push({ kind: 'ended', turn });
  }

  /** The turn was cancelled on the server, which has not confirmed it. */
  #isAwaited(turn: T): boolean {
    return turn.state === 'cancelled' && !this.#givenUp.has(turn);
  }

  #leave(turn: T): void {
    this.#retire((other) => other === turn);
  }

  #retire(isDone: (turn: T) => boolean): void {
    this.#turns = this.#turns.filter((turn) => !isDone(turn));
    for (const turn of this.#givenUp) if (isDone(turn)) this.#givenUp.delete(turn);
  }

  #tell(problem: LineProblem, turn: T | null): void {
    this.#effects.push({ kind: 'problem', problem, turn });
  }

  #take(): readonly LineEffect<T>[] {
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }
}

/** Ended turns that may still get words, which come seconds late. */
const MAX_ENDED = 64;
/** Messages that wait for an answer. */
const MAX_WAITING = 300;
const remembered = <Item>(items: readonly Item[], item: Item): Item[] => [...items, item].slice(-MAX_WAITING);

/** Inserts a turn by its number. Only the turns of a replay begin out of order. */
export function insert<T extends { id: number }>(turns: T[], turn: T): void {
  const before = turns.findLastIndex(({ id }) => id < turn.id);
  turns.splice(before + 1, 0, turn);
}

const singleOf = <T>(turns: readonly T[]): T | null => (turns.length === 1 ? (turns[0] ?? null) : null);

/** A context of null means all contexts. */
const isOf = (turn: { context: string }, context: string | null): boolean =>
  context === null || turn.context === context;

const NOBODY: [null, Belonging] = [null, 'expected'];

const belonging = <T extends LineTurn>(turn: T | null): [T | null, Belonging] => [
  turn,
  turn?.isOver ? 'late' : 'expected',
];
