/** A step from the expected words to the heard ones, with their indexes. */
export interface AlignedWord {
  kind: 'same' | 'wrong' | 'missing' | 'added';
  /** The expected word; of an added one the word that it precedes. */
  expected: number;
  /** The heard word; of a missing one the word that it would precede. */
  heard: number;
}

/** Words of one side that are compared at most, because the table of both has a cell for each pair. */
export const MAX_COMPARED_WORDS = 2000;

/** A wrong word costs a little more, so that of two ways with as few steps the one with more same words is taken. */
const STEP = 2 * MAX_COMPARED_WORDS;
const WRONG = STEP + 1;

/**
 * Returns the fewest steps that turn one list of words into another (Levenshtein).
 * @throws RangeError above {@link MAX_COMPARED_WORDS}
 */
export function alignWords(expected: readonly string[], heard: readonly string[]): AlignedWord[] {
  if (Math.max(expected.length, heard.length) > MAX_COMPARED_WORDS)
    throw new RangeError(`More than ${MAX_COMPARED_WORDS} words cannot be compared.`);
  const width = heard.length + 1;
  /** Costs from the first words of one side to the first words of the other. */
  const costs = new Uint32Array((expected.length + 1) * width);
  const at = (row: number, column: number): number =>
    row < 0 || column < 0 ? Number.POSITIVE_INFINITY : (costs[row * width + column] ?? 0);
  const isSame = (row: number, column: number): boolean => expected[row - 1] === heard[column - 1];
  const paired = (row: number, column: number): number =>
    at(row - 1, column - 1) + (isSame(row, column) ? 0 : WRONG);
  for (let row = 0; row <= expected.length; row += 1) {
    for (let column = row === 0 ? 1 : 0; column <= heard.length; column += 1) {
      const apart = Math.min(at(row - 1, column), at(row, column - 1)) + STEP;
      costs[row * width + column] = Math.min(apart, paired(row, column));
    }
  }
  const aligned: AlignedWord[] = [];
  let [row, column] = [expected.length, heard.length];
  while (row > 0 || column > 0) {
    const here = at(row, column);
    let kind: AlignedWord['kind'] = here === at(row - 1, column) + STEP ? 'missing' : 'added';
    if (here === paired(row, column)) kind = isSame(row, column) ? 'same' : 'wrong';
    if (kind !== 'added') row -= 1;
    if (kind !== 'missing') column -= 1;
    aligned.push({ kind, expected: row, heard: column });
  }
  return aligned.reverse();
}

/** Returns wrong, missing and added words for each hundred expected ones; null where no word is expected. */
export function wordErrorRate(aligned: readonly AlignedWord[]): number | null {
  const added = aligned.filter(({ kind }) => kind === 'added').length;
  const same = aligned.filter(({ kind }) => kind === 'same').length;
  const expected = aligned.length - added;
  return expected === 0 ? null : (100 * (aligned.length - same)) / expected;
}
