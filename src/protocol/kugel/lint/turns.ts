import type { LintMoment } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { ReportFinding } from '../../lint/findings.ts';
import { FlushAdvice } from '../../lint/flush-advice.ts';
import type { CheckWorld } from '../../lint/linter.ts';
import type { TotalsFields } from '../wire/decode.ts';
import type { Billing } from './billing.ts';
import { IdleTurn, IN_TRANSIT_US } from './idle-turn.ts';
import type { KugelRuleId } from './rules.ts';
import type { ServerFrame } from './server.ts';
import { type SpeechCounters, SpokenTurn, type TurnExpectation } from './speech.ts';
import { type LastEnd, StrayFrames } from './stray.ts';
import {
  type CheckedTurn,
  checkBill,
  checkTotals,
  compareTotals,
  type EndFields,
  isOwed,
  reportsSpeech,
  type TurnSettings,
} from './turn.ts';

/** Rules of the turns of one context: the client's requests in their order, and the server's frames for them. */

export interface TurnWorld extends CheckWorld<KugelRuleId> {
  billing: Billing;
  began: (at: LintMoment) => void;
}

/** More turns than a server queues. */
const MAX_TURNS = 300;
/** The vendor's clients wait this long for the next frame of a turn (`facts 2.4`). */
const ANSWER_US = 30 * SECOND_US;
/** An unrequested final is correct if the context or the connection ends within this time. */
const EXPLANATION_US = 2 * SECOND_US;

/** Only a stream ends turns without text, and only a request has no frames of its chunks. */
export type TurnKind = 'stream' | 'context' | 'request';

export class TurnCheck {
  readonly #world: TurnWorld;
  readonly #context: string | null;
  readonly #kind: TurnKind;
  readonly #report: ReportFinding<KugelRuleId>;
  readonly #counters: SpeechCounters = { lastIdx: -1, lastChunk: -1 };
  /** Oldest first; the last one may be open. */
  #turns: CheckedTurn[] = [];
  /** After an error the set of turns is unknown. Until it is known again, only single frames are checked. */
  #isUnsure = false;
  readonly #strays: StrayFrames;
  readonly #flushes: FlushAdvice;
  /** The last flushed turn had auto_mode on. */
  #wasAuto = false;
  #isAutoFlushReported = false;
  /** Null where the server does not end turns. */
  readonly #idle: IdleTurn | null;
  readonly #answer: Deadline;
  readonly #unasked: Deadline;
  readonly #resync: Deadline;
  /** The turn of the last final, while its words may still arrive. */
  #last: SpokenTurn | null = null;
  #unaskedFinal: LintMoment | null = null;
  /** Seconds of completed turns. */
  endedSeconds = 0;
  #leftSeconds = 0;
  /** Characters of all turns, as UTF-16 units and as code points. */
  units = 0;
  points = 0;
  hasSpoken = false;
  #isWhole = true;

