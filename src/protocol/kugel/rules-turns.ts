import type { z } from 'zod';
import type { Deadline, Deadlines } from '../rules/deadlines.ts';
import type { Findings } from '../rules/findings.ts';
import { agrees, endsSentence } from '../rules/payload.ts';
import type { LintMoment } from '../rules/rule.ts';
import type { KugelRuleId } from './rules.ts';
import type { Billing } from './rules-billing.ts';
import { type Expected, type SpeechCounters, SpokenTurn } from './rules-speech.ts';
import type * as frames from './server-frames.ts';
import { IDLE_TURN_MS } from './stream-client.ts';

/** Rules of the turns of one context: what was asked for, in which order, and what the server made of it. */

export interface TurnWorld {
  findings: Findings<KugelRuleId>;
  deadlines: Deadlines;
  billing: Billing;
  /** A turn begins. */
  began: (at: LintMoment) => void;
}

interface Turn {
  began: LintMoment;
  /** A flush with nothing to speak: it may be answered like a turn (decision 2), or not at all. */
  isEmpty: boolean;
  /** The frame that ended it; null while it takes text. */
  ended: LintMoment | null;
  /** The cancel that abandoned it. */
  cancel: number | null;
  lastText: LintMoment;
  /** Characters as UTF-16 units and as code points: which of them is counted is documented nowhere. */
  units: number;
  points: number;
  tail: string;
  autoMode: boolean;
  speech: SpokenTurn;
  final: { at: LintMoment; frame: Totals } | null;
}

type Totals = Pick<
  z.output<typeof frames.finalFrame>,
  'total_audio_seconds' | 'total_text_chunks' | 'total_audio_chunks'
>;
type SessionClosed = z.output<typeof frames.sessionClosedFrame>;

/** What holds for a turn from its beginning on. */
export interface TurnSettings {
  expected: Expected;
  autoMode: boolean;
}

/** What is used and billed where no model is named (`facts 1.4`). */
export const DEFAULT_MODEL = 'kugel-3';

/** More turns than a server lets wait. */
const MAX_TURNS = 300;
const SECOND_US = 1_000_000;
/** Before the idle end of a turn. */
const IDLE_SOON_US = (IDLE_TURN_MS - 1000) * 1000;
/** The vendor says "~5 s", and the way there and back takes time. */
const IDLE_ABSENT_US = (IDLE_TURN_MS + 3000) * 1000;
const IDLE_EARLY_US = (IDLE_TURN_MS - 500) * 1000;
/** Text that was sent so shortly before the end may not have been there in time. */
const IN_TRANSIT_US = 2 * SECOND_US;
/** How long the vendor's clients wait for the next frame of a turn (`facts 2.4`). */
const ANSWER_US = 30 * SECOND_US;
/** A final that nobody asked for is explained by the end of the context or the connection that follows. */
const EXPLANATION_US = 2 * SECOND_US;
/** Text that follows a flush so soon belongs to the same reply. */
const SAME_REPLY_US = SECOND_US;
const TINY_CHARS = 16;
const TINY_TURNS = 3;
const TAIL_CHARS = 24;

/** Who spoke last, to say what a frame without a turn comes after. */
type LastEnd = 'nothing' | 'session_closed' | 'interrupted' | 'final';
const AFTER: Readonly<Record<LastEnd, KugelRuleId>> = {
  nothing: 'no-turn',
  session_closed: 'after-session-closed',
  interrupted: 'after-interrupted',
  final: 'after-final',
};

export class TurnBook {
  readonly #world: TurnWorld;
  readonly #context: string | null;
  readonly #counters: SpeechCounters = { lastIdx: -1, lastChunk: -1 };
  /** Oldest first; the last one may be open. */
  #turns: Turn[] = [];
  /** An error made it unknown which turns there are; until that is known again, only what frames say alone is checked. */
  #isUnsure = false;
  #lastEnd: LastEnd = 'nothing';
  #lastEndAt: LintMoment | null = null;
  /** What comes without a turn is reported once in a row. */
  #isStrayReported = false;
  #before: Pick<Turn, 'ended' | 'tail' | 'autoMode' | 'units'> | null = null;
  #tinyTurns = 0;
  #isAutoFlushReported = false;
  readonly #idleSoon: Deadline;
  readonly #idleAbsent: Deadline;
  readonly #answer: Deadline;
  readonly #unasked: Deadline;
  readonly #resync: Deadline;
  /** The turn that was ended by the last final, while its words may still come. */
  #last: SpokenTurn | null = null;
  #unaskedFinal: LintMoment | null = null;
  /** Seconds of turns that were spoken to their end, and of everything that came. */
  endedSeconds = 0;
  #leftSeconds = 0;
  /** Characters of all turns, as UTF-16 units and as code points. */
  units = 0;
  points = 0;
  hasSpoken = false;
  #isWhole = true;

