import type { LintMoment } from '../../core/rule.ts';
import { type Deadline, SECOND_US } from '../../lint/deadlines.ts';
import type { ReportFinding } from '../../lint/findings.ts';
import { agrees, secondsText } from '../../lint/payload.ts';
import type { KugelFrame } from '../wire/server-frames.ts';
import type { KugelRuleId } from './rules.ts';
import type { TurnSettings } from './turn.ts';
import { TurnCheck, type TurnWorld } from './turns.ts';

/** Rules of one context of `/ws/tts/multi`, from its first frame to its `context_closed`. */

type Closed = KugelFrame<'context_closed'>;

/** The vendor's clients wait this long for `context_created` and `context_closed` (`facts 3.4`). */
const ANSWER_US = 30 * SECOND_US;
/** Share of the idle time after which a warning is due. */
const SOON = 0.75;
/** The network adds time in both directions, and the documentation does not define activity. */
const IDLE_GRACE_US = 5 * SECOND_US;

/** Possible seconds: a server may or may not count abandoned turns (`facts 10`, 14). */
export interface SecondsRange {
  low: number;
  high: number;
}

export class ContextCheck {
  readonly id: string;
  /** The frame that opened it. */
  readonly asked: LintMoment;
  readonly book: TurnCheck;
  hasVoice: boolean;
  created: LintMoment | null = null;
  closing: 'graceful' | 'now' | null = null;
  /** Characters of all its text, blank text included. */
  sentUnits = 0;
  readonly #world: TurnWorld;
  readonly #report: ReportFinding<KugelRuleId>;
  readonly #answer: Deadline;
  readonly #idleSoon: Deadline;
  readonly #idleAbsent: Deadline;
  #closeAt: LintMoment | null = null;
  #touchedAt: LintMoment;
  #idleUs = 0;
  /** Its last frame was a final. */
  #endsWithFinal = false;
  /** A turn was dropped, so the server owes no final. */
  #wasInterrupted = false;
  /** A final may follow an immediate close, because an earlier flush is unanswered. */
  #mayBeFinal = true;
  /** The model of all its turns; null where they differ. */
  #modelId: string | null | undefined;

  constructor(world: TurnWorld, id: string, hasVoice: boolean, at: LintMoment) {
    this.id = id;
    this.asked = at;
    this.hasVoice = hasVoice;
    this.#world = world;
    this.#report = world.findings.in(id);
    this.#touchedAt = at;
    this.book = new TurnCheck(world, id, 'context');
    this.#answer = world.deadlines.create((atUs) => this.#missAnswer(atUs));
    this.#idleSoon = world.deadlines.create((atUs) => this.#warnIdle(atUs));
    this.#idleAbsent = world.deadlines.create((atUs) => this.#missIdleEnd(atUs));
    this.#answer.set(at.atUs + ANSWER_US);
  }

  /** Activity restarts its idle time (`facts 3.3.3`, `3.3.4`). */
  touch(at: LintMoment, idleMs: number): void {
    this.#touchedAt = at;
    this.#idleUs = idleMs * 1000;
    if (this.closing) return;
    this.#idleSoon.set(at.atUs + this.#idleUs * SOON);
    this.#idleAbsent.set(at.atUs + this.#idleUs + IDLE_GRACE_US);
  }

  say(text: string, at: LintMoment, settings: () => TurnSettings): void {
    if (this.book.text(text, at, settings)) this.#noteModel(settings().expected?.modelId ?? null);
  }

  /** @returns false without text to speak */
  flush(at: LintMoment, settings: () => TurnSettings): boolean {
    return this.book.flush(at, settings);
  }

  close(at: LintMoment, immediate: boolean, settings: () => TurnSettings): void {
    if (this.closing === 'now' || (this.closing && !immediate)) return;
    if (immediate) {
      this.#mayBeFinal = this.book.mayBeFinal;
      this.#wasInterrupted = true;
      this.book.cancel(Number.POSITIVE_INFINITY);
    } else {
      this.book.close(at, settings);
    }
    this.closing = immediate ? 'now' : 'graceful';
    this.#closeAt = at;
    this.#endsWithFinal = false;
    this.#idleSoon.clear();
    this.#idleAbsent.clear();
    this.#answer.set(at.atUs + ANSWER_US);
  }

  cancel(number: number): void {
    this.#wasInterrupted = true;
    this.book.cancel(number);
  }

