import { expect, test } from 'vitest';
import { matchingGains, reductionText } from './loudness.ts';

test('the louder one is turned down to the quieter one, which stays as it is', () => {
  expect(matchingGains({ a: 0.2, b: 0.1 })).toEqual({ a: 0.5, b: 1 });
  expect(matchingGains({ a: 0.05, b: 0.1 })).toEqual({ a: 1, b: 0.5 });
  expect(matchingGains({ a: 0.1, b: 0.1 })).toEqual({ a: 1, b: 1 });
});

test('with one level unknown nothing is changed', () => {
  expect(matchingGains({ a: null, b: 0.1 })).toEqual({ a: 1, b: 1 });
});

test('what a gain takes away is told in dB', () => {
  expect(reductionText(0.5)).toBe('6.0 dB');
  expect(reductionText(1)).toBe('0.0 dB');
});
