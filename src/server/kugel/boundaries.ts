import { endsAbbreviation } from '../speech/text/words.ts';

/**
 * Boundaries of a text that still grows. A mark counts only once text follows it, because "3." may become "3.5"
 * and "Dr." may become "Dr. Smith" (`facts 2.3.6`).
 */

const MARK = /[.!?…:;,。！？、，；：]/g;
const SENTENCE_MARKS = '.!?…。！？';
/** Marks of scripts that write no white space after them. */
const WIDE_MARKS = '。！？、，；：';
const CLOSERS = /^["'”’»)\]」』）]*/u;

/** "3." may be the third of May. */
const ORDINAL = /(?:^|[\s("'“„«])\d{1,2}\.$/u;

export type BoundaryKind = 'sentence' | 'clause';

export interface Boundary {
  kind: BoundaryKind;
  /** Offset after the mark and its closing quotes. */
  end: number;
}

/** Yields the boundaries of the text in order. */
export function* boundaries(text: string): Generator<Boundary> {
  const marks = new RegExp(MARK);
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const mark = match[0];
    const behindMark = match.index + 1;
    const closers = CLOSERS.exec(text.slice(behindMark))?.[0].length ?? 0;
    const behind = behindMark + closers;
    if (behind >= text.length) return;
    const wide = WIDE_MARKS.includes(mark);
    if (!wide && !/\s/u.test(text.charAt(behind))) continue;
    const kind: BoundaryKind = SENTENCE_MARKS.includes(mark) ? 'sentence' : 'clause';
    if (mark === '.' && (endsAbbreviation(text, behindMark) || endsOrdinal(text, behindMark))) continue;
    marks.lastIndex = behind;
    yield { kind, end: behind };
  }
}

const endsOrdinal = (text: string, end: number): boolean =>
  ORDINAL.test(text.slice(Math.max(0, end - 4), end));
