import type { LintMoment } from '../core/rule.ts';
import type { Details } from './findings.ts';
import { endsSentence } from './payload.ts';

/** Text that follows a flush so soon belongs to the same reply. */
const SAME_REPLY_US = 1_000_000;
const TINY_CHARS = 16;
const TINY_TURNS = 3;
/** So much of the end of a text tells whether a sentence ends there. */
const TAIL_CHARS = 24;

export interface FlushAdviceHandlers {
  report(
    id: 'flush-mid-sentence' | 'tiny-turns',
    at: LintMoment,
    message: string,
    details: Pick<Details, 'related' | 'atUs'>,
  ): void;
  /** A reply goes on behind a flush that stood where a sentence ended. */
  wentOn?(flush: LintMoment, at: LintMoment): void;
}

/** The text of a turn that is being written. */
interface Writing {
  tail: string;
  chars: number;
}

/**
 * Advice on where a client flushes: each flush is a turn of its own, so one within a sentence, or after every few
 * characters, costs a start-up and the melody. Holds for one context.
 */
export class FlushAdvice {
  readonly #handlers: FlushAdviceHandlers;
  #writing: Writing = { tail: '', chars: 0 };
  #before: (Writing & { flush: LintMoment }) | null = null;
  #tinyTurns = 0;

  constructor(handlers: FlushAdviceHandlers) {
    this.#handlers = handlers;
  }

  /** A turn begins with this text, which is to be told to {@link text} as well. */
  began(text: string, at: LintMoment): void {
    this.#writing = { tail: '', chars: 0 };
    const before = this.#before;
    if (!before || at.atUs - before.flush.atUs > SAME_REPLY_US) {
      this.#tinyTurns = 0;
      return;
    }
    this.#tinyTurns = before.chars < TINY_CHARS ? this.#tinyTurns + 1 : 0;
    if (this.#tinyTurns === TINY_TURNS) {
      this.#handlers.report(
        'tiny-turns',
        at,
        `expected one flush at the end of the reply, got ${TINY_TURNS} in a row after fewer than ${TINY_CHARS} characters each`,
        { related: before.flush.index },
      );
    } else if (endsSentence(before.tail)) this.#handlers.wentOn?.(before.flush, at);
    else if (/^\s*[\p{Ll},;:)]/u.test(text)) {
      this.#handlers.report(
        'flush-mid-sentence',
        before.flush,
        'expected a flush at the end of a sentence, got one before the sentence went on',
        { related: at.index, atUs: at.atUs },
      );
    }
  }

  text(text: string): void {
    const { tail, chars } = this.#writing;
    this.#writing = {
      tail: (tail + text.slice(-TAIL_CHARS)).slice(-TAIL_CHARS),
      chars: chars + text.length,
    };
  }

  /** The client ends the turn. */
  flushed(at: LintMoment): void {
    this.#before = { ...this.#writing, flush: at };
  }

  /** The turn was ended otherwise. */
  forget(): void {
    this.#before = null;
  }
}
