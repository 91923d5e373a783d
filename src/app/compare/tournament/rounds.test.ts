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
  [-14, -34, { x: 0.1, y: 1 }],
  [-40, -20, { x: 1, y: 0.1 }],
  [-20, -20, { x: 1, y: 1 }],
  [null, -20, { x: 1, y: 1 }],
])('matches %d and %d LUFS', (x, y, gains) => {
  const { x: gainX, y: gainY } = matchingGains({ x: { loudness: x }, y: { loudness: y } });
  expect(gainX).toBeCloseTo(gains.x);
  expect(gainY).toBeCloseTo(gains.y);
});

test('formats the reduction by a gain in dB', () => {
  expect(reductionText(0.5)).toBe('6.0 dB');
  expect(reductionText(1)).toBe('0.0 dB');
});