  constructor(world: TurnWorld, context: string | null, kind: TurnKind) {
    this.#world = world;
    this.#kind = kind;
    this.#context = context;
    this.#report = world.findings.in(context);
    const { deadlines } = world;
    this.#strays = new StrayFrames(this.#report);
    this.#flushes = new FlushAdvice(this.#report, (flush, at) => this.#adviseOnAutoMode(flush, at));
    this.#idle =
      kind === 'stream'
        ? new IdleTurn(
            deadlines,
            () => (this.#isUnsure ? null : (this.#open?.lastText ?? null)),
            this.#report,
          )
        : null;
    this.#answer = deadlines.create((atUs) => this.#missAnswer(atUs));
    this.#unasked = deadlines.create((atUs) => this.#reportUnasked(atUs));
    this.#resync = deadlines.create(() => this.#beSure());
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** A turn is open, queued or spoken. */
  get isBusy(): boolean {
    return this.#turns.length > 0;
  }

  /** Whether all frames arrived and their turns are known. */
  get isWhole(): boolean {
    return this.#isWhole && !this.#isUnsure;
  }

  /** Whether the server may still send a final for the frames so far. */
  get mayBeFinal(): boolean {
    return this.#isUnsure || this.#turns.some(({ ended }) => ended !== null);
  }

  /** Seconds of all received audio. */
  get seconds(): number {
    return this.#turns.reduce((sum, { speech }) => sum + speech.seconds, this.#leftSeconds);
  }

  get #open(): CheckedTurn | undefined {
    const last = this.#turns.at(-1);
    return last && last.ended === null ? last : undefined;
  }

  /**
   * @param isSure whether the server takes it
   * @returns whether it begins a turn. Blank text does not (`facts 10`, 9).
   */
  text(text: string, at: LintMoment, settings: () => TurnSettings, isSure = true): boolean {
    let turn = this.#open;
    const begins = turn === undefined;
    if (!turn) {
      if (text.trim() === '') return false;
      turn = this.#begin(at, settings(), false);
      if (!isSure) this.doubt(at);
      this.#flushes.began(text, at);
    }
    this.#flushes.text(text);
    if (this.#kind === 'request') turn.speech.unannounced = text;
    turn.lastText = at;
    turn.units += text.length;
    const points = [...text].length;
    turn.points += points;
    this.points += points;
    this.units += text.length;
    this.#idle?.text(at);
    return begins;
  }

  /** @returns false without a turn to end */
  flush(at: LintMoment, settings: () => TurnSettings): boolean {
    const turn = this.#open;
    if (turn) {
      this.#end(turn, at);
      // A request is a whole text, so its end is no advice.
      if (this.#kind !== 'request') this.#flushes.flushed(at);
      this.#wasAuto = turn.autoMode;
      return true;
    }
    const empty = this.#begin(at, settings(), true);
    this.#end(empty, at);
    return false;
  }

  /** A graceful close of the context. The server sends another final after the final of a flushed turn. */
  close(at: LintMoment, settings: () => TurnSettings): void {
    const turn = this.#open ?? this.#begin(at, settings(), true);
    this.#end(turn, at);
  }

  /** Abandons all turns. Their frames may still be in transit (`facts 2.3.20`). */
  cancel(number: number): void {
    this.#idle?.clear();
    for (const turn of this.#turns) turn.cancel ??= number;
    const open = this.#open;
    if (open) open.ended = open.lastText;
    this.#flushes.forget();
    this.#armAnswer(null);
  }

  interrupted(number: number, at: LintMoment): void {
    this.#leave(this.#turns.filter((turn) => turn.cancel !== null && turn.cancel <= number));
    this.#endedBy('interrupted', at);
  }

  /** A frame of a chunk. Ignores all other frames. */
  chunk({ kind, frame }: ServerFrame, at: LintMoment): void {
    switch (kind) {
      case 'generation_started':
        this.#settleLast(at);
        if (this.#isUnsure && frame.chunk_id === 0) this.#skipSpoken();
        this.#speaking(at, kind)?.started(frame, at);
        break;
      case 'audio':
        this.#speaking(at, kind)?.audio(frame, at);
        break;
      case 'word_timestamps': {
        const [next] = this.#turns;
        const late = next?.speech.hasBegun ? null : this.#last;
        (late ?? this.#speaking(at, kind))?.words(frame, at);
        break;
      }
      case 'chunk_complete':
        this.#speaking(at, kind)?.complete(frame, at);
        break;
    }
  }

  /** A final before session_closed. */
  final(frame: TotalsFields, at: LintMoment): void {
    const turn = this.#endingTurn(frame, at, 'final');
    if (!turn) return;
    if (turn.final) {
      this.#report('final-twice', at, 'final: expected it once for each turn, got it again', {
        related: turn.final.at,
      });
      return;
    }
    turn.final = { at, frame };
    this.#judgeEnd(turn, at);
    checkTotals(turn, frame, at);
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

  /** The frame with the bill, the last one of a turn. */
  billed(frame: EndFields, at: LintMoment, kind: 'session_closed' | 'final'): void {
    const turn = this.#endingTurn(frame, at, kind);
    if (!turn) return;
    if (!turn.final) {
      if (!this.#isUnsure && kind === 'session_closed') {
        this.#report('final-missing', at, 'session_closed: expected final before it, got none', {
          related: turn.ended,
        });
      }
      turn.speech.ended(at);
      checkTotals(turn, frame, at);
    } else compareTotals(frame, at, turn.final, this.#report);
    if (turn.cancel === null) turn.speech.over(at);
    const { billing } = this.#world;
    checkBill(turn, frame, at, !this.#isUnsure, { billing, context: this.#context, report: this.#report });
    this.endedSeconds += turn.speech.seconds;
    this.#leave([turn]);
    this.#endedBy(kind, at);
  }

  /** The server has ended the open turn as idle. */
  warned(at: LintMoment): void {
    this.#heard(at);
    const turn = this.#open;
    if (!turn) {
      this.#warnedWithoutTurn(at);
      return;
    }
    this.#flushes.forget();
    const isKnown = this.#idle?.ended(at, turn.lastText) ?? true;
    this.#end(turn, at);
    if (!isKnown) this.#doubtLast(turn, at);
  }

  #warnedWithoutTurn(at: LintMoment): void {
    const last = this.#turns.at(-1);
    // The client may have ended the turn while the warning was in transit.
    if (last?.ended && at.atUs - last.ended.atUs <= IN_TRANSIT_US) {
      const doubtful = this.#doubtLast(last, at);
      doubtful.ended = last.ended;
      doubtful.cancel = last.cancel;
      return;
    }
    if (this.#isUnsure || (last && last.cancel !== null)) return;
    this.#report('warning-unasked', at, 'warning: expected an open turn, got none', { related: last?.ended });
  }

  /** The last text may have arrived after the end of its turn and opened another. */
  #doubtLast(turn: CheckedTurn, at: LintMoment): CheckedTurn {
    this.doubt(at);
    return this.#push(turn.lastText, { expected: null, autoMode: false }, false);
  }

  /** The server refused a request. Of several without audio, the client cannot see which one it was. */
  refused(at: LintMoment): void {
    const waiting = this.#turns.filter(({ speech, cancel }) => !speech.hasBegun && cancel === null);
    this.#leave(waiting.slice(-1));
    if (waiting.length !== 1) this.doubt(at);
    this.#armAnswer(at);
  }

  /** The server refused an unknown message, so the set of turns is unknown from now on. */
  doubt(at: LintMoment): void {
    this.#isWhole = false;
    if (this.#turns.length === 0) return;
    this.#isUnsure = true;
    for (const { speech } of this.#turns) speech.doubt();
    this.#idle?.clear();
    this.#armAnswer(null);
    this.#resync.set(at.atUs + ANSWER_US);
  }

  closed(at: LintMoment): void {
    this.#settleLast(at);
    this.over();
  }

  /** Clears all deadlines. */
  over(): void {
    this.#idle?.clear();
    this.#armAnswer(null);
    this.#unasked.clear();
    this.#resync.clear();
    this.#unaskedFinal = null;
    this.#leave(this.#turns);
  }

  /** The beginning of the oldest incomplete turn. */
  get unfinished(): LintMoment | null {
    return this.#turns.find(({ isEmpty, cancel }) => !isEmpty && cancel === null)?.began ?? null;
  }

  /** Whether the server owes a final for a turn or a close. */
  get owesFinal(): boolean {
    return !this.#isUnsure && this.#turns.some(({ ended, cancel }) => ended !== null && cancel === null);
  }

  #begin(at: LintMoment, settings: TurnSettings, isEmpty: boolean): CheckedTurn {
    if (!isEmpty) this.#world.began(at);
    return this.#push(at, settings, isEmpty);
  }

  #push(
    at: LintMoment,
    { expected, autoMode }: Pick<TurnSettings, 'autoMode'> & { expected: TurnExpectation | null },
    isEmpty: boolean,
  ): CheckedTurn {
    const speech = new SpokenTurn(this.#report, this.#counters, expected);
    const opened = { began: at, lastText: at, ended: null, cancel: null, final: null };
    const turn: CheckedTurn = { ...opened, isEmpty, units: 0, points: 0, autoMode, speech };
    if (this.#isUnsure) speech.doubt();
    this.#turns.push(turn);
    if (this.#turns.length > MAX_TURNS) this.#turns.shift();
    return turn;
  }

  #end(turn: CheckedTurn, at: LintMoment): void {
    turn.ended = at;
    this.#idle?.clear();
    this.#armAnswer(at);
  }

  #leave(turns: readonly CheckedTurn[]): void {
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
    this.#strays.mute();
    this.#resync.clear();
    this.#turns = [];
  }

  #endedBy(end: LastEnd, at: LintMoment): void {
    this.#strays.endedBy(end, at);
    this.#armAnswer(at);
  }

  #heard(at: LintMoment): void {
    this.#armAnswer(at);
    if (this.#isUnsure) this.#resync.set(at.atUs + ANSWER_US);
  }

  /** @param at start of the wait for the next frame; null to stop it */
  #armAnswer(at: LintMoment | null): void {
    if (at && this.#turns.some(isOwed) && !this.#isUnsure) this.#answer.set(at.atUs + ANSWER_US);
    else this.#answer.clear();
  }

  /** The turn of a speech frame; null without one, after a report. */
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
        : // The server no longer answers empty flushes before this turn.
          this.#turns.slice(this.#turns.indexOf(turn));
    }
    if (turn.final && kind !== 'word_timestamps') {
      this.#strays.behindFinal(at, kind, turn.final.at);
      return null;
    }
    return turn.speech;
  }

  #stray(at: LintMoment, kind: string): void {
    if (!this.#isUnsure) this.#strays.stray(at, kind);
  }

  /** The turn that ends with a frame of totals. */
  #endingTurn(frame: TotalsFields, at: LintMoment, kind: string): CheckedTurn | null {
    this.#heard(at);
    let [turn] = this.#turns;
    if (turn?.isEmpty && reportsSpeech(frame)) {
      const from = this.#turns.findIndex(({ isEmpty }) => !isEmpty);
      if (from > 0) this.#turns = this.#turns.slice(from);
      [turn] = this.#turns;
    }
    if (turn) return turn;
    this.#stray(at, kind);
    return null;
  }

  #judgeEnd(turn: CheckedTurn, at: LintMoment): void {
    if (this.#isUnsure) return;
    if (!turn.ended) {
      this.#awaitExplanation(at);
      this.#idle?.clear();
    }
    if (turn.cancel === null) turn.speech.ended(at);
  }

  /** The words of a turn may follow its final until the next turn speaks. */
  #settleLast(at: LintMoment): void {
    this.#last?.over(at);
    this.#last = null;
  }

  /** While the turns are unknown: a first chunk ends the turns that have already spoken. */
  #skipSpoken(): void {
    const [head, ...rest] = this.#turns;
    if (!head?.speech.hasBegun) return;
    if (rest.length > 0) this.#leave([head]);
    else {
      this.#leftSeconds += head.speech.seconds;
      head.speech = new SpokenTurn(this.#report, this.#counters, null);
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
    this.#report('final-unasked', at, 'final: expected a flush or a close before it, got none', { atUs });
  }

  #missAnswer(atUs: number): void {
    const turn = this.#turns.find(isOwed);
    if (!turn?.ended) return;
    const message = `expected the speech of its turn and an end, got nothing for ${ANSWER_US / SECOND_US} s`;
    this.#report('answer-absent', turn.ended, message, { atUs });
  }

  #adviseOnAutoMode(flush: LintMoment, at: LintMoment): void {
    if (!this.#wasAuto || this.#isAutoFlushReported) return;
    this.#isAutoFlushReported = true;
    this.#report('auto-mode-flush', flush, 'expected no flush between sentences of a reply, got one', {
      related: at,
      atUs: at.atUs,
    });
  }
}
