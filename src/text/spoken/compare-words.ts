import { type AlignedWord, alignWords, MAX_COMPARED_WORDS, wordErrorRate } from './alignment.ts';
import { type ComparedWord, normaliseWords } from './normalise.ts';
import { numberWordsOf } from './numbers.ts';

/** The words of a text beside those that were heard. */
export interface WordComparison {
  /** In percent; null where the text has no words. */
  errorRate: number | null;
  expected: readonly ComparedWord[];
  heard: readonly ComparedWord[];
  aligned: readonly AlignedWord[];
}

/**
 * Compares two texts word by word. Resolves to null where one of them has too many words.
 * @param language a code or an English name; its numbers are spelled, where that is known
 */
export async function compareWords(
  text: string,
  heardText: string,
  language: string,
): Promise<WordComparison | null> {
  const numbers = await numberWordsOf(language);
  const expected = normaliseWords(text, numbers);
  const heard = normaliseWords(heardText, numbers);
  if (Math.max(expected.length, heard.length) > MAX_COMPARED_WORDS) return null;
  const aligned = alignWords(
    expected.map(({ word }) => word),
    heard.map(({ word }) => word),
  );
  return { errorRate: wordErrorRate(aligned), expected, heard, aligned };
}
