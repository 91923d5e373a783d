import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignWords, MAX_COMPARED_WORDS, wordErrorRate } from './alignment.ts';

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 7 });

/** The distance by its definition. */
function naiveDistance(expected: readonly string[], heard: readonly string[]): number {
  const [first, ...others] = expected;
  const [heardFirst, ...heardOthers] = heard;
  if (first === undefined || heardFirst === undefined) return expected.length + heard.length;
  return first === heardFirst
    ? naiveDistance(others, heardOthers)
    : 1 +
        Math.min(
          naiveDistance(others, heardOthers),
          naiveDistance(others, heard),
          naiveDistance(expected, heardOthers),
        );
}

const steps = (expected: string, heard: string): string =>
  alignWords(expected.split(' '), heard.split(' '))
    .map(({ kind, expected, heard }) => `${kind} ${expected} ${heard}`)
    .join(', ');

describe('the alignment of two lists of words', () => {
  it('has as few steps as its definition allows', () => {
    fc.assert(
      fc.property(words, words, (expected, heard) => {
        const errors = alignWords(expected, heard).filter(({ kind }) => kind !== 'same');
        expect(errors).toHaveLength(naiveDistance(expected, heard));
      }),
    );
  });

  it('passes each word of both sides once, in order', () => {
    fc.assert(
      fc.property(words, words, (expected, heard) => {
        const aligned = alignWords(expected, heard);
        const ofExpected = aligned.filter(({ kind }) => kind !== 'added');
        const ofHeard = aligned.filter(({ kind }) => kind !== 'missing');
        expect(ofExpected.map((word) => word.expected)).toEqual([...expected.keys()]);
        expect(ofHeard.map((word) => word.heard)).toEqual([...heard.keys()]);
        for (const word of aligned)
          if (word.kind === 'same') expect(expected[word.expected]).toBe(heard[word.heard]);
      }),
    );
  });

  it.each([
    ['a b c', 'a c', 'same 0 0, missing 1 1, same 2 1'],
    ['a c', 'a b c', 'same 0 0, added 1 1, same 1 2'],
    ['a b c', 'a x c', 'same 0 0, wrong 1 1, same 2 2'],
    ['a b', 'b c', 'missing 0 0, same 1 0, added 2 1'],
  ])('keeps the places of “%s” and “%s”', (expected, heard, aligned) => {
    expect(steps(expected, heard)).toBe(aligned);
  });

  it('refuses more words than its table holds', () => {
    const long = Array.from({ length: MAX_COMPARED_WORDS + 1 }, () => 'a');
    expect(() => alignWords(long, [])).toThrow(RangeError);
  });
});

describe('the word error rate', () => {
  it.each([
    ['the same', ['a', 'b'], ['a', 'b'], 0],
    ['one of four missing', ['a', 'b', 'c', 'd'], ['a', 'b', 'd'], 25],
    ['more added than expected', ['a'], ['a', 'b', 'c'], 200],
    ['nothing heard', ['a', 'b'], [], 100],
    ['nothing expected', [], ['a'], null],
  ])('of %s', (_, expected, heard, rate) => {
    expect(wordErrorRate(alignWords(expected, heard))).toBe(rate);
  });
});
