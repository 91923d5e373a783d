import type { LintMoment } from '../core/rule.ts';
import type { ReportFinding } from './findings.ts';
import { endsSentence } from './payload.ts';

/** Text this soon after a flush belongs to the same reply. */
const SAME_REPLY_US = 1_000_000;
const TINY_CHARS = 16;
const TINY_TURNS = 3;
/** The end of a text that shows whether a sentence ends there. */
const TAIL_CHARS = 24;

/** The text of an open turn. */
interface Writing {
  tail: string;
  chars: number;
}

/**
 * Advice on the flushes of one context. Each flush is a turn, so a flush within a sentence or after every few characters
 * costs a start-up and the melody.
 */
export class FlushAdvice {
  readonly #report: ReportFinding<'flush-mid-sentence' | 'tiny-turns'>;
  readonly #continued: (flush: LintMoment, at: LintMoment) => void;
  #writing: Writing = { tail: '', chars: 0 };
  #before: (Writing & { flush: LintMoment }) | null = null;
  #tinyTurns = 0;

  /** @param continued called where a reply continues after a flush at the end of a sentence */
  constructor(
    report: ReportFinding<'flush-mid-sentence' | 'tiny-turns'>,
    continued: (flush: LintMoment, at: LintMoment) => void = () => {},
  ) {
    this.#report = report;
    this.#continued = continued;
  }

  /** A turn begins with this text, which {@link text} receives as well. */
  began(text: string, at: LintMoment): void {
    this.#writing = { tail: '', chars: 0 };
    const before = this.#before;
    if (!before || at.atUs - before.flush.atUs > SAME_REPLY_US) {
      this.#tinyTurns = 0;
      return;
    }
    this.#tinyTurns = before.chars < TINY_CHARS ? this.#tinyTurns + 1 : 0;
    if (this.#tinyTurns === TINY_TURNS) {
      const message = `expected one flush at the end of the reply, got ${TINY_TURNS} in a row after fewer than ${TINY_CHARS} characters each`;
      this.#report('tiny-turns', at, message, { related: before.flush });
    } else if (endsSentence(before.tail)) this.#continued(before.flush, at);
    else if (/^\s*[\p{Ll},;:)]/u.test(text)) {
      const message = 'expected a flush at the end of a sentence, got one before the sentence went on';
      this.#report('flush-mid-sentence', before.flush, message, { related: at, atUs: at.atUs });
    }
  }

  text(text: string): void {
    const { tail, chars } = this.#writing;
    this.#writing = {
      tail: (tail + text.slice(-TAIL_CHARS)).slice(-TAIL_CHARS),
      chars: chars + text.length,
    };
  }

  flushed(at: LintMoment): void {
    this.#before = { ...this.#writing, flush: at };
  }

  /** The turn ended without a flush. */
  forget(): void {
    this.#before = null;
  }
}
