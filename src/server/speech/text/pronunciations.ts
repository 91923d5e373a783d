import type { Pronunciation } from '../engine.ts';
import { isUnspaced, type WrittenWord } from './words.ts';

/** A word of the text with a replacement that is spoken instead. */
export interface Replacement extends WrittenWord {
  readonly replacement: string;
}

export type FindReplacements = (text: string) => readonly Replacement[];

const WORD_UNIT = '[\\p{L}\\p{N}\\p{M}_]';
const isWordUnit = new RegExp(WORD_UNIT, 'u');

/** Typographic quotes count as the plain ones that a dictionary is typed with; lengths stay as they are. */
const withPlainQuotes = (text: string): string =>
  text.replace(/[\u2018\u2019\u201b\u02bc]/g, "'").replace(/[\u201c\u201d\u201f]/g, '"');

/** Whole words only, except where the script writes no word borders. */
function pattern(word: string): string {
  const units = [...word];
  const first = units[0] ?? '';
  const last = units.at(-1) ?? '';
  const bordered = (unit: string) => isWordUnit.test(unit) && !isUnspaced(unit);
  const before = bordered(first) ? `(?<!${WORD_UNIT})` : '';
  const after = bordered(last) ? `(?!${WORD_UNIT})` : '';
  return before + word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replace(/\s+/g, '\\s+') + after;
}

const spaced = (word: string): string => word.replace(/\s+/g, ' ');

/**
 * Returns a finder for the dictionary's entries: leftmost first, then the longest. Of two entries that differ in case
 * alone, the case-sensitive one wins. A replacement is not searched again.
 */
export function compilePronunciations(entries: readonly Pronunciation[]): FindReplacements {
  const exact = new Map<string, string>();
  const folded = new Map<string, string>();
  for (const entry of entries) {
    const word = spaced(withPlainQuotes(entry.word.trim()));
    if (word === '') continue;
    if (entry.caseSensitive) exact.set(word, entry.replacement);
    else folded.set(word.toLowerCase(), entry.replacement);
  }
  const search = (words: Iterable<string>, flags: string) => {
    const sorted = [...words].sort((a, b) => b.length - a.length);
    return sorted.length === 0 ? undefined : new RegExp(sorted.map(pattern).join('|'), flags);
  };
  const finders = [
    { regexp: search(exact.keys(), 'gu'), lookUp: (hit: string) => exact.get(spaced(hit)) },
    { regexp: search(folded.keys(), 'giu'), lookUp: (hit: string) => folded.get(spaced(hit).toLowerCase()) },
  ];
  return (text) => {
    const plain = withPlainQuotes(text);
    const hits: (Replacement & { readonly rank: number })[] = [];
    finders.forEach(({ regexp, lookUp }, rank) => {
      if (regexp === undefined) return;
      for (const match of plain.matchAll(regexp)) {
        const replacement = lookUp(match[0]);
        if (replacement === undefined) continue;
        hits.push({ start: match.index, end: match.index + match[0].length, replacement, rank });
      }
    });
    hits.sort((a, b) => a.start - b.start || b.end - a.end || a.rank - b.rank);
    let free = 0;
    return hits.filter((hit) => {
      if (hit.start < free) return false;
      free = hit.end;
      return true;
    });
  };
}
