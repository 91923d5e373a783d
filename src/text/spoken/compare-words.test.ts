import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareWords, MAX_COMPARED_WORDS, type WordComparison } from './compare-words.ts';

const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 7 });

async function compared(text: string, heard: string): Promise<WordComparison> {
  const comparison = await compareWords(text, heard, 'en');
  if (!comparison) throw new Error('too many words');
  return comparison;
}

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

describe('the differences of two texts', () => {
  it('are as few as their definition allows', async () => {
    await fc.assert(
      fc.asyncProperty(words, words, async (expected, heard) => {
        const { differences, errorRate } = await compared(expected.join(' '), heard.join(' '));
        expect(differences).toHaveLength(naiveDistance(expected, heard));
        expect(errorRate).toBe(expected.length === 0 ? null : (100 * differences.length) / expected.length);
      }),
    );
  });

  it('turn the text into what was heard', async () => {
    await fc.assert(
      fc.asyncProperty(words, words, async (expected, heard) => {
        const { differences } = await compared(expected.join(' '), heard.join(' '));
        const result: string[] = [...expected];
        for (const { kind, heard: said, offset, expected: written } of differences.toReversed()) {
          // Each word is one letter.
          const place = Math.min(offset / 2, expected.length);
          if (kind !== 'added') expect(result[place]).toBe(written);
          result.splice(place, kind === 'added' ? 0 : 1, ...(kind === 'missing' ? [] : [said]));
        }
        expect(result).toEqual(heard);
      }),
    );
  });

  it.each([
    ['a b c', 'a c', 'missing b  2'],
    ['a c', 'a b c', 'added  b 2'],
    ['a b c', 'a x c', 'wrong b x 2'],
    ['a b', 'b c', 'missing a  0, added  c Infinity'],
    ['a', 'x y', 'wrong a x 0, added  y Infinity'],
    [
      'One, two and (three) four.',
      'one too and four five',
      'wrong two too 5, missing three  14, added  five Infinity',
    ],
    ['22 cats', 'twenty cats', 'missing two  0'],
    ['Twenty-two cats!', '22 cats', ''],
  ])('of “%s” and “%s” keep their places', async (text, heard, found) => {
    const { differences } = await compared(text, heard);
    const steps = differences.map(
      ({ kind, expected, heard, offset }) => `${kind} ${expected} ${heard} ${offset}`,
    );
    expect(steps.join(', ')).toBe(found);
  });

  it('are unknown for more words than their table holds', async () => {
    const long = 'a '.repeat(MAX_COMPARED_WORDS + 1);
    expect(await compareWords(long, '', 'en')).toBeNull();
    expect(await compareWords('', long, 'en')).toBeNull();
  });
});

describe('the word error rate', () => {
  it.each([
    ['the same', 'a b', 'a b', 0],
    ['one of four missing', 'a b c d', 'a b d', 25],
    ['more added than expected', 'a', 'a b c', 200],
    ['nothing heard', 'a b', '', 100],
    ['nothing expected', '', 'a', null],
  ])('of %s', async (_, text, heard, rate) => {
    expect((await compared(text, heard)).errorRate).toBe(rate);
  });
});
