import type { LintMoment } from '../../core/rule.ts';
import { Check } from '../../lint/check.ts';
import { SECOND_US } from '../../lint/clock.ts';
import { agrees, secondsText } from '../../lint/payload.ts';
import type { KugelFrame } from '../wire/server-frames.ts';
import type { KugelRuleId } from './rules.ts';
import { checkUsage, reportMissingBill } from './turn.ts';
import { TurnCheck, type TurnOwner } from './turns.ts';

type Closed = KugelFrame<'context_closed'>;

/** The vendor's clients wait this long for `context_created` and `context_closed` (kugel-context-2, kugel-context-14). */
const ANSWER_US = 30 * SECOND_US;
/** Share of the idle time after which a warning is due. */
const SOON = 0.75;
/** The network adds time in both directions, and the documentation does not define activity. */
const IDLE_GRACE_US = 5 * SECOND_US;

/** The connection of the contexts. */
interface ContextOwner extends TurnOwner {
  /** Silence after which the server ends a context. */
  readonly idleMs: number;
}

/** Possible seconds: a server may or may not count abandoned turns (kugel-cancel-9). */
export interface SecondsRange {
  low: number;
  high: number;
}

/** Rules of one context of `/ws/tts/multi`, from its first frame to its `context_closed`. */
export class ContextCheck extends Check<KugelRuleId> {
  readonly id: string;
  /** The frame that opened it. */
  readonly asked = this.now;
  readonly book: TurnCheck;
  readonly hasVoice: boolean;
  created: LintMoment | null = null;
  closing: 'graceful' | 'now' | null = null;
  /** Characters of all its text, blank text included. */
  sentUnits = 0;
  readonly #owner: ContextOwner;
  readonly #answer = this.deadline(ANSWER_US, (time) => {
    const message = `expected ${this.closing ? 'context_closed' : 'context_created'}, got nothing for ${time}`;
    this.report('answer-absent', message, { at: this.#closeAt ?? this.asked });
  });
  readonly #idleSoon = this.overdue(
    'context-idle-soon',
    0,
    () => this.#idleSince,
    (time) =>
      `expected text or a keep-alive after it, got nothing for ${time} of ${this.#idleUs / SECOND_US}`,
  );
  readonly #idleAbsent = this.overdue(
    'context-idle-absent',
    0,
    () => this.#idleSince,
    (time) => `expected context_closed ${this.#idleUs / SECOND_US} s after it, got nothing for ${time}`,
  );
  #closeAt: LintMoment | null = null;
  #touchedAt = this.now;
  #idleUs = 0;
  /** Its last frame was a final. */
  #endsWithFinal = false;
  /** A turn was dropped, so the server owes no final. */
  #wasInterrupted = false;
  /** A final may follow an immediate close, because an earlier flush is unanswered. */
  #mayBeFinal = true;
  /** The model of all its turns; null where they differ. */
  #modelId: string | null | undefined;

  constructor(owner: ContextOwner, id: string, hasVoice: boolean) {
    super(owner.world, id);
    this.id = id;
    this.hasVoice = hasVoice;
    this.#owner = owner;
    this.book = new TurnCheck(owner, id, 'context');
    this.#answer.start();
  }

  get #idleSince(): LintMoment | null {
    return this.created && !this.book.owesFinal ? this.#touchedAt : null;
  }

  /** Activity restarts its idle time (kugel-context-20). */
  touch(): void {
    this.#touchedAt = this.now;
    this.#idleUs = this.#owner.idleMs * 1000;
    if (this.closing) return;
    this.#idleSoon.start(this.#idleUs * SOON);
    this.#idleAbsent.start(this.#idleUs + IDLE_GRACE_US);
  }

  say(text: string): void {
    if (!this.book.text(text)) return;
    const modelId = this.#owner.turnSettings.expected?.modelId ?? null;
    this.#modelId = this.#modelId === undefined || this.#modelId === modelId ? modelId : null;
  }

  close(immediate: boolean): void {
    if (this.closing === 'now' || (this.closing && !immediate)) return;
    if (immediate) {
      this.#mayBeFinal = this.book.mayBeFinal;
      this.cancel(Number.POSITIVE_INFINITY);
    } else this.book.close();
    this.closing = immediate ? 'now' : 'graceful';
    this.#closeAt = this.now;
    this.#endsWithFinal = false;
    this.#idleSoon.clear();
    this.#idleAbsent.clear();
    this.#answer.start();
  }

  cancel(number: number): void {
    this.#wasInterrupted = true;
    this.book.cancel(number);
  }

  /** Any frame of it. @param kind its marker */
  heard(kind: string): void {
    if (!this.created && kind !== 'error') {
      this.created = this.now;
      if (kind !== 'context_created') {
        const message = `expected context_created as the first frame of the context, got ${kind}`;
        this.report('context-created-missing', message, { related: this.asked });
      }
      if (!this.closing) this.#answer.clear();
    } else if (kind === 'context_created') {
      const message = 'context_created: expected it once, got it again';
      this.report('context-created-twice', message, { related: this.created });
    }
    if (this.closing) this.#answer.start();
    this.#endsWithFinal = kind === 'final' || (kind === 'context_closed' && this.#endsWithFinal);
    if (kind !== 'context_closed') this.touch();
  }

  final(): void {
    if (this.closing !== 'now' || this.#mayBeFinal) {
      this.book.lastFinal();
      return;
    }
    const message = 'expected context_closed without final after an immediate close, got final';
    this.report('final-after-immediate', message, { related: this.#closeAt });
  }

  /** @returns the possible seconds of its audio */
  closed(frame: Closed | null): SecondsRange {
    const { book } = this;
    const { isWhole } = book;
    if (this.closing === 'graceful' && !this.#endsWithFinal && !this.#wasInterrupted && isWhole) {
      const message = 'context_closed: expected final right before it, got none';
      this.report('final-missing', message, { related: this.#closeAt });
    } else if (!this.closing && this.now.atUs - this.#touchedAt.atUs >= this.#idleUs * SOON) {
      const message = `expected activity within ${this.#idleUs / SECOND_US} s, got none`;
      this.report('context-idle-ended', message, { related: this.#touchedAt });
    }
    book.closed();
    this.over();
    const range = { low: isWhole ? book.endedSeconds : 0, high: book.seconds };
    if (frame && isWhole) this.#checkBill(frame, range);
    return isWhole ? range : { low: 0, high: Number.POSITIVE_INFINITY };
  }

  /** Nothing of it is followed any more. */
  over(): void {
    this.rest();
    this.book.over();
  }

  #checkBill({ usage }: Closed, range: SecondsRange): void {
    if (!usage) {
      // The server may charge abandoned turns without a bill.
      if (this.book.endedSeconds > 0) reportMissingBill(this);
      return;
    }
    if (!this.book.hasSpoken) {
      const details = { field: 'usage', related: this.asked };
      this.report('usage-unearned', 'expected none, because nothing was spoken, got some', details);
      return;
    }
    checkUsage(usage, this.#modelId ?? null, this.#owner.prices, this);
    const { audio_seconds: seconds, characters } = usage;
    if (typeof seconds === 'number' && !isWithin(seconds, range)) {
      const message = `expected ${secondsRangeText(range)}, as received, got ${seconds}`;
      this.report('usage-seconds', message, 'usage.audio_seconds');
    }
    const least = this.#wasInterrupted ? 0 : this.book.points;
    if (typeof characters === 'number' && (characters < least || characters > this.sentUnits)) {
      const message = `expected ${this.book.units}, as sent, got ${characters}`;
      this.report('usage-characters', message, 'usage.characters');
    }
  }
}

/** Whether reported seconds are possible. */
export const isWithin = (seconds: number, { low, high }: SecondsRange): boolean =>
  (seconds >= low && seconds <= high) || agrees(seconds, low) || agrees(seconds, high);

export const secondsRangeText = ({ low, high }: SecondsRange): string =>
  high - low < 0.001 ? secondsText(high) : `${secondsText(low)} to ${secondsText(high)}`;
