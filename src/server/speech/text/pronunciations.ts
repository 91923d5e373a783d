import { isLowSurrogate } from '#lib/text/halves.ts';
import { isUnspaced, type WrittenWord } from '#lib/text/words.ts';
import type { Pronunciation } from '../engine.ts';
import { PLAIN_QUOTES, plainUnitAt } from './plain-form.ts';

/** A word of the text with the entry that is spoken instead. */
export interface Replacement extends WrittenWord {
  readonly entry: Pronunciation;
}

/** Finds all words of a dictionary in a text, also those that overlap. */
export type FindReplacements = (text: string) => readonly Replacement[];

/** A word of 200 characters with marks and blanks. A longer stretch of the text is none, however its blanks count. */
export const MAX_MATCH_UNITS = 500;

const WORD_UNIT = /[\p{L}\p{N}\p{M}_]/u;
const SPACE = /^\s$/;

/** A text as entries are compared: plain forms and quotes, one blank for any white space. */
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
  let last = '';
  const sourceAt: number[] = [];
  for (let at = 0; at < text.length; ) {
    const { plain, end } = plainUnitAt(text, at);
    const unit = SPACE.test(plain) ? ' ' : (PLAIN_QUOTES.get(plain) ?? plain);
    if (unit !== ' ' || last !== ' ') {
      const lower = unit.toLowerCase();
      exact += unit;
      folded += lower.length === unit.length ? lower : unit;
      for (let i = 0; i < unit.length; i += 1) sourceAt.push(at);
      last = unit;
    }
    at = end;
  }
  sourceAt.push(text.length);
  return { exact, folded, sourceAt };
}

const unitAt = (text: string, at: number) => String.fromCodePoint(text.codePointAt(at) ?? 0);
// The second half of a surrogate pair begins one unit earlier.
const unitBefore = (text: string, at: number) =>
  unitAt(text, at - (isLowSurrogate(text.charCodeAt(at - 1)) ? 2 : 1));

/** Whether an entry may border on a place in the text. Scripts without word borders have none to keep. */
const isBorder = (inner: string, outer: string): boolean =>
  isUnspaced(inner) || !WORD_UNIT.test(inner) || !WORD_UNIT.test(outer);
const canStart = (text: string, at: number): boolean =>
  at === 0 || isBorder(unitAt(text, at), unitBefore(text, at));
const canEnd = (text: string, at: number): boolean =>
  at >= text.length || isBorder(unitBefore(text, at), unitAt(text, at));

const compiled = new WeakMap<readonly Pronunciation[], FindReplacements>();

/**
 * Returns a finder for the dictionary's entries, the longest of each place. Of two entries that differ in case alone, the
 * case-sensitive one wins. A replacement is not searched again.
 *
 * Entries are looked up by their lengths, because an expression of thousands of words is too large to compile.
 */
export function compilePronunciations(entries: readonly Pronunciation[]): FindReplacements {
  const known = compiled.get(entries) ?? compile(entries);
  compiled.set(entries, known);
  return known;
}

function compile(entries: readonly Pronunciation[]): FindReplacements {
  const exact = new Map<string, Pronunciation>();
  const folded = new Map<string, Pronunciation>();
  /** Of the words that begin with a unit in lower case. */
  const lengthSets = new Map<string, Set<number>>();
  for (const entry of entries) {
    const word = toComparable(entry.word.trim());
    if (word.exact === '') continue;
    if (entry.caseSensitive) exact.set(word.exact, entry);
    else folded.set(word.folded, entry);
    const first = word.folded.charAt(0);
    lengthSets.set(first, (lengthSets.get(first) ?? new Set()).add(word.exact.length));
  }
  const longestFirst = new Map(
    [...lengthSets].map(([first, set]) => [first, [...set].sort((a, b) => b - a)]),
  );
  return (text) => {
    if (longestFirst.size === 0) return [];
    const comparable = toComparable(text);
    const { sourceAt } = comparable;
    const found: Replacement[] = [];
    for (let start = 0; start < comparable.exact.length; start += 1) {
      const lengths = longestFirst.get(comparable.folded.charAt(start));
      if (!lengths || !canStart(comparable.exact, start)) continue;
      for (const length of lengths) {
        const end = start + length;
        const entry =
          exact.get(comparable.exact.slice(start, end)) ?? folded.get(comparable.folded.slice(start, end));
        if (entry === undefined || end > comparable.exact.length) continue;
        if (!canEnd(comparable.exact, end)) continue;
        const word = { start: sourceAt[start] ?? 0, end: sourceAt[end] ?? text.length, entry };
        if (word.end - word.start > MAX_MATCH_UNITS) continue;
        found.push(word);
        break;
      }
    }
    return found;
  };
}
