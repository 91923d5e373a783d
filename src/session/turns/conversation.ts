import { madeOnce } from '#lib/collections/maps.ts';
import { excerptOf } from '#lib/format.ts';
import type { Dialect, Endpoint, Intent } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { protocolOf } from '#protocol/protocols.ts';
import { endpointOf } from '#protocol/registry.ts';
import { firstChars, keptUsage, PAGE_LIMITS } from '#trace/chunks.ts';
import { insert, type LineEffect, type LineProblem, lineRulesOf, TurnLine } from '#trace/turn-line.ts';
import { SpeechPace } from '#trace/words/estimated-words.ts';
import type { Publisher } from '../publisher.ts';
import type { Problem } from '../views.ts';
import type { LiveAnswer } from './live-answer.ts';
import { type Asked, SessionTurn, UNASKED } from './session-turn.ts';

type ProblemWords = Pick<Problem, 'severity' | 'title' | 'detail' | 'remedy' | 'isForSender'>;

const MAX_QUOTED_CHARS = 500;

/** Limits over all turns. Beyond them, the oldest turns are condensed. */
const KEPT_CHUNKS = 30_000;
const KEPT_CHARS = 4_000_000;

interface Connection {
  readonly dialect: Dialect;
}

type Meant = (turn: SessionTurn) => boolean;

/** News of a conversation for its session. */
export interface ConversationEvents {
  begun(turn: SessionTurn): void;
  ended(turn: SessionTurn): void;
}

/**
 * The turns of a session. Which turn a frame belongs to is decided by the {@link TurnLine} of its connection, whose effects
 * it executes. Turns that are not sent yet wait in a line of their own.
 */
export class Conversation {
  /** In the order of their numbers. */
  readonly turns: SessionTurn[] = [];
  readonly #publisher: Publisher;
  readonly #events: ConversationEvents;
  #endpoint = endpointOf(null);
  readonly #waiting = this.#newLine(null);
  /** By connection, in the order of their opening. */
  readonly #sent = new Map<Connection, TurnLine<SessionTurn>>();
  #nextId: number | null = null;
  #pace = new SpeechPace();

  constructor(publisher: Publisher, events: ConversationEvents) {
    this.#publisher = publisher;
    this.#events = events;
  }

  /** The voices of another endpoint speak at another pace. */
  speakWith(endpoint: Endpoint): void {
    this.#endpoint = endpoint;
    this.#pace = new SpeechPace();
  }

  /** Gives the connection its place in the order of openings. */
  opened(connection: Connection): void {
    this.#lineOf(connection);
  }

