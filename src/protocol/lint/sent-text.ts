import { SENTENCE_MARKS } from '#lib/text/punctuation.ts';
import type { LintMoment } from '../core/rule.ts';
import type { Reporter } from './check.ts';
import { endsSentence } from './payload.ts';

/** Rules of how a client cuts its text into messages and into turns. */

/** Letters of scripts with spaces between words. */
const LETTER = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]';

/** Whether a text has letters or digits, so that audio follows. */
export const isPronounceable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** The joints between the messages of one turn. */
export interface Joints {
  /** Returns the fault of this text and the text before it, as a message. */
  text(text: string): string | null;
  /** The text so far is spoken. */
  cut(): void;
}

const WORD_PIECE = new RegExp(`^[.,!?;:'’-]*${LETTER}+[.,!?;:'’-]*$`, 'u');
/** A sentence of several words, without the space behind it. */
const SENTENCE = new RegExp(`\\s\\S*\\p{Ll}{2}[${SENTENCE_MARKS}]["”’)]*$`, 'u');
const NEXT_SENTENCE = /^["“‘(]*\p{Lu}\p{Ll}*\s/u;
/** No word is as long. */
const RUN_CHARS = 60;
const RUN_PIECES = 5;

/**
 * Where a server joins messages as they are. Tokens of a model are no mistake: their spaces are within the messages. So only
 * joints that cannot be meant are faults.
 */
export class TextJoints implements Joints {
  #before = '';
  #run = { chars: 0, pieces: 0 };

  text(text: string): string | null {
    const before = this.#before;
    this.#before = text;
    const { chars, pieces } = this.#run;
    const isPiece = WORD_PIECE.test(text);
    this.#run = isPiece ? { chars: chars + text.length, pieces: pieces + 1 } : { chars: 0, pieces: 0 };
    const found =
      SENTENCE.test(before) && NEXT_SENTENCE.test(text)
        ? 'a sentence right behind another'
        : this.#run.chars > RUN_CHARS && this.#run.pieces >= RUN_PIECES
          ? `${this.#run.chars} characters without one`
          : null;
    return found && `expected a space between messages, got ${found}`;
  }

  cut(): void {
    this.#before = '';
    this.#run = { chars: 0, pieces: 0 };
  }
}

const ONE_WORD = new RegExp(`^\\s*${LETTER}+\\s*$`, 'u');
const GOES_ON = new RegExp(`^(?!\\p{Lu})${LETTER}`, 'u');
/** One-word messages in a row. */
const MAX_SINGLE_WORDS = 3;

/** Where a server speaks each message on its own. */
export class TextPieces implements Joints {
  #before = '';
  #words = 0;

  text(text: string): string | null {
    const before = this.#before;
    this.#before = text;
    this.#words = ONE_WORD.test(text) && !endsSentence(text) ? this.#words + 1 : 0;
    const isInWord = ONE_WORD.test(before) && !/\s$/.test(before) && GOES_ON.test(text);
    const found = isInWord ? 'a piece of a word' : this.#words >= MAX_SINGLE_WORDS ? 'word after word' : null;
    return found && `expected whole sentences or phrases, got ${found}`;
  }

  /** Words in a row are a fault across flushes as well. */
  cut(): void {}
}

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
  readonly #check: Reporter<'flush-mid-sentence' | 'tiny-turns'>;
  readonly #continued: (flush: LintMoment) => void;
  #writing: Writing = { tail: '', chars: 0 };
  #before: (Writing & { flush: LintMoment }) | null = null;
  #tinyTurns = 0;

  /** @param continued called where a reply continues after a flush at the end of a sentence */
  constructor(
    check: Reporter<'flush-mid-sentence' | 'tiny-turns'>,
    continued: (flush: LintMoment) => void = () => {},
  ) {
    this.#check = check;
    this.#continued = continued;
  }

  /** A turn begins with this text, which {@link text} receives as well. */
  began(text: string): void {
    const { now } = this.#check;
    const before = this.#before;
    this.#writing = { tail: '', chars: 0 };
    if (!before || now.atUs - before.flush.atUs > SAME_REPLY_US) {
      this.#tinyTurns = 0;
      return;
    }
    const { flush } = before;
    this.#tinyTurns = before.chars < TINY_CHARS ? this.#tinyTurns + 1 : 0;
    if (this.#tinyTurns === TINY_TURNS) {
      const message = `expected one flush at the end of the reply, got ${TINY_TURNS} in a row after fewer than ${TINY_CHARS} characters each`;
      this.#check.report('tiny-turns', message, { related: flush });
    } else if (endsSentence(before.tail)) this.#continued(flush);
    else if (/^\s*[\p{Ll},;:)]/u.test(text)) {
      const message = 'expected a flush at the end of a sentence, got one before the sentence went on';
      this.#check.report('flush-mid-sentence', message, { at: flush, related: now });
    }
  }

  text(text: string): void {
    const { tail, chars } = this.#writing;
    this.#writing = {
      tail: (tail + text.slice(-TAIL_CHARS)).slice(-TAIL_CHARS),
      chars: chars + text.length,
    };
  }

  flushed(): void {
    this.#before = { ...this.#writing, flush: this.#check.now };
  }

  /** The turn ended without a flush. */
  forget(): void {
    this.#before = null;
  }
}