  /** Any frame of it. @param kind its marker */
  heard(kind: string, at: LintMoment, idleMs: number): void {
    if (!this.created && kind !== 'error') {
      this.created = at;
      if (kind !== 'context_created') {
        const message = `expected context_created as the first frame of the context, got ${kind}`;
        this.#report('context-created-missing', at, message, { related: this.asked });
      }
      if (!this.closing) this.#answer.clear();
    } else if (kind === 'context_created') {
      this.#report('context-created-twice', at, 'context_created: expected it once, got it again', {
        related: this.created,
      });
    }
    if (this.closing) this.#answer.set(at.atUs + ANSWER_US);
    this.#endsWithFinal = kind === 'final' || (kind === 'context_closed' && this.#endsWithFinal);
    if (kind !== 'context_closed') this.touch(at, idleMs);
  }

  final(at: LintMoment): void {
    if (this.closing === 'now' && !this.#mayBeFinal) {
      const message = 'expected context_closed without final after an immediate close, got final';
      this.#report('final-after-immediate', at, message, { related: this.#closeAt });
      return;
    }
    this.book.lastFinal(at);
  }

  /** @returns the possible seconds of its audio */
  closed(frame: Closed | null, at: LintMoment): SecondsRange {
    const { book } = this;
    if (this.closing === 'graceful') {
      if (!this.#endsWithFinal && !this.#wasInterrupted && book.isWhole) {
        this.#report('final-missing', at, 'context_closed: expected final right before it, got none', {
          related: this.#closeAt,
        });
      }
    } else if (!this.closing && at.atUs - this.#touchedAt.atUs >= this.#idleUs * SOON) {
      const message = `expected activity within ${this.#idleUs / SECOND_US} s, got none`;
      this.#report('context-idle-ended', at, message, { related: this.#touchedAt });
    }
    const isWhole = book.isWhole;
    book.closed(at);
    this.over();
    const range = { low: isWhole ? book.endedSeconds : 0, high: book.seconds };
    if (frame && isWhole) this.#checkBill(frame, at, range);
    return isWhole ? range : { low: 0, high: Number.POSITIVE_INFINITY };
  }

  /** Clears all deadlines. */
  over(): void {
    this.#answer.clear();
    this.#idleSoon.clear();
    this.#idleAbsent.clear();
    this.book.over();
  }

  #checkBill({ usage }: Closed, at: LintMoment, range: SecondsRange): void {
    const { billing } = this.#world;
    if (!usage) {
      // The server may charge abandoned turns without a bill.
      if (this.book.endedSeconds > 0) billing.missing(at, this.id);
      return;
    }
    if (!this.book.hasSpoken) {
      this.#report('usage-unearned', at, 'expected none, because nothing was spoken, got some', {
        field: 'usage',
        related: this.asked,
      });
      return;
    }
    billing.check(usage, at, this.id, this.#modelId ?? null);
    const { audio_seconds: seconds, characters } = usage;
    if (typeof seconds === 'number' && !isWithin(seconds, range)) {
      const message = `expected ${secondsRangeText(range)}, which is what came, got ${seconds}`;
      this.#report('usage-seconds', at, message, 'usage.audio_seconds');
    }
    const least = this.#wasInterrupted ? 0 : this.book.points;
    if (typeof characters === 'number' && (characters < least || characters > this.sentUnits)) {
      const message = `expected ${this.book.units}, which is what was sent, got ${characters}`;
      this.#report('usage-characters', at, message, 'usage.characters');
    }
  }

  #noteModel(modelId: string | null): void {
    this.#modelId = this.#modelId === undefined || this.#modelId === modelId ? modelId : null;
  }

  #missAnswer(atUs: number): void {
    const answer = this.closing ? 'context_closed' : 'context_created';
    const message = `expected ${answer}, got nothing for ${ANSWER_US / SECOND_US} s`;
    this.#report('answer-absent', this.#closeAt ?? this.asked, message, { atUs });
  }

  #warnIdle(atUs: number): void {
    if (!this.created || this.book.owesFinal) return;
    const message = `expected text or a keep-alive after it, got nothing for ${(this.#idleUs * SOON) / SECOND_US} s of ${this.#idleUs / SECOND_US}`;
    this.#report('context-idle-soon', this.#touchedAt, message, { atUs });
  }

  #missIdleEnd(atUs: number): void {
    if (!this.created || this.book.owesFinal) return;
    const message = `expected context_closed ${this.#idleUs / SECOND_US} s after it, got nothing for ${(this.#idleUs + IDLE_GRACE_US) / SECOND_US} s`;
    this.#report('context-idle-absent', this.#touchedAt, message, { atUs });
  }
}

/** Whether reported seconds are possible. */
export const isWithin = (seconds: number, { low, high }: SecondsRange): boolean =>
  (seconds >= low && seconds <= high) || agrees(seconds, low) || agrees(seconds, high);

export const secondsRangeText = ({ low, high }: SecondsRange): string =>
  high - low < 0.001 ? secondsText(high) : `${secondsText(low)} to ${secondsText(high)}`;
