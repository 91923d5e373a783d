import { insert, type LineEffect, type LineProblem, lineRulesOf, TurnLine } from '#conversation/turn-line.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { SpeechEvent } from '#protocol/core/speech-event.ts';
import { SpeechPace } from '#recordings/format/estimated-words.ts';
import type { TextOrigin } from '#recordings/format/user-actions.ts';
import type { SessionParts } from '../session.ts';
import type { Problem } from '../views.ts';
import { keptUsage } from './chunks.ts';
import { Turn } from './turn.ts';

type ProblemWords = Pick<Problem, 'severity' | 'title' | 'detail' | 'remedy' | 'isForSender'>;

const MAX_QUOTED_CHARS = 500;

/** Limits over all turns. Beyond them, the oldest turns are condensed. */
const KEPT_CHUNKS = 30_000;
const KEPT_CHARS = 4_000_000;

/** The turns of a session. Which turn a frame belongs to is decided by its {@link TurnLine}, whose effects it executes. */
export class Conversation {
  /** In the order of their numbers. */
  readonly turns: Turn[] = [];
  readonly #parts: SessionParts;
  readonly #line = new TurnLine<Turn>((context) => this.#made(context, 'whole', null, null));
  #nextId: number | null = null;
  #pace = new SpeechPace();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** The voices of another endpoint speak at another pace. */
  speakWith(): void {
    this.#pace = new SpeechPace();
    this.#line.rules = lineRulesOf(this.#endpoint);
  }

  /** Turns whose end is awaited, oldest first. */
  get inFlight(): readonly Turn[] {
    return this.#line.inFlight;
  }

  /** The oldest turn of which the server has to send frames. */
  get owedTurn(): Turn | undefined {
    return this.#line.turns.find((turn) => turn.isOwed);
  }

  /** The server has text of a turn that has not ended; null: on any context. */
  isBusy(context: string | null): boolean {
    return this.#line.isBusy(context);
  }

  /** Whether cancelled turns wait for the server's confirmation; null: on any context. */
  awaitsInterrupt(context: string | null): boolean {
    return this.#line.awaitsInterrupt(context);
  }

  /** Returns the turn that new text joins; null where it begins one. */
  openTurn(context: string): Turn | null {
    return this.#line.openTurn(context);
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
    const turn = this.#made(context, origin, voice, line);
    this.#line.add(turn);
    return turn;
  }

  #made(context: string, origin: TextOrigin, voice: string | number | null, line: number | null): Turn {
    const turn = new Turn(this.#nextId ?? (this.turns.at(-1)?.id ?? 0) + 1, context, origin, voice, line);
    this.#nextId = null;
    turn.endpoint = this.#endpoint.id;
    turn.billing = this.#endpoint.billing;
    turn.pace = this.#pace;
    insert(this.turns, turn);
    this.#parts.publisher.changed('totals');
    this.#parts.publisher.turnChanged(turn);
    return turn;
  }

  /** Ends every turn in flight, on that context or on all (null). Returns those that need a cancel on the server. */
  cancel(context: string | null, atMs: number): Turn[] {
    const { sent, effects } = this.#line.cancel(context, atMs);
    this.#execute(effects, atMs);
    return sent;
  }

  /** Ends this turn and no other that can still be heard. Returns the turns that need a cancel of their context. */
  interrupt(turn: Turn, atMs: number): Turn[] {
    const { sent, effects } = this.#line.interrupt(turn, atMs);
    this.#execute(effects, atMs);
    return sent;
  }

  cancelUnsent(atMs: number, isMeant?: (turn: Turn) => boolean): void {
    this.#execute(this.#line.cancelUnsent(atMs, isMeant), atMs);
  }

  fail(turn: Turn, atMs: number): void {
    this.#execute(this.#line.fail(turn, atMs), atMs);
  }

  cancelSent(): void {
    this.#line.cancelSent();
  }

  /** Stops waiting for the confirmation of a cancel, because later speech belongs to text that goes out now. */
  stopAwaitingInterrupt(context: string | null): void {
    this.#line.stopAwaitingInterrupt(context);
  }

  /** Ends the turns of a lost connection. Unsent turns may stay for the next one. */
  disconnected(atMs: number, keepUnsent: boolean): void {
    this.#execute(this.#line.disconnected(atMs, keepUnsent), atMs);
  }

  /**
   * Assigns an event to its turn, and changes the turn. Audio of a turn is left to the player; late frames are counted.
   * @param mayBegin speech without a turn begins one; false where its context is closed (`facts 3.3.18`)
   */
  receive(event: SpeechEvent, atMs: number, mayBegin: boolean): { turn: Turn | null; isLate: boolean } {
    const { turn, how, effects } = this.#line.received(event, atMs, mayBegin);
    const isLate = how === 'late';
    if (turn) this.#change(turn, isLate, event, atMs);
    this.#execute(effects, atMs, event);
    if (turn && !isLate && event.type === 'turnEnded') {
      const next = this.#line.first(event.context);
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

  #change(turn: Turn, isLate: boolean, event: SpeechEvent, atMs: number): void {
    switch (event.type) {
      case 'chunkStarted':
        if (isLate) return;
        turn.chunkStarted(event.chunk, event.text, event.inferred ? null : atMs);
        break;
      case 'audio':
        if (!isLate) return;
        turn.lateFrames += 1;
        break;
      case 'words':
        if (isLate) return;
        turn.words(event.chunk, event.words, atMs);
        break;
      case 'chunkCompleted':
        if (isLate) return;
        turn.chunkCompleted(event.chunk, event.generationMs, atMs, event.figures);
        break;
      case 'turnEnded':
        turn.usage = event.usage
          ? keptUsage(event.usage)
          : turn.billing === 'context'
            ? 'withContext'
            : 'unreported';
        break;
      case 'warning':
        break;
      default:
        return;
    }
    this.#parts.publisher.turnChanged(turn);
  }

  get #endpoint(): Endpoint {
    return this.#parts.connection.endpoint;
  }

  #execute(effects: readonly LineEffect<Turn>[], atMs: number, event: SpeechEvent | null = null): void {
    const { models, playback, publisher } = this.#parts;
    for (const effect of effects) {
      const { turn } = effect;
      if (effect.kind === 'problem') {
        this.#report(turn, atMs, this.#wordsOf(effect.problem, event));
        continue;
      }
      if (effect.kind === 'confirmed') {
        if (effect.turn.bargeIn) effect.turn.bargeIn.interruptedMs ??= atMs;
      } else {
        this.#condense(effect.turn);
        playback.turnEnded(effect.turn);
        models.turnEnded(effect.turn);
        publisher.changed('totals');
      }
      publisher.turnChanged(effect.turn);
    }
  }

  #wordsOf(problem: LineProblem, event: SpeechEvent | null): ProblemWords {
    const { title, ...words } = WORDS[problem];
    if (event?.type === 'error') {
      const remedy = this.#endpoint.explainError(event.name, event.code);
      return { severity: 'error', title, detail: reasonOf(event), remedy, isForSender: true };
    }
    const said = event?.type === 'warning' ? quoted(event.message) : '';
    return { severity: 'warning', title, detail: said || 'It did not say of what.', remedy: null, ...words };
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

  #report(turn: Turn | null, atMs: number, words: ProblemWords): void {
    this.#parts.publisher.problem({ turn: turn?.id ?? null, atMs, ...words });
  }
}

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
