import { endsAbbreviation } from './words.ts';

const SENTENCE_MARKS = '.!?…。！？';
const CLAUSE_MARKS = ':;,，、；：';
/** Marks of scripts that write no white space after them. */
const WIDE_MARKS = '。！？、，；：';
const OPENERS = '“„«([「『（';
const PAIRED_CLOSERS = '”»)]」』）';
const CLOSERS = '"\'”’»)]」』）';

/** "3." may be the third of May. */
const ORDINAL = /(?:^|[\s("'“„«])\d{1,2}\.$/u;
const ENDS_IN_DIGIT = /\d\.$/u;
/** Units before a mark that decide whether it ends a sentence. */
const LOOK_BACK = 16;

type BoundaryKind = 'sentence' | 'clause';

export interface Boundary {
  readonly kind: BoundaryKind;
  /** Offset after the mark and its closing quotes. */
  readonly end: number;
}

interface Mark extends Boundary {
  readonly isWide: boolean;
  /** The text up to the mark, as far as it matters. */
  readonly before: string;
}

/**
 * Finds the boundaries of a text that grows unit by unit. A mark counts once white space follows it, because "3." may
 * become "3.5" (`facts 2.3.6`).
 */
export class BoundaryScanner {
  #length = 0;
  #before = '';
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
  add(unit: string): Boundary | null {
    const end = this.#length + 1;
    if (OPENERS.includes(unit)) this.#open += 1;
    else if (PAIRED_CLOSERS.includes(unit)) this.#open = Math.max(0, this.#open - 1);
    else if (unit === '"') this.#isQuoting = !this.#isQuoting;
    this.#length = end;
    this.#before = (this.#before + unit).slice(-LOOK_BACK);
    const mark = this.#mark;
    if (CLOSERS.includes(unit)) {
      this.#mark = mark && { ...mark, end };
      return null;
    }
    const kind = SENTENCE_MARKS.includes(unit) ? 'sentence' : CLAUSE_MARKS.includes(unit) ? 'clause' : null;
    this.#hasWord ||= kind === null && !isSpace(unit);
    this.#mark =
      kind && this.#hasWord ? { kind, end, isWide: WIDE_MARKS.includes(unit), before: this.#before } : null;
    return mark && (mark.isWide || isSpace(unit)) && !isInside(mark) ? mark : null;
  }

  /**
   * The mark at the end of the text if nothing that follows could change its meaning, as a digit would after "3.",
   * a name after "Dr.", and the closing quote of an open quotation.
   */
  get atEnd(): Boundary | null {
    if (!this.#mark || this.#open > 0 || this.#isQuoting) return null;
    return isInside(this.#mark) || ENDS_IN_DIGIT.test(this.#mark.before) ? null : this.#mark;
  }
}

export const isSpace = (unit: string): boolean => /\s/u.test(unit);

/** Whether the full stop belongs to an abbreviation or an ordinal. */
const isInside = ({ before }: Mark): boolean =>
  before.endsWith('.') && (endsAbbreviation(before, before.length) || ORDINAL.test(before));
