import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtLastSpace, textCount } from './text-rules.ts';

describe('textCount', () => {
  it.each([
    ['', 'plain', '0 of 10', false],
    ['12345', 'plain', '5 of 10', false],
    ['123456789', 'near', '9 of 10', false],
    ['1234567890', 'near', '10 of 10', false],
    ['12345678901', 'over', '11 of 10', true],
    ['🎈🎈', 'plain', '2 of 10', false],
  ])('%j is %s', (text, tone, words, hasProblem) => {
    const counted = textCount(text, 10);
    expect([counted.tone, counted.words, counted.problem !== null]).toEqual([tone, words, hasProblem]);
  });

  it('names the excess of a text that is too long', () => {
    expect(textCount('x'.repeat(10_240), 10_000).problem).toContain('240 characters longer than the 10,000');
  });
});

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
