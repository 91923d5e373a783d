import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtLastSpace } from './live-typing.ts';

describe('cutAtLastSpace', () => {
  it.each([
    ['a word in the making stays', 'Hel', '', 'Hel'],
    ['a finished word goes with its space', 'Hello ', 'Hello ', ''],
    ['pasted text goes up to its last word', 'Hello dear wor', 'Hello dear ', 'wor'],
    ['a line end finishes a word', 'Hello\n', 'Hello\n', ''],
    ['white space alone waits', '  ', '', '  '],
    ['white space goes in front of the next word', ' Hello ', ' Hello ', ''],
  ])('%s', (_, text, send, keep) => {
    expect(cutAtLastSpace(text)).toEqual({ send, keep });
  });

  it('loses and adds nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'é', '🎈') }), (text) => {
        const { send, keep } = cutAtLastSpace(text);
        expect(send + keep).toBe(text);
        expect(send === '' || /\s$/u.test(send)).toBe(true);
      }),
    );
  });
});
