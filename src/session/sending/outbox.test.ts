import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from './outbox.ts';

describe('splitText', () => {
  const cases: [string, string, number, string[]][] = [
    ['what fits stays whole', 'abc', 3, ['abc']],
    ['after white space', 'one two three', 9, ['one two ', 'three']],
    ['between characters where there is none', 'abcdefgh', 4, ['abcd', 'efgh']],
    ['never inside a surrogate pair', 'abc😀', 4, ['abc', '😀']],
    ['nothing', '', 4, []],
  ];
  it.each(cases)('%s', (_, text, max, parts) => {
    expect(splitText(text, max)).toEqual(parts);
  });

  it('keeps every character and the limit', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.integer({ min: 2, max: 40 }),
        (text, max) => {
          const parts = splitText(text, max);
          expect(parts.join('')).toBe(text);
          for (const part of parts) {
            expect(part.length).toBeLessThanOrEqual(max);
            expect(/\p{Surrogate}/u.test(part)).toBe(false);
          }
        },
      ),
    );
  });
});
