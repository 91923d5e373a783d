import { spellingOf } from '#lib/text/spoken-form.ts';
import { type ComparedWord, normaliseWords } from './normalise.ts';

/** A word that was not heard as it is written. */
export interface WordDifference {
  kind: 'wrong' | 'missing' | 'added';
  /** As compared; empty for an added word. */
  expected: string;
  /** As compared; empty for a missing word. */
  heard: string;
  /** Characters of the text before the expected word; of an added one before the word that it precedes, infinite at the end. */
  offset: number;
}

export interface WordComparison {
  /** Differences for each hundred words of the text; null for a text without words. */
  errorRate: number | null;
  differences: readonly WordDifference[];
}

/** Words of one side that are compared at most, because the table of both has a cell for each pair. */
export const MAX_COMPARED_WORDS = 2000;

/** A wrong word costs a little more, so that of two ways with as few steps the one with more same words is taken. */
const STEP = 2 * MAX_COMPARED_WORDS;
const WRONG = STEP + 1;

/**
 * Compares two texts word by word. Resolves to null where one of them has too many words.
 * @param language a code or an English name; its numbers are spelled, where that is known
 */
export async function compareWords(
  text: string,
  heardText: string,
  language: string,
): Promise<WordComparison | null> {
  const spelling = await spellingOf(language);
  const expected = normaliseWords(text, spelling);
  const heard = normaliseWords(heardText, spelling);
  if (Math.max(expected.length, heard.length) > MAX_COMPARED_WORDS) return null;
  const differences = differencesOf(expected, heard);
  return {
    differences,
    errorRate: expected.length === 0 ? null : (100 * differences.length) / expected.length,
  };
}

/** Returns the fewest steps that turn one list of words into the other (Levenshtein). */
function differencesOf(expected: readonly ComparedWord[], heard: readonly ComparedWord[]): WordDifference[] {
  const width = heard.length + 1;
  /** Costs from the first words of one side to the first words of the other. */
  const costs = new Uint32Array((expected.length + 1) * width);
  const at = (row: number, column: number): number =>
    row < 0 || column < 0 ? Number.POSITIVE_INFINITY : (costs[row * width + column] ?? 0);
  const isSame = (row: number, column: number): boolean =>
    expected[row - 1]?.word === heard[column - 1]?.word;
  const paired = (row: number, column: number): number =>
    at(row - 1, column - 1) + (isSame(row, column) ? 0 : WRONG);
  for (let row = 0; row <= expected.length; row += 1) {
    for (let column = row === 0 ? 1 : 0; column <= heard.length; column += 1) {
      const apart = Math.min(at(row - 1, column), at(row, column - 1)) + STEP;
      costs[row * width + column] = Math.min(apart, paired(row, column));
    }
  }
  const differences: WordDifference[] = [];
  let [row, column] = [expected.length, heard.length];
  while (row > 0 || column > 0) {
    const here = at(row, column);
    // Backwards, so that added words follow a wrong one where they could as well precede it.
    const kind =
      here === at(row, column - 1) + STEP
        ? 'added'
        : here === at(row - 1, column) + STEP
          ? 'missing'
          : 'wrong';
    const isAsWritten = kind === 'wrong' && isSame(row, column);
    if (kind !== 'added') row -= 1;
    if (kind !== 'missing') column -= 1;
    if (isAsWritten) continue;
    const { word = '', offset = Number.POSITIVE_INFINITY } = expected[row] ?? {};
    differences.push({
      kind,
      expected: kind === 'added' ? '' : word,
      heard: kind === 'missing' ? '' : (heard[column]?.word ?? ''),
      offset,
    });
  }
  return differences.reverse();
}
