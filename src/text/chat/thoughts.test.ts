import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutThoughts } from './thoughts.ts';

const spoken = (tokens: readonly string[]): string => tokens.map(withoutThoughts()).join('');

it.each([
  ['plain text', ['One ', 'two.'], 'One two.'],
  ['thoughts in one token each', ['<think>', 'Hm.', '</think>', '\n\n', 'Two.'], '\n\nTwo.'],
  ['thoughts in one token', ['\n<think>Hm.</think>\nTwo.'], 'Two.'],
  ['text that only begins like a mark', ['<', 'b>', ' bold'], '<b> bold'],
  ['a mark that is not at the beginning', ['See <think>'], 'See <think>'],
  ['thoughts without an end', ['<think>', 'Hm.'], ''],
])('speaks of %s', (_, tokens, expected) => {
  expect(spoken(tokens)).toBe(expected);
});

it('removes thoughts wherever the tokens are cut', () => {
  const answer = '<think>One < two?</think>Yes.';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: answer.length })), (cuts) => {
      const ends = [...new Set([...cuts, answer.length])].sort((a, b) => a - b);
      const tokens = ends.map((end, at) => answer.slice(ends[at - 1] ?? 0, end));
      expect(spoken(tokens)).toBe('Yes.');
    }),
  );
});