  /** The connection takes no more text. */
  startDraining(connection: Connection): void {
    for (const turn of this.#lineOf(connection).turns) turn.isDraining = true;
  }

  /** Turns whose end is awaited, oldest first. */
  get inFlight(): readonly SessionTurn[] {
    return this.#lines.flatMap((line) => line.inFlight);
  }

  /** The oldest turn that still needs frames of the server. */
  get owedTurn(): SessionTurn | undefined {
    return this.#lines.flatMap(({ turns }) => turns).find((turn) => turn.isOwed);
  }

  /** The server has text of a turn that has not ended; null: on any context. */
  isBusy(context: string | null): boolean {
    return this.#lines.some((line) => line.isBusy(context));
  }

  /** The connection has a turn that has not ended. */
  isSpeakingOn(connection: Connection): boolean {
    return this.#sent.get(connection)?.isBusy(null) ?? false;
  }

  /** Turns in flight on a connection. Oldest first. */
  inFlightOn(connection: Connection): readonly SessionTurn[] {
    return this.#sent.get(connection)?.inFlight ?? [];
  }

  /** Turns that the server has no text of. Oldest first. */
  get waiting(): readonly SessionTurn[] {
    return this.#waiting.inFlight;
  }

  /** An earlier turn of the same speaker still comes on another connection. */
  comesBefore({ id, context, connection }: SessionTurn): boolean {
    // Asked for every audio frame, and mostly there is no other connection.
    for (const [other, { inFlight }] of this.#sent.size > 1 ? this.#sent : []) {
      if (other === connection) continue;
      if (inFlight.some((turn) => turn.context === context && turn.id < id)) return true;
    }
    return false;
  }

  /** Whether cancelled turns wait for the server's confirmation; null: on any context. */
  awaitsInterrupt(context: string | null): boolean {
    return this.#lines.some((line) => line.awaitsInterrupt(context));
  }

  /**
   * Returns the turn that a person's text joins, or one that it begins. Null for white space before any text, which begins no turn on
   * the server either.
   */
  turnFor(context: string, text: string, begin: () => SessionTurn): SessionTurn | null {
    const turn = this.openTurn(context);
    if (text.trim() === '' && (turn === null || turn.text === '')) return null;
    return turn ?? begin();
  }

  /** Returns the turn that new text joins; null where it begins one. */
  openTurn(context: string): SessionTurn | null {
    for (const line of this.#lines) {
      const open = line.openTurn(context);
      if (open) return open;
    }
    return null;
  }

  /** Sets the number of the next turn, so that a replay numbers turns as recorded. A number in use is ignored. */
  numberNext(id: number): void {
    this.#nextId = this.turns.some((turn) => turn.id === id) ? null : id;
  }

  begin(context: string, asked: Asked, voice: SessionTurn['voice']): SessionTurn {
    const turn = this.#made(context, asked, voice);
    this.#waiting.add(turn);
    return turn;
  }

  #made(context: string, asked: Asked, voice: SessionTurn['voice']): SessionTurn {
    const { id: endpoint, billing } = this.#endpoint;
    const id = this.#nextId ?? (this.turns.at(-1)?.id ?? 0) + 1;
    const turn = new SessionTurn(id, context, asked, { endpoint, voice, billing, pace: this.#pace });
    this.#nextId = null;
    insert(this.turns, turn);
    this.#events.begun(turn);
    return turn;
  }

  /** Ends every turn in flight, on that context or on all (null). Returns those that need a cancel, by connection. */
  cancel(context: string | null, atMs: number): Map<Connection, SessionTurn[]> {
    return this.#ending((line) => line.cancel(context, atMs), atMs);
  }

  /** Ends this turn and no other that can still be heard. Returns the turns that need a cancel of their context. */
  interrupt(turn: SessionTurn, atMs: number): Map<Connection, SessionTurn[]> {
    return this.#ending((line) => (line.turns.includes(turn) ? line.interrupt(turn, atMs) : NOTHING), atMs);
  }

  /** Ends the answer of a live model, and so changes the turns that speak it. */
  endAnswer(answer: LiveAnswer, state: 'done' | 'stopped' | 'failed', atMs: number): void {
    answer.end(state, atMs);
    for (const turn of this.turns) if (turn.asked.answer === answer) this.#publisher.turnChanged(turn);
  }

  cancelUnsent(atMs: number, isMeant?: Meant): void {
    this.#execute(this.#waiting.cancelUnsent(atMs, isMeant), atMs);
  }

  fail(turn: SessionTurn, atMs: number): void {
    for (const line of this.#lines) {
      if (line.turns.includes(turn)) this.#execute(line.fail(turn, atMs), atMs);
    }
  }

  /** A cancel of the session's own went out, which the server answers. */
  cancelSent(connection: Connection): void {
    this.#lineOf(connection).cancelSent();
  }

  /**
   * Notes a sent frame. Returns its turn; null for none.
   * @param own its turn, where the sender says so
   * @param asked of the turn that its text begins
   */
  sent(
    intent: Intent,
    connection: Connection,
    atMs: number,
    own: SessionTurn | null = null,
    asked = UNASKED,
  ): SessionTurn | null {
    const line = this.#lineOf(connection);
    const speaking = intent.kind === 'say' ? (own ?? this.#waitingFor(intent, line)) : null;
    if (speaking) {
      speaking.connection ??= connection;
      line.take(speaking, this.#waiting);
    }
    const begin = (context: string): SessionTurn => this.#begun(context, asked, connection);
    const { turn, effects } = line.sent(intent, atMs, speaking ?? own, begin);
    this.#execute(effects, atMs);
    return turn;
  }

  /** The turn of waiting text that the server will join with this one. */
  #waitingFor({ context, text }: Extract<Intent, { kind: 'say' }>, line: TurnLine<SessionTurn>) {
    return text.trim() === '' || line.openTurn(context) ? null : this.#waiting.openTurn(context);
  }

  /** Stops waiting for the confirmation of a cancel, because later speech belongs to text of the session that goes out now. */
  stopAwaitingInterrupt(context: string | null, connection: Connection): void {
    this.#lineOf(connection).stopAwaitingInterrupt(context);
  }

  /** Ends the turns of a connection that has ended. Returns a turn that was lost with it. */
  disconnected(connection: Connection, atMs: number): SessionTurn | null {
    const line = this.#lineOf(connection);
    this.#sent.delete(connection);
    const [lost = null] = line.inFlight;
    this.#execute(line.lose(atMs), atMs);
    return lost;
  }

  /** Ends turns for which no connection follows. */
  loseUnsent(atMs: number, isMeant: Meant): void {
    this.#execute(this.#waiting.lose(atMs, isMeant), atMs);
  }

  /**
   * Assigns an event to its turn, and changes the turn. Audio of a turn is left to the player; late frames are counted.
   * @param mayBegin speech without a turn begins one; false where its context is closed
   */
  receive(
    event: SpeechEvent,
    atMs: number,
    mayBegin: boolean,
    connection: Connection,
  ): { turn: SessionTurn | null; isLate: boolean } {
    const line = this.#lineOf(connection);
    const { turn, how, effects } = line.received(event, atMs, mayBegin);
    const isLate = how === 'late';
    if (turn) this.#change(turn, isLate, event, atMs);
    this.#execute(effects, atMs, event);
    if (turn && !isLate && event.type === 'turnEnded') {
      const next = line.first(event.context);
      if (next) next.aloneFromMs = atMs;
    }
    if (event.type === 'unknown') {
      this.#report(null, atMs, {
        severity: 'warning',
        title: 'A frame of an unknown kind',
        detail: `The server sent a frame that this version of the page does not know: ${quoted(keysOf(event.frame))}.`,
        remedy: 'Nothing is wrong with the turn; the server may speak a newer version of the protocol.',
      });
    } else if (event.type === 'malformed') {
      this.#report(this.inFlight[0] ?? null, atMs, {
        severity: 'error',
        title: 'A frame that breaks the protocol',
        detail: quoted(event.problem),
        remedy: 'The frame was left out. If speech is missing, the server needs correcting.',
      });
    }
    return { turn, isLate };
  }

  get #lines(): TurnLine<SessionTurn>[] {
    return [...this.#sent.values(), this.#waiting];
  }

  #lineOf(connection: Connection): TurnLine<SessionTurn> {
    return madeOnce(this.#sent, connection, () => {
      const line = this.#newLine(connection);
      line.rules = lineRulesOf(this.#endpoint, connection.dialect);
      return line;
    });
  }

  #newLine(connection: Connection | null): TurnLine<SessionTurn> {
    return new TurnLine<SessionTurn>((context) => this.#begun(context, UNASKED, connection));
  }

  #begun(context: string, asked: Asked, connection: Connection | null): SessionTurn {
    const turn = this.#made(context, asked, null);
    turn.connection = connection;
    return turn;
  }

  #ending(
    end: (line: TurnLine<SessionTurn>) => {
      sent: SessionTurn[];
      effects: readonly LineEffect<SessionTurn>[];
    },
    atMs: number,
  ): Map<Connection, SessionTurn[]> {
    const needed = new Map<Connection, SessionTurn[]>();
    for (const [connection, line] of this.#sent) {
      const { sent, effects } = end(line);
      this.#execute(effects, atMs);
      if (sent.length > 0) needed.set(connection, sent);
    }
    this.#execute(end(this.#waiting).effects, atMs);
    return needed;
  }

  #change(turn: SessionTurn, isLate: boolean, event: SpeechEvent, atMs: number): void {
    if (isLate && event.type === 'audio') turn.lateFrames += 1;
    else if (isLate && event.type !== 'turnEnded') return;
    else if (!turn.take(event, atMs)) return;
    this.#publisher.turnChanged(turn);
  }

  #execute(
    effects: readonly LineEffect<SessionTurn>[],
    atMs: number,
    event: SpeechEvent | null = null,
  ): void {
    for (const effect of effects) {
      const { turn } = effect;
      if (effect.kind === 'problem') {
        this.#report(turn, atMs, this.#wordsOf(effect.problem, event));
        continue;
      }
      if (effect.kind === 'confirmed') {
        const { bargeIn } = effect.turn;
        if (bargeIn) bargeIn.interruptedMs ??= atMs;
        if (event?.type === 'interrupted') {
          const { heard, usage } = event;
          if (bargeIn && heard !== undefined) bargeIn.heard ??= firstChars(heard, PAGE_LIMITS.chars);
          // Of several turns that were cancelled, the first one shows it.
          if (usage && effect === effects.find(({ kind }) => kind === 'confirmed'))
            effect.turn.bill = keptUsage(usage);
        }
      } else {
        // After a normal end by the server, an answer continues in another turn.
        if (effect.turn.state !== 'ended') effect.turn.asked.answer?.end('stopped', atMs);
        this.#condense(effect.turn);
        this.#events.ended(effect.turn);
      }
      this.#publisher.turnChanged(effect.turn);
    }
  }

  #wordsOf(problem: LineProblem, event: SpeechEvent | null): ProblemWords {
    const { title, ...words } = WORDS[problem];
    if (event?.type === 'error') {
      const remedy = protocolOf(this.#endpoint).explainError(event.name, event.code);
      return { severity: 'error', title, detail: reasonOf(event), remedy, isForSender: true };
    }
    const said = event?.type === 'warning' ? quoted(event.message) : '';
    return { severity: 'warning', title, detail: said || 'It did not say of what.', remedy: null, ...words };
  }

  /** Bounds the memory of many large turns. */
  #condense(newest: SessionTurn): void {
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
      this.#publisher.turnChanged(turn);
    }
  }

  #report(turn: SessionTurn | null, atMs: number, words: ProblemWords): void {
    this.#publisher.problem({ turn: turn?.id ?? null, atMs, ...words });
  }
}

