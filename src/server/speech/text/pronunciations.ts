import { isUnspaced, type WrittenWord } from '#lib/text/words.ts';
import type { Pronunciation } from '../engine.ts';

/** A word of the text with the entry that is spoken instead. */
export interface Replacement extends WrittenWord {
  readonly entry: Pronunciation;
}

export type FindReplacements = (text: string) => readonly Replacement[];

const WORD_UNIT = /[\p{L}\p{N}\p{M}_]/u;
const SPACE = /\s/;
/** Typographic quotes count as the plain ones that a dictionary is typed with. */
const PLAIN_QUOTES: ReadonlyMap<string, string> = new Map([
  ...[...'\u2018\u2019\u201b\u02bc'].map((quote) => [quote, "'"] as const),
  ...[...'\u201c\u201d\u201f'].map((quote) => [quote, '"'] as const),
]);

/** A text as entries are compared: plain quotes, one blank for any white space. */
interface Comparable {
  readonly exact: string;
  /** Without case, as long as `exact`. */
  readonly folded: string;
  /** Offset in the original for each unit, and its end. */
  readonly sourceAt: readonly number[];
}

function toComparable(text: string): Comparable {
  let exact = '';
  let folded = '';
  const sourceAt: number[] = [];
  let at = 0;
  for (const written of text) {
    const unit = SPACE.test(written) ? ' ' : (PLAIN_QUOTES.get(written) ?? written);
    if (unit !== ' ' || !exact.endsWith(' ')) {
      const lower = unit.toLowerCase();
      exact += unit;
      folded += lower.length === unit.length ? lower : unit;
      for (let i = 0; i < unit.length; i += 1) sourceAt.push(at + i);
    }
    at += written.length;
  }
  sourceAt.push(at);
  return { exact, folded, sourceAt };
}

/** Whole words only, except where the script writes no word borders. */
function isWhole(text: string, start: number, end: number): boolean {
  const at = (index: number) => String.fromCodePoint(text.codePointAt(index) ?? 0);
  // The second half of a surrogate pair begins one unit earlier.
  const before = (index: number) => at(index - (/[\udc00-\udfff]/.test(text[index - 1] ?? '') ? 2 : 1));
  const inOneWord = (left: string, right: string) =>
    WORD_UNIT.test(left) && WORD_UNIT.test(right) && !isUnspaced(right);
  if (start > 0 && inOneWord(before(start), at(start))) return false;
  return end >= text.length || !inOneWord(at(end), before(end));
}

/**
 * Returns a finder for the dictionary's entries: leftmost first, then the longest. Of two entries that differ in case
 * alone, the case-sensitive one wins. A replacement is not searched again.
 *
 * Entries are looked up by their lengths, because an expression of thousands of words is too large to compile.
 */
export function compilePronunciations(entries: readonly Pronunciation[]): FindReplacements {
  const exact = new Map<string, Pronunciation>();
  const folded = new Map<string, Pronunciation>();
  for (const entry of entries) {
    const word = toComparable(entry.word.trim());
    if (entry.caseSensitive) exact.set(word.exact, entry);
    else folded.set(word.folded, entry);
  }
  const words = [...exact.keys(), ...folded.keys()].filter((word) => word !== '');
  const lengths = [...new Set(words.map((word) => word.length))].sort((a, b) => b - a);
  return (text) => {
    if (lengths.length === 0) return [];
    const comparable = toComparable(text);
    const { sourceAt } = comparable;
    const found: Replacement[] = [];
    for (let start = 0; start < comparable.exact.length; start += 1) {
      for (const length of lengths) {
        const end = start + length;
        const entry =
          exact.get(comparable.exact.slice(start, end)) ?? folded.get(comparable.folded.slice(start, end));
        if (entry === undefined || end > comparable.exact.length) continue;
        if (!isWhole(comparable.exact, start, end)) continue;
        found.push({ start: sourceAt[start] ?? 0, end: sourceAt[end] ?? text.length, entry });
        start = end - 1;
        break;
      }
    }
    return found;
  };
}
