import type { LintMoment } from '../../core/rule.ts';
import { Check, type CheckWorld } from '../../lint/check.ts';
import { SECOND_US } from '../../lint/clock.ts';
import { applyRules, type FrameRules } from '../../lint/message.ts';
import { FlushAdvice } from '../../lint/sent-text.ts';
import type { TotalsFields } from '../wire/decode.ts';
import type { KUGEL_FRAMES } from '../wire/server-frames.ts';
import { IDLE_TURN_MS } from '../wire/settings.ts';
import type { ServerFrame } from './messages.ts';
import type { KugelRuleId } from './rules.ts';
import { type EndFields, type SpeechCounters, SpokenTurn } from './speech.ts';
import { CheckedTurn, type PriceBook, reportsSpeech, type TurnSettings, UNKNOWN_SETTINGS } from './turn.ts';

/** More turns than a server queues. */
const MAX_TURNS = 300;
/** The vendor's clients wait this long for the next frame of a turn (kugel-end-14). */
const ANSWER_US = 30 * SECOND_US;
/** An unrequested final is correct if the context or the connection ends within this time. */
const EXPLANATION_US = 2 * SECOND_US;
/** Shortly before the idle end of a turn. */
const IDLE_SOON_US = (IDLE_TURN_MS - 1000) * 1000;
/** The vendor says "~5 s", and the network adds time in both directions. */
const IDLE_ABSENT_US = (IDLE_TURN_MS + 3000) * 1000;
const IDLE_EARLY_US = (IDLE_TURN_MS - 500) * 1000;
/** Text sent this shortly before the end may have arrived after it. */
export const IN_TRANSIT_US = 2 * SECOND_US;

/** Only a stream ends turns without text, and only a request has no frames of its chunks. */
export type TurnKind = 'stream' | 'context' | 'request';

/** The rule that a frame behind the end of its turn breaks, by the frame of that end. */
const AFTER = {
  session_closed: 'after-session-closed',
  interrupted: 'after-interrupted',
  final: 'after-final',
} as const satisfies Record<string, KugelRuleId>;

/** The connection of the turns. */
export interface TurnOwner {
  readonly world: CheckWorld<KugelRuleId>;
  readonly prices: PriceBook;
  /** Of a turn that begins now. */
  readonly turnSettings: TurnSettings;
  /** A turn with text begins. */
  began(): void;
}

