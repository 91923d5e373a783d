import type { DescribingWords } from '../../protocol/settings.ts';

/** Which of a trait's words a description holds; null: none. */
export const wordIn = (description: string, { words }: DescribingWords): string | null =>
  words.find((word) => patternOf(word).test(description)) ?? null;

/**
 * The description with that word, in place of the trait's other one; without it where it has it already. What else stands
 * there stays as it is written.
 */
export function toggleWord(description: string, trait: DescribingWords, word: string): string {
  const present = wordIn(description, trait);
  if (present === null) return appended(description, word);
  const pattern = patternOf(present);
  if (present !== word) return description.replace(pattern, (found) => matchCase(found, word));
  return tidied(description.replace(pattern, ''));
}

/** The whole word, in whatever case; not as a part of another one. */
const patternOf = (word: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}-])${word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}-])`,
    'iu',
  );

function appended(description: string, word: string): string {
  const rest = description.trimEnd().replace(/[,.;]+$/u, '');
  return rest === '' ? capitalised(word) : `${rest}, ${word}`;
}

const matchCase = (found: string, word: string): string =>
  found.charAt(0) === found.charAt(0).toLowerCase() ? word : capitalised(word);

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Without the commas and blanks that stood about a word that is gone. */
const tidied = (text: string): string =>
  text
    .replaceAll(/\s*,(?:\s*,)+/g, ',')
    .replaceAll(/\s+([,.;])/g, '$1')
    .replaceAll(/\s{2,}/g, ' ')
    .replace(/^[\s,;]+/, '')
    .replace(/[\s,;]+$/, '');
