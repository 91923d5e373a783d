import { expect, test } from 'vitest';
import { preferredIn, textsOf } from './rounds.ts';
import { answered } from './testing/answered.ts';

test('reads one text per line and skips empty and repeated lines', () => {
  expect(textsOf('  One. \n\n\tTwo.\r\n   \nOne.')).toEqual(['One.', 'Two.']);
});

test('a choice counts for the configuration behind the label', () => {
  expect(preferredIn(answered('c', 'a', 'x'))).toBe('c');
  expect(preferredIn(answered('c', 'a', 'y'))).toBe('a');
  expect(preferredIn(answered('c', 'a', 'none'))).toBeNull();
});