  /** @param endsIdle whether turns are ended by the server when no text comes */
  constructor(world: TurnWorld, context: string | null, endsIdle: boolean) {
    this.#world = world;
    this.#context = context;
    const { deadlines } = world;
    this.#endsIdle = endsIdle;
    this.#idleSoon = deadlines.create((atUs) => this.#warnIdle(atUs));
    this.#idleAbsent = deadlines.create((atUs) => this.#missIdleEnd(atUs));
    this.#answer = deadlines.create((atUs) => this.#missAnswer(atUs));
    this.#unasked = deadlines.create((atUs) => this.#reportUnasked(atUs));
    this.#resync = deadlines.create(() => this.#beSure());
  }

  readonly #endsIdle: boolean;

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Something is being spoken, or waits to be. */
  get isBusy(): boolean {
    return this.#turns.length > 0;
  }

  /** Frames came that the client may not have understood, or some are missing. */
  get isWhole(): boolean {
    return this.#isWhole && !this.#isUnsure;
  }

  /** Whether a final may come for what was sent so far, although nothing more is said. */
  get mayBeFinal(): boolean {
    return this.#isUnsure || this.#turns.some(({ ended }) => ended !== null);
  }

  /** Of all audio that came. */
  get seconds(): number {
    return this.#turns.reduce((sum, { speech }) => sum + speech.seconds, this.#leftSeconds);
  }

