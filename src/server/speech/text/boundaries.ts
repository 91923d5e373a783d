import { isHighSurrogate, isLowSurrogate } from '#lib/text/halves.ts';
import {
  CLAUSE_MARKS,
  SENTENCE_MARKS,
  WIDE_CLAUSE_MARKS,
  WIDE_SENTENCE_MARKS,
} from '#lib/text/punctuation.ts';
import { endsAbbreviation } from './words.ts';

const SENTENCE_MARK = new RegExp(`[${SENTENCE_MARKS}]`, 'u');
const CLAUSE_MARK = new RegExp(`[${CLAUSE_MARKS}]`, 'u');
const WIDE_MARKS = WIDE_SENTENCE_MARKS + WIDE_CLAUSE_MARKS;
const OPENERS = '“„«([「『（';
const PAIRED_CLOSERS = '”»)]」』）';
const CLOSERS = '"\'”’»)]」』）';
const FULL_STOPS = '.．';
const [QUOTE, FULL_STOP] = [0x22, 0x2e];

/** "3." may be the third of May. */
const ORDINAL = /(?:^|[\s("'“„«])\d{1,2}\.$/u;
const ENDS_IN_DIGIT = /(?:\d\.|\p{Nd}．)$/u;
/** Units before a mark that decide whether it ends a sentence. A power of two. */
const LOOK_BACK = 16;

const [SPACE, OPENER, PAIRED_CLOSER, CLOSER, SENTENCE, CLAUSE, WIDE, KNOWN] = [1, 2, 4, 8, 16, 32, 64, 128];
/** The kinds of UTF-16 units that were seen, because tests of a character cost more than those of bits. */
const KINDS = new Uint8Array(0x10000);

/** The kinds of a unit as bits. */
function kindsOf(code: number): number {
  const known = KINDS[code] ?? 0;
  if (known !== 0) return known;
  const unit = String.fromCharCode(code);
  let kinds = KNOWN;
  if (/\s/u.test(unit)) kinds |= SPACE;
  if (OPENERS.includes(unit)) kinds |= OPENER;
  if (PAIRED_CLOSERS.includes(unit)) kinds |= PAIRED_CLOSER;
  if (CLOSERS.includes(unit)) kinds |= CLOSER;
  if (SENTENCE_MARK.test(unit)) kinds |= SENTENCE;
  if (CLAUSE_MARK.test(unit)) kinds |= CLAUSE;
  if (WIDE_MARKS.includes(unit)) kinds |= WIDE;
  KINDS[code] = kinds;
  return kinds;
}

export const isSpace = (code: number): boolean => (kindsOf(code) & SPACE) !== 0;

type BoundaryKind = 'sentence' | 'clause';

export interface Boundary {
  readonly kind: BoundaryKind;
  /** Offset after the mark and its closing quotes. */
  readonly end: number;
}

interface Mark extends Boundary {
  end: number;
  readonly isWide: boolean;
  /** A full stop of an abbreviation or an ordinal. */
  readonly isInside: boolean;
  /** A full stop behind a digit. */
  readonly isOfNumber: boolean;
}

/**
 * Finds the boundaries of a text that grows unit by unit. A mark counts once white space follows it, because "3." may
 * become "3.5".
 */
export class BoundaryScanner {
  #length = 0;
  /** The last units, each at its offset modulo their number. */
  readonly #recent: number[] = [];
  /** Marks before the first word are no boundary: a chunk of marks alone has nothing to speak. */
  #hasWord = false;
  #mark: Mark | null = null;
  /** Quotations and brackets that are not closed. */
  #open = 0;
  #isQuoting = false;

  /**
   * Adds one UTF-16 unit.
   * @returns the boundary that this unit confirms, which ends before it
   */
  add(code: number): Boundary | null {
    const kinds = kindsOf(code);
    const before = this.#unitBefore(1);
    this.#recent[this.#length % LOOK_BACK] = code;
    this.#length += 1;
    if (kinds & OPENER) this.#open += 1;
    else if (kinds & PAIRED_CLOSER) this.#open = Math.max(0, this.#open - 1);
    else if (code === QUOTE) this.#isQuoting = !this.#isQuoting;
    // Half a character is spoken as one. A whole pair may be a mark.
    if (isHighSurrogate(before) && !isLowSurrogate(code)) this.#hasWord = true;
    const mark = this.#mark;
    if (kinds & CLOSER) {
      if (mark) mark.end = this.#length;
      return null;
    }
    const isPair = isHighSurrogate(before) && isLowSurrogate(code);
    const isSentence = isPair ? isMarkOf(before, code) : (kinds & SENTENCE) !== 0;
    const kind = isSentence ? 'sentence' : kinds & CLAUSE ? 'clause' : null;
    this.#hasWord ||= kind === null && !(kinds & SPACE) && !isHighSurrogate(code);
    this.#mark = kind && this.#hasWord ? this.#markOf(kind, kinds, code) : null;
    return mark && (mark.isWide || kinds & SPACE) && !mark.isInside ? mark : null;
  }

  /**
   * The mark at the end of the text if nothing that follows could change its meaning, as a digit would after "3.",
   * a name after "Dr.", and the closing quote of an open quotation.
   */
  get atEnd(): Boundary | null {
    if (!this.#mark || this.#open > 0 || this.#isQuoting) return null;
    return this.#mark.isInside || this.#mark.isOfNumber ? null : this.#mark;
  }

  #markOf(kind: BoundaryKind, kinds: number, code: number): Mark {
    const before = FULL_STOPS.includes(String.fromCharCode(code)) ? this.#lastUnits() : '';
    const isOfNumber = ENDS_IN_DIGIT.test(before);
    const isInside =
      code === FULL_STOP && (endsAbbreviation(before, before.length) || (isOfNumber && ORDINAL.test(before)));
    return { kind, end: this.#length, isWide: (kinds & WIDE) !== 0 && !isOfNumber, isInside, isOfNumber };
  }

  /** @returns the unit so far back; 0 before the beginning */
  #unitBefore(back: number): number {
    return this.#length < back ? 0 : (this.#recent[(this.#length - back) % LOOK_BACK] ?? 0);
  }

  #lastUnits(): string {
    let units = '';
    for (let back = Math.min(this.#length, LOOK_BACK); back > 0; back -= 1)
      units += String.fromCharCode(this.#unitBefore(back));
    return units;
  }
}

/** Whether a pair of surrogates ends sentences, as in Chakma. */
const isMarkOf = (high: number, low: number): boolean => SENTENCE_MARK.test(String.fromCharCode(high, low));
