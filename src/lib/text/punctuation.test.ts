import { describe, expect, it } from 'vitest';
import { CLAUSE_MARKS, SENTENCE_MARKS, WIDE_CLAUSE_MARKS, WIDE_SENTENCE_MARKS } from './punctuation.ts';

const SENTENCE = new RegExp(`^[${SENTENCE_MARKS}]$`, 'u');
const CLAUSE = new RegExp(`^[${CLAUSE_MARKS}]$`, 'u');

describe('marks of all scripts', () => {
  it.each([...'.!?…।॥؟۔։፧᙮᠃꓿𑅁𑂾‼⁇', ...WIDE_SENTENCE_MARKS])('%s ends a sentence and no clause', (mark) => {
    expect([SENTENCE.test(mark), CLAUSE.test(mark)]).toEqual([true, false]);
  });

  it.each([...',;:،؛՝៖﹐', ...WIDE_CLAUSE_MARKS])('%s ends a clause and no sentence', (mark) => {
    expect([SENTENCE.test(mark), CLAUSE.test(mark)]).toEqual([false, true]);
  });

  it.each([...'a"\'-()“”«»&¿¡·ா　 '])('%j ends neither', (character) => {
    expect([SENTENCE.test(character), CLAUSE.test(character)]).toEqual([false, false]);
  });
});
