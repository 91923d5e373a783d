import type { DescribingWords } from './settings.ts';

/** Which of a trait's words a description holds; the earliest one, since the first mention counts. Null: none. */
export function wordIn(description: string, { words }: DescribingWords): string | null {
  const found = words.map((word) => ({ word, at: description.search(patternOf(word)) }));
  const present = found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
  return present[0]?.word ?? null;
}

/**
 * The description with that word in place of the trait's other ones, or without it where it has it already. The word goes
 * to the front: whatever else a description says of a trait, its first mention counts.
 */
export function toggleWord(description: string, trait: DescribingWords, word: string): string {
  const has = wordIn(description, trait) === word;
  const without = trait.words.reduce(
    (text, other) => text.replaceAll(patternOf(other, 'giu'), ''),
    description,
  );
  const rest = without === description ? description.trim() : tidied(without);
  if (has) return capitalised(rest);
  return rest === '' ? capitalised(word) : `${capitalised(word)}, ${uncapitalised(rest)}`;
}

/** The whole word, in whatever case; not as a part of another one, and not where it is denied. */
const patternOf = (word: string, flags = 'iu'): RegExp =>
  new RegExp(
    `(?<!\\b(?:not|never|no)\\s+(?:too\\s+|very\\s+|so\\s+)?)(?<![\\p{L}\\p{N}-])${word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}-])`,
    flags,
  );

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** An article or another small word that stood at the front; a name keeps its capital. */
const uncapitalised = (text: string): string =>
  /^(?:An?|The|With|In|Very|Rather|Quite)\b/.test(text) || /^[A-Z][a-z-]*,/.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;

/** Without what stood about words that are gone: commas, blanks, an `and` with nothing on one side of it. */
const tidied = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\band\s*(?=[,.;]|$)/gi, '')
    .replaceAll(/(?<=^|[,;])\s*and\b/gi, '')
    .replaceAll(/\s*,(?:\s*,)+/g, ',')
    .replaceAll(/\s+([,.;])/g, '$1')
    .replaceAll(/\b(an?|the),/gi, '$1')
    .replaceAll(/\s{2,}/g, ' ')
    .replace(/^[\s,;]+/, '')
    .replace(/[\s,;]+$/, '');