const NOTHING = { sent: [], effects: [] };

/** Words of problems. Where they are missing, those of the server are shown. */
const WORDS: Readonly<Record<LineProblem, Pick<ProblemWords, 'title'> & Partial<ProblemWords>>> = {
  unasked: {
    title: 'Speech without a turn',
    detail: 'The server speaks although no turn is open, so a turn was opened for it.',
    remedy: 'This happens when text and an end of the turn by the server cross on the way.',
  },
  closedUnspoken: {
    title: 'The context closed before it spoke',
    detail: 'The server ended the context of this line while its text was on the way.',
    remedy: 'Speak the line again; the text is kept.',
    isForSender: true,
  },
  interrupted: {
    title: 'Interrupted by the server',
    detail: 'The server abandoned the turn without a cancel.',
    remedy: 'Speak again; the text is kept.',
    isForSender: true,
  },
  warned: { title: 'The server warns' },
  turnEndedByServer: {
    title: 'The server ended the turn by itself',
    remedy: 'What is said from now on is another turn. Flush ends a turn at once.',
  },
  chunkSkipped: { title: 'A piece of the text was not spoken' },
  refused: { title: 'The server refused a message' },
  failed: { title: 'The server reported an error' },
};

const quoted = (text: string): string => excerptOf(text, MAX_QUOTED_CHARS);

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
