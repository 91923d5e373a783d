import { expect, test } from 'vitest';
import { matchingGains, preferredIn, reductionText, textsOf } from './rounds.ts';
import { answered } from './testing/answered.ts';

test('reads one text per line and skips empty lines', () => {
  expect(textsOf('  One. \n\n\tTwo.\r\n   ')).toEqual(['One.', 'Two.']);
});

test('a choice counts for the configuration behind the label', () => {
  expect(preferredIn(answered('c', 'a', 'x'))).toBe('c');
  expect(preferredIn(answered('c', 'a', 'y'))).toBe('a');
  expect(preferredIn(answered('c', 'a', 'none'))).toBeNull();
});

test.each([
  // The louder one is turned down to the quieter one, which keeps its gain.
  [0.2, 0.1, { x: 0.5, y: 1 }],
  [0.05, 0.1, { x: 1, y: 0.5 }],
  [0.1, 0.1, { x: 1, y: 1 }],
  [null, 0.1, { x: 1, y: 1 }],
])('matches the levels %d and %d', (x, y, gains) => {
  expect(matchingGains({ x: { level: x }, y: { level: y } })).toEqual(gains);
});

test('formats the reduction by a gain in dB', () => {
  expect(reductionText(0.5)).toBe('6.0 dB');
  expect(reductionText(1)).toBe('0.0 dB');
});