/** Rules of the turns of one context: the client's requests in their order, and the server's frames for them. */
export class TurnCheck extends Check<KugelRuleId> {
  readonly #owner: TurnOwner;
  readonly #kind: TurnKind;
  readonly #counters: SpeechCounters = { lastIdx: -1, lastChunk: -1 };
  /** Oldest first; the last one may be open. */
  #turns: CheckedTurn[] = [];
  /** After an error the set of turns is unknown. Until it is known again, only single frames are checked. */
  #isUnsure = false;
  /** The frame that ended the last turn. */
  #lastEnd: { kind: keyof typeof AFTER; at: LintMoment } | null = null;
  /** The first of several frames without a turn was reported, or the requested turns are unknown. */
  #isStrayReported = false;
  readonly #flushes = new FlushAdvice(this, (flush) => this.#adviseOnAutoMode(flush));
  /** The last flushed turn had auto_mode on. */
  #wasAuto = false;
  #isAutoFlushReported = false;
  readonly #idleSoon = this.overdue(
    'idle-turn-soon',
    IDLE_SOON_US,
    () => this.#idleSince,
    (time) => `expected a flush or more text after it, got neither for ${time}`,
  );
  readonly #idleAbsent = this.overdue(
    'idle-end-absent',
    IDLE_ABSENT_US,
    () => this.#idleSince,
    (time) =>
      `expected the warning and the end of the turn ${IDLE_TURN_MS / 1000} s after it, got nothing for ${time}`,
  );
  readonly #answer = this.overdue(
    'answer-absent',
    ANSWER_US,
    () => this.#turns.find(({ isOwed }) => isOwed)?.ended,
    (time) => `expected the speech of its turn and an end, got nothing for ${time}`,
  );
  readonly #unasked = this.deadline(EXPLANATION_US, () => {
    const message = 'final: expected a flush or a close before it, got none';
    this.report('final-unasked', message, { at: this.#unaskedFinal });
    this.#unaskedFinal = null;
  });
  readonly #resync = this.deadline(ANSWER_US, () => this.#beSure());
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

  readonly #chunkRules: FrameRules<typeof KUGEL_FRAMES> = {
    generation_started: (frame) => {
      this.#settleLast();
      if (this.#isUnsure && frame.chunk_id === 0) this.#skipSpoken();
      this.#speaking('generation_started')?.started(frame);
    },
    audio: (frame) => this.#speaking('audio')?.audio(frame),
    word_timestamps: (frame) => {
      const late = this.#turns[0]?.speech.hasBegun ? null : this.#last;
      (late ?? this.#speaking('word_timestamps'))?.words(frame);
    },
    chunk_complete: (frame) => this.#speaking('chunk_complete')?.complete(frame),
  };

  constructor(owner: TurnOwner, context: string | null, kind: TurnKind) {
    super(owner.world, context);
    this.#owner = owner;
    this.#kind = kind;
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

  /** Whether the server owes a final for a turn or a close. */
  get owesFinal(): boolean {
    return !this.#isUnsure && this.#turns.some(({ ended, cancel }) => ended !== null && cancel === null);
  }

  /** The beginning of the oldest incomplete turn. */
  get unfinished(): LintMoment | null {
    return this.#turns.find(({ isEmpty, cancel }) => !isEmpty && cancel === null)?.began ?? null;
  }

  /** Seconds of all received audio. */
  get seconds(): number {
    return this.#turns.reduce((sum, { speech }) => sum + speech.seconds, this.#leftSeconds);
  }

  get #open(): CheckedTurn | undefined {
    const last = this.#turns.at(-1);
    return last && last.ended === null ? last : undefined;
  }

  get #idleSince(): LintMoment | undefined {
    return this.#isUnsure ? undefined : this.#open?.lastText;
  }

  /**
   * @param isSure whether the server takes it
   * @returns whether it begins a turn. Blank text does not (kugel-turn-2).
   */
  text(text: string, isSure = true): boolean {
    let turn = this.#open;
    const begins = turn === undefined;
    if (!turn) {
      if (text.trim() === '') return false;
      this.#owner.began();
      turn = this.#push(false);
      if (!isSure) this.doubt();
      this.#flushes.began(text);
    }
    this.#flushes.text(text);
    if (this.#kind === 'request') turn.speech.unannounced = text;
    turn.lastText = this.now;
    const points = [...text].length;
    for (const count of [turn, this]) {
      count.units += text.length;
      count.points += points;
    }
    if (this.#kind === 'stream') {
      this.#idleSoon.start();
      this.#idleAbsent.start();
    }
    return begins;
  }

  /** @returns false without a turn to end */
  flush(): boolean {
    const turn = this.#open;
    this.#end(turn ?? this.#push(true));
    if (!turn) return false;
    // A request is a whole text, so its end is no advice.
    if (this.#kind !== 'request') this.#flushes.flushed();
    this.#wasAuto = turn.autoMode;
    return true;
  }

  /** A graceful close of the context. The server sends another final after the final of a flushed turn. */
  close(): void {
    this.#end(this.#open ?? this.#push(true));
  }

  /** Abandons all turns. Their frames may still be in transit. */
  cancel(number: number): void {
    this.#clearIdle();
    for (const turn of this.#turns) turn.cancel ??= number;
    const open = this.#open;
    if (open) open.ended = open.lastText;
    this.#flushes.forget();
    this.#answer.clear();
  }

  interrupted(number: number): void {
    this.#leave(this.#turns.filter((turn) => turn.cancel !== null && turn.cancel <= number));
    this.#endedBy('interrupted');
  }

  /** A frame of a chunk. Ignores all other frames. */
  chunk({ kind, frame }: ServerFrame): void {
    applyRules(this.#chunkRules, kind, frame);
  }

  /** A final before session_closed. */
  final(frame: TotalsFields): void {
    const turn = this.#endingTurn(frame, 'final');
    if (!turn) return;
    if (turn.final) {
      const message = 'final: expected it once for each turn, got it again';
      this.report('final-twice', message, { related: turn.final.at });
      return;
    }
    turn.final = { at: this.now, frame };
    this.#judgeEnd(turn);
    turn.speech.checkTotals(frame);
  }

  /** A final that ends a turn by itself. */
  lastFinal(): void {
    this.#heard();
    const [turn] = this.#turns;
    if (turn) {
      this.#judgeEnd(turn);
      this.#settleLast();
      if (turn.cancel === null) this.#last = turn.speech;
      this.endedSeconds += turn.speech.seconds;
      this.#leave([turn]);
    } else if (!this.#isUnsure) this.#awaitExplanation();
    this.#endedBy('final');
  }

  /** The frame with the bill, the last one of a turn. */
  billed(frame: EndFields, kind: 'session_closed' | 'final'): void {
    const turn = this.#endingTurn(frame, kind);
    if (!turn) return;
    if (turn.final) turn.compareTotals(frame);
    else {
      if (!this.#isUnsure && kind === 'session_closed') {
        const message = 'session_closed: expected final before it, got none';
        this.report('final-missing', message, { related: turn.ended });
      }
      turn.speech.ended();
      turn.speech.checkTotals(frame);
    }
    if (turn.cancel === null) turn.speech.over();
    turn.checkBill(frame, !this.#isUnsure, this.#owner.prices);
    this.endedSeconds += turn.speech.seconds;
    this.#leave([turn]);
    this.#endedBy(kind);
  }

  /** The server has ended the open turn as idle. */
  warned(): void {
    this.#heard();
    const turn = this.#open;
    if (!turn) {
      this.#warnedWithoutTurn();
      return;
    }
    this.#flushes.forget();
    const idleUs = this.now.atUs - turn.lastText.atUs;
    const isInTransit = this.#kind === 'stream' && idleUs <= IN_TRANSIT_US;
    if (this.#kind === 'stream' && !isInTransit) this.#judgeIdleEnd(idleUs, turn.lastText);
    this.#end(turn);
    if (isInTransit) this.#doubtLast(turn);
  }

  #judgeIdleEnd(idleUs: number, related: LintMoment): void {
    if (idleUs >= IDLE_EARLY_US) {
      const message = `expected a flush within ${IDLE_TURN_MS / 1000} s after the last text, got none`;
      this.report('idle-turn-ended', message, { related });
    } else {
      const message = `warning: expected it ${IDLE_TURN_MS / 1000} s after the last text, got it after ${(idleUs / SECOND_US).toFixed(1)} s`;
      this.report('idle-end-early', message, { related });
    }
  }

  #warnedWithoutTurn(): void {
    const last = this.#turns.at(-1);
    // The client may have ended the turn while the warning was in transit.
    if (last?.ended && this.now.atUs - last.ended.atUs <= IN_TRANSIT_US) {
      const { ended, cancel } = last;
      Object.assign(this.#doubtLast(last), { ended, cancel });
    } else if (!this.#isUnsure && (last?.cancel ?? null) === null) {
      this.report('warning-unasked', 'warning: expected an open turn, got none', { related: last?.ended });
    }
  }

  /** The last text may have arrived after the end of its turn and opened another. */
  #doubtLast({ lastText }: CheckedTurn): CheckedTurn {
    this.doubt();
    return this.#push(false, UNKNOWN_SETTINGS, lastText);
  }

  /** The server refused a request. Of several without audio, the client cannot see which one it was. */
  refused(): void {
    const waiting = this.#turns.filter(({ speech, cancel }) => !speech.hasBegun && cancel === null);
    this.#leave(waiting.slice(-1));
    if (waiting.length !== 1) this.doubt();
    this.#awaitAnswer();
  }

  /** The server refused an unknown message, so the set of turns is unknown from now on. */
  doubt(): void {
    this.#isWhole = false;
    if (this.#turns.length === 0) return;
    this.#isUnsure = true;
    for (const { speech } of this.#turns) speech.doubt();
    this.#clearIdle();
    this.#answer.clear();
    this.#resync.start();
  }

  closed(): void {
    this.#settleLast();
    this.over();
  }

  /** Nothing of the turns is followed any more. */
  over(): void {
    this.rest();
    this.#unaskedFinal = null;
    this.#leave(this.#turns);
  }

  #push(isEmpty: boolean, settings = this.#owner.turnSettings, began = this.now): CheckedTurn {
    const { expected, autoMode } = settings;
    const speech = new SpokenTurn(this.world, this.context, this.#counters, expected);
    if (this.#isUnsure) speech.doubt();
    const turn = new CheckedTurn(speech, began, autoMode, isEmpty);
    this.#turns.push(turn);
    if (this.#turns.length > MAX_TURNS) this.#turns.shift();
    return turn;
  }

  #end(turn: CheckedTurn): void {
    turn.ended = this.now;
    this.#clearIdle();
    this.#awaitAnswer();
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
    this.#isStrayReported = true;
    this.#resync.clear();
    this.#turns = [];
  }

  #endedBy(kind: keyof typeof AFTER): void {
    this.#lastEnd = { kind, at: this.now };
    this.#isStrayReported = false;
    this.#awaitAnswer();
  }

  #heard(): void {
    this.#awaitAnswer();
    if (this.#isUnsure) this.#resync.start();
  }

  /** Waits for the next frame of a turn from now on. */
  #awaitAnswer(): void {
    if (!this.#isUnsure && this.#turns.some(({ isOwed }) => isOwed)) this.#answer.start();
    else this.#answer.clear();
  }

  #clearIdle(): void {
    this.#idleSoon.clear();
    this.#idleAbsent.clear();
  }

  /** The turn of a speech frame; null without one, after a report. */
  #speaking(kind: string): SpokenTurn | null {
    this.#heard();
    const turn = this.#turns.find(({ isEmpty }) => !isEmpty);
    if (!turn) {
      this.#stray(kind);
      return null;
    }
    if (this.#turns[0] !== turn) {
      this.#turns = this.#isUnsure
        ? [turn, ...this.#turns.filter((other) => other !== turn)]
        : // The server no longer answers empty flushes before this turn.
          this.#turns.slice(this.#turns.indexOf(turn));
    }
    if (!turn.final || kind === 'word_timestamps') return turn.speech;
    if (!this.#isStrayReported) {
      const message = `expected session_closed after final, got ${kind}`;
      this.report('after-final', message, { related: turn.final.at });
    }
    this.#isStrayReported = true;
    return null;
  }

  /** A frame without a turn. */
  #stray(found: string): void {
    if (this.#isUnsure || this.#isStrayReported) return;
    this.#isStrayReported = true;
    const { kind = null, at: related } = this.#lastEnd ?? {};
    const message = `expected nothing${kind === null ? '' : ` after ${kind}`} before text is sent, got ${found}`;
    this.report(kind === null ? 'no-turn' : AFTER[kind], message, { related });
  }

  /** The turn that ends with a frame of totals. */
  #endingTurn(frame: TotalsFields, kind: string): CheckedTurn | null {
    this.#heard();
    if (this.#turns[0]?.isEmpty && reportsSpeech(frame)) {
      const from = this.#turns.findIndex(({ isEmpty }) => !isEmpty);
      if (from > 0) this.#turns = this.#turns.slice(from);
    }
    const [turn] = this.#turns;
    if (!turn) this.#stray(kind);
    return turn ?? null;
  }

  #judgeEnd(turn: CheckedTurn): void {
    if (this.#isUnsure) return;
    if (!turn.ended) {
      this.#awaitExplanation();
      this.#clearIdle();
    }
    if (turn.cancel === null) turn.speech.ended();
  }

  /** The words of a turn may follow its final until the next turn speaks. */
  #settleLast(): void {
    this.#last?.over();
    this.#last = null;
  }

  /** While the turns are unknown: a first chunk ends the turns that have already spoken. */
  #skipSpoken(): void {
    const [head, ...rest] = this.#turns;
    if (!head?.speech.hasBegun) return;
    if (rest.length > 0) {
      this.#leave([head]);
      return;
    }
    this.#leftSeconds += head.speech.seconds;
    head.speech = new SpokenTurn(this.world, this.context, this.#counters, null);
    head.speech.doubt();
  }

  #awaitExplanation(): void {
    if (this.#unaskedFinal) return;
    this.#unaskedFinal = this.now;
    this.#unasked.start();
  }

  #adviseOnAutoMode(flush: LintMoment): void {
    if (!this.#wasAuto || this.#isAutoFlushReported) return;
    this.#isAutoFlushReported = true;
    const message = 'expected no flush between sentences of a reply, got one';
    this.report('auto-mode-flush', message, { at: flush, related: this.now });
  }
}