  get #open(): Turn | undefined {
    const last = this.#turns.at(-1);
    return last && last.ended === null ? last : undefined;
  }

  /** @returns whether it begins a turn; blank text does not (`facts 10`, 9) */
  text(text: string, at: LintMoment, settings: () => TurnSettings): boolean {
    let turn = this.#open;
    const begins = turn === undefined;
    if (!turn) {
      if (text.trim() === '') return false;
      turn = this.#begin(at, settings(), false);
      this.#adviseOnCut(text, at);
    }
    turn.lastText = at;
    turn.units += text.length;
    const points = [...text].length;
    turn.points += points;
    this.points += points;
    turn.tail = (turn.tail + text.slice(-TAIL_CHARS)).slice(-TAIL_CHARS);
    this.units += text.length;
    if (this.#endsIdle) {
      this.#idleSoon.set(at.atUs + IDLE_SOON_US);
      this.#idleAbsent.set(at.atUs + IDLE_ABSENT_US);
    }
    return begins;
  }

  /** @returns false where there was no turn to end */
  flush(at: LintMoment, settings: () => TurnSettings): boolean {
    const turn = this.#open;
    if (turn) {
      this.#end(turn, at);
      this.#before = { ended: at, tail: turn.tail, autoMode: turn.autoMode, units: turn.units };
      return true;
    }
    const empty = this.#begin(at, settings(), true);
    this.#end(empty, at);
    return false;
  }

  /** The end of a context that is closed gracefully, which has a final of its own behind that of a flushed turn. */
  close(at: LintMoment, settings: () => TurnSettings): void {
    const turn = this.#open ?? this.#begin(at, settings(), true);
    this.#end(turn, at);
  }

  /** Everything that was begun is abandoned; frames of it may still be under way (`facts 2.3.20`). */
  cancel(number: number): void {
    this.#clearIdle();
    for (const turn of this.#turns) turn.cancel ??= number;
    const open = this.#open;
    if (open) open.ended = open.lastText;
    this.#before = null;
    this.#armAnswer(null);
  }

  interrupted(number: number, at: LintMoment): void {
    this.#leave(this.#turns.filter((turn) => turn.cancel !== null && turn.cancel <= number));
    this.#endedBy('interrupted', at);
  }

  started(frame: z.output<typeof frames.generationStartedFrame>, at: LintMoment): void {
    this.#settleLast(at);
    if (this.#isUnsure && frame.chunk_id === 0) this.#skipSpoken();
    this.#speaking(at, 'generation_started')?.started(frame, at);
  }

  audio(frame: z.output<typeof frames.audioFrame>, at: LintMoment): void {
    this.#speaking(at, 'audio')?.audio(frame, at);
  }

  words(frame: z.output<typeof frames.wordTimestampsFrame>, at: LintMoment): void {
    const [next] = this.#turns;
    if (this.#last && !next?.speech.hasBegun) this.#last.words(frame, at);
    else this.#speaking(at, 'word_timestamps')?.words(frame, at);
  }

  complete(frame: z.output<typeof frames.chunkCompleteFrame>, at: LintMoment): void {
    this.#speaking(at, 'chunk_complete')?.complete(frame, at);
  }

  /** A final that is followed by session_closed. */
  final(frame: Totals, at: LintMoment): void {
    const turn = this.#endingTurn(frame, at, 'final');
    if (!turn) return;
    if (turn.final) {
      this.#report('final-twice', at, 'final: expected it once for each turn, got it again', turn.final.at);
      return;
    }
    turn.final = { at, frame };
    this.#judgeEnd(turn, at);
    this.#checkTotals(turn, frame, at);
  }

  /** A final that ends a turn by itself. */
  lastFinal(at: LintMoment): void {
    this.#heard(at);
    const [turn] = this.#turns;
    if (!turn) {
      if (!this.#isUnsure) this.#awaitExplanation(at);
      this.#endedBy('final', at);
      return;
    }
    this.#judgeEnd(turn, at);
    this.#settleLast(at);
    if (turn.cancel === null) this.#last = turn.speech;
    this.endedSeconds += turn.speech.seconds;
    this.#leave([turn]);
    this.#endedBy('final', at);
  }

  sessionClosed(frame: SessionClosed, at: LintMoment): void {
    const turn = this.#endingTurn(frame, at, 'session_closed');
    if (!turn) return;
    if (!turn.final) {
      if (!this.#isUnsure) {
        this.#report('final-missing', at, 'session_closed: expected final before it, got none', turn.ended);
      }
      turn.speech.ended(at);
      this.#checkTotals(turn, frame, at);
    } else {
      for (const field of TOTALS) {
        const [told, before] = [frame[field], turn.final.frame[field]];
        if (told === undefined || before === undefined || told === before) continue;
        this.#report(
          'totals-differ',
          at,
          `${field}: expected ${before}, as final has it, got ${told}`,
          turn.final.at,
          field,
        );
      }
    }
    if (turn.cancel === null) turn.speech.over(at);
    this.#checkBill(turn, frame, at);
    this.endedSeconds += turn.speech.seconds;
    this.#leave([turn]);
    this.#endedBy('session_closed', at);
  }

  /** The server says that it has ended the open turn as idle. */
  warned(at: LintMoment): void {
    this.#heard(at);
    const turn = this.#open;
    if (!turn) {
      this.#warnedWithoutTurn(at);
      return;
    }
    const idleUs = at.atUs - turn.lastText.atUs;
    this.#end(turn, at);
    this.#before = null;
    if (idleUs >= IDLE_EARLY_US) {
      this.#report(
        'idle-turn-ended',
        at,
        `expected a flush within ${IDLE_TURN_MS / 1000} s after the last text, got none`,
        turn.lastText,
      );
    } else if (idleUs > IN_TRANSIT_US) {
      this.#report(
        'idle-end-early',
        at,
        `warning: expected it ${IDLE_TURN_MS / 1000} s after the last text, got it after ${(idleUs / SECOND_US).toFixed(1)} s`,
        turn.lastText,
      );
    } else {
      this.#doubtLast(turn, at);
    }
  }

  #warnedWithoutTurn(at: LintMoment): void {
    if (this.#isUnsure) return;
    const last = this.#turns.at(-1);
    // The end of the turn may have been sent while the warning was under way.
    if (last?.ended && at.atUs - last.ended.atUs <= IN_TRANSIT_US) {
      const doubtful = this.#doubtLast(last, at);
      doubtful.ended = last.ended;
      doubtful.cancel = last.cancel;
      return;
    }
    if (last && last.cancel !== null) return;
    this.#report('warning-unasked', at, 'warning: expected an open turn, got none', last?.ended);
  }

  /** What was sent last may have come too late for its turn, and opened another. */
  #doubtLast(turn: Turn, at: LintMoment): Turn {
    this.doubt(at);
    return this.#push(turn.lastText, { expected: null, autoMode: false }, false);
  }

  /** The server said no to something that cannot be told: which turns there are is unknown from now on. */
  doubt(at: LintMoment): void {
    this.#isWhole = false;
    if (this.#turns.length === 0) return;
    this.#isUnsure = true;
    for (const { speech } of this.#turns) speech.doubt();
    this.#clearIdle();
    this.#armAnswer(null);
    this.#resync.set(at.atUs + ANSWER_US);
  }

  /** No more of this context comes, by its own end. */
  closed(at: LintMoment): void {
    this.#settleLast(at);
    this.over();
  }

  /** Nothing is waited for any more. */
  over(): void {
    this.#clearIdle();
    this.#armAnswer(null);
    this.#unasked.clear();
    this.#resync.clear();
    this.#unaskedFinal = null;
    this.#leave(this.#turns);
  }

  /** The oldest turn that was not spoken to its end. */
  get unfinished(): LintMoment | null {
    return this.#turns.find(({ isEmpty, cancel }) => !isEmpty && cancel === null)?.began ?? null;
  }

  /** Whether an end without a final is owed to a turn or a close. */
  get owesFinal(): boolean {
    return !this.#isUnsure && this.#turns.some(({ ended, cancel }) => ended !== null && cancel === null);
  }

  #begin(at: LintMoment, settings: TurnSettings, isEmpty: boolean): Turn {
    if (!isEmpty) this.#world.began(at);
    return this.#push(at, settings, isEmpty);
  }

  #push(
    at: LintMoment,
    { expected, autoMode }: { expected: Expected | null; autoMode: boolean },
    isEmpty: boolean,
  ): Turn {
    const speech = new SpokenTurn(this.#world.findings, this.#counters, this.#context, expected);
    const turn: Turn = {
      began: at,
      isEmpty,
      ended: null,
      cancel: null,
      lastText: at,
      units: 0,
      points: 0,
      tail: '',
      autoMode,
      speech,
      final: null,
    };
    if (this.#isUnsure) speech.doubt();
    this.#turns.push(turn);
    if (this.#turns.length > MAX_TURNS) this.#turns.shift();
    return turn;
  }

  #end(turn: Turn, at: LintMoment): void {
    turn.ended = at;
    this.#clearIdle();
    this.#armAnswer(at);
  }

  #leave(turns: readonly Turn[]): void {
    for (const { speech } of turns) {
      this.#leftSeconds += speech.seconds;
      if (speech.hasBegun) this.hasSpoken = true;
      if (!speech.isWhole) this.#isWhole = false;
    }
    this.#turns = this.#turns.filter((turn) => !turns.includes(turn));
    if (this.#turns.length === 0) this.#beSure();
  }

  #beSure(): void {
    if (!this.#isUnsure) return;
    this.#isUnsure = false;
    this.#isStrayReported = true;
    this.#resync.clear();
    this.#turns = [];
  }

  #endedBy(end: LastEnd, at: LintMoment): void {
    this.#lastEnd = end;
    this.#lastEndAt = at;
    this.#isStrayReported = false;
    this.#armAnswer(at);
  }

  /** A frame of this context came. */
  #heard(at: LintMoment): void {
    this.#armAnswer(at);
    if (this.#isUnsure) this.#resync.set(at.atUs + ANSWER_US);
  }

  /** @param at from when on the next frame is waited for; null: none is */
  #armAnswer(at: LintMoment | null): void {
    const waits = this.#turns.some(
      ({ ended, isEmpty, cancel }) => ended !== null && !isEmpty && cancel === null,
    );
    if (at && waits && !this.#isUnsure) this.#answer.set(at.atUs + ANSWER_US);
    else this.#answer.clear();
  }

  #clearIdle(): void {
    this.#idleSoon.clear();
    this.#idleAbsent.clear();
  }

  /** The turn that speech belongs to; null where it belongs to none, which is reported. */
  #speaking(at: LintMoment, kind: string): SpokenTurn | null {
    this.#heard(at);
    const turn = this.#turns.find(({ isEmpty }) => !isEmpty);
    if (!turn) {
      this.#stray(at, kind);
      return null;
    }
    if (this.#turns[0] !== turn) {
      this.#turns = this.#isUnsure
        ? [turn, ...this.#turns.filter((other) => other !== turn)]
        : // What was flushed with nothing to speak and is not answered by now, is not going to be.
          this.#turns.slice(this.#turns.indexOf(turn));
    }
    if (turn.final && kind !== 'word_timestamps') {
      if (!this.#isStrayReported) {
        this.#isStrayReported = true;
        this.#report('after-final', at, `expected session_closed after final, got ${kind}`, turn.final.at);
      }
      return null;
    }
    return turn.speech;
  }

  #stray(at: LintMoment, kind: string): void {
    if (this.#isUnsure || this.#isStrayReported) return;
    this.#isStrayReported = true;
    const after = this.#lastEnd === 'nothing' ? '' : ` after ${this.#lastEnd}`;
    this.#report(
      AFTER[this.#lastEnd],
      at,
      `expected nothing${after} before text is sent, got ${kind}`,
      this.#lastEndAt,
    );
  }

  /** The turn that a frame with totals ends. */
  #endingTurn(frame: Totals, at: LintMoment, kind: string): Turn | null {
    this.#heard(at);
    const spoken = (frame.total_audio_seconds ?? 0) > 0 || (frame.total_text_chunks ?? 0) > 0;
    let [turn] = this.#turns;
    if (turn?.isEmpty && spoken) {
      const from = this.#turns.findIndex(({ isEmpty }) => !isEmpty);
      if (from > 0) this.#turns = this.#turns.slice(from);
      [turn] = this.#turns;
    }
    if (turn) return turn;
    this.#stray(at, kind);
    return null;
  }

  #judgeEnd(turn: Turn, at: LintMoment): void {
    if (this.#isUnsure) return;
    if (!turn.ended) {
      this.#awaitExplanation(at);
      this.#clearIdle();
    }
    if (turn.cancel === null) turn.speech.ended(at);
  }

  #checkTotals({ speech }: Turn, frame: Totals, at: LintMoment): void {
    const { total_audio_seconds: seconds, total_text_chunks: chunks, total_audio_chunks: audio } = frame;
    if (seconds !== undefined) speech.checkSeconds('total-seconds', seconds, 'total_audio_seconds', at);
    if (chunks !== undefined) {
      speech.checkCount('total-chunks', chunks, speech.textChunks, 'total_text_chunks', at);
    }
    if (audio !== undefined) {
      speech.checkCount('total-audio-frames', audio, speech.audioFrames, 'total_audio_chunks', at);
    }
  }

  #checkBill(turn: Turn, frame: SessionClosed, at: LintMoment): void {
    const { usage } = frame;
    const { billing } = this.#world;
    if (!usage) {
      if (turn.speech.seconds > 0) billing.missing(at, this.#context);
      return;
    }
    billing.check(usage, at, this.#context, turn.speech.expected?.modelId ?? null);
    const { audio_seconds: seconds, characters } = usage;
    if (typeof seconds === 'number') {
      const total = frame.total_audio_seconds;
      // A total that is wrong itself was reported, and the bill agrees with it.
      if (total === undefined || !agrees(seconds, total)) {
        turn.speech.checkSeconds('usage-seconds', seconds, 'usage.audio_seconds', at);
      }
    }
    if (typeof characters === 'number' && !this.#isUnsure && !turn.isEmpty) {
      if (characters < turn.points || characters > turn.units) {
        this.#report(
          'usage-characters',
          at,
          `usage.characters: expected ${turn.units}, which is what was sent, got ${characters}`,
          turn.began,
          'usage.characters',
        );
      }
    }
  }

  /** Words of a turn may come behind its final, until the next one speaks. */
  #settleLast(at: LintMoment): void {
    this.#last?.over(at);
    this.#last = null;
  }

  /** In a doubtful time: a first chunk begins, so the turns before the one that has not begun are over. */
  #skipSpoken(): void {
    const [head, ...rest] = this.#turns;
    if (!head?.speech.hasBegun) return;
    if (rest.length > 0) this.#leave([head]);
    else {
      this.#leftSeconds += head.speech.seconds;
      head.speech = new SpokenTurn(this.#world.findings, this.#counters, this.#context, null);
      head.speech.doubt();
    }
  }

  #awaitExplanation(at: LintMoment): void {
    if (this.#unaskedFinal) return;
    this.#unaskedFinal = at;
    this.#unasked.set(at.atUs + EXPLANATION_US);
  }

  #reportUnasked(atUs: number): void {
    const at = this.#unaskedFinal;
    this.#unaskedFinal = null;
    if (!at) return;
    this.#report(
      'final-unasked',
      at,
      'final: expected a flush or a close before it, got none',
      null,
      undefined,
      atUs,
    );
  }

  #warnIdle(atUs: number): void {
    const turn = this.#open;
    if (!turn || this.#isUnsure) return;
    this.#report(
      'idle-turn-soon',
      turn.lastText,
      `expected a flush or more text after it, got neither for ${IDLE_SOON_US / SECOND_US} s`,
      null,
      undefined,
      atUs,
    );
  }

  #missIdleEnd(atUs: number): void {
    const turn = this.#open;
    if (!turn || this.#isUnsure) return;
    this.#report(
      'idle-end-absent',
      turn.lastText,
      `expected the warning and the end of the turn ${IDLE_TURN_MS / 1000} s after it, got nothing for ${IDLE_ABSENT_US / SECOND_US} s`,
      null,
      undefined,
      atUs,
    );
  }

  #missAnswer(atUs: number): void {
    const turn = this.#turns.find(
      ({ ended, isEmpty, cancel }) => ended !== null && !isEmpty && cancel === null,
    );
    if (!turn?.ended) return;
    this.#report(
      'answer-absent',
      turn.ended,
      `expected the speech of its turn and an end, got nothing for ${ANSWER_US / SECOND_US} s`,
      null,
      undefined,
      atUs,
    );
  }

  /** A turn begins: advice on how the one before it was ended. */
  #adviseOnCut(text: string, at: LintMoment): void {
    const { ended, tail, autoMode, units } = this.#before ?? {};
    const isSameReply = ended && at.atUs - ended.atUs <= SAME_REPLY_US;
    this.#tinyTurns = isSameReply && units !== undefined && units < TINY_CHARS ? this.#tinyTurns + 1 : 0;
    if (!isSameReply || tail === undefined) return;
    if (this.#tinyTurns === TINY_TURNS) {
      this.#report(
        'tiny-turns',
        at,
        `expected one flush at the end of the reply, got ${TINY_TURNS} in a row after fewer than ${TINY_CHARS} characters each`,
        ended,
      );
    } else if (!endsSentence(tail)) {
      if (/^\s*[\p{Ll},;:)]/u.test(text)) {
        this.#report(
          'flush-mid-sentence',
          ended,
          'expected a flush at the end of a sentence, got one before the sentence went on',
          at,
          undefined,
          at.atUs,
        );
      }
    } else if (autoMode && !this.#isAutoFlushReported) {
      this.#isAutoFlushReported = true;
      this.#report(
        'auto-mode-flush',
        ended,
        'expected no flush between sentences of a reply, got one',
        at,
        undefined,
        at.atUs,
      );
    }
  }

  #report(
    id: KugelRuleId,
    at: LintMoment,
    message: string,
    related?: LintMoment | null,
    path?: string,
    atUs?: number,
  ): void {
    this.#world.findings.report(id, at, message, {
      context: this.#context,
      related: related?.index ?? null,
      ...(path === undefined ? {} : { path }),
      ...(atUs === undefined ? {} : { atUs }),
    });
  }
}

const TOTALS = ['total_audio_seconds', 'total_text_chunks', 'total_audio_chunks'] as const;
