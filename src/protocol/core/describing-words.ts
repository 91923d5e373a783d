import type { DescribingWords } from './settings.ts';

/** The first of a trait's words in a description, because the first mention counts; null without one. */
export function wordIn(description: string, { words }: DescribingWords): string | null {
  const found = words.map((word) => ({ word, at: description.search(patternOf(word)) }));
  const present = found.filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at);
  return present[0]?.word ?? null;
}

/**
 * Replaces the trait's words with this word, or removes it where the description already has it. The word goes to the
 * front, because the first mention of a trait counts.
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

/** Matches the whole word in any case, without a negation before it, which is looked for once the word is found. */
const patternOf = (word: string, flags = 'iu'): RegExp => {
  const literal = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `(?<![\\p{L}\\p{N}-])${literal}(?![\\p{L}\\p{N}-])(?<!\\b(?:not|never|no)\\s+(?:too\\s+|very\\s+|so\\s+)?${literal})`,
    flags,
  );
};

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Lower-cases a leading article or other small word. A name keeps its capital. */
const uncapitalised = (text: string): string =>
  /^(?:An?|The|With|In|Very|Rather|Quite)\b/.test(text) || /^[A-Z][a-z-]*,/.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;

/** Removes the commas, blanks and dangling `and` around removed words. */
const tidied = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\band\s*(?=[,.;]|$)/gi, '')
    .replaceAll(/(?<=^|[,;])\s*and\b/gi, '')
    .replaceAll(/(?<!\s)\s*,(?:\s*,)+/g, ',')
    .replaceAll(/(?<!\s)\s+([,.;])/g, '$1')
    .replaceAll(/\b(an?|the),/gi, '$1')
    .replaceAll(/\s{2,}/g, ' ')
    .replace(/^[\s,;]+/, '')
    .replace(/(?<![\s,;])[\s,;]+$/, '');
