import { expect, it } from 'vitest';
import { gap, percent, sinceStart } from './figures.ts';

it.each([
  [0, '0.000 s'],
  [42_533_000, '42.533 s'],
  [599_999_000, '599.999 s'],
  [600_000_000, '10:00.000'],
  [725_033_400, '12:05.033'],
  [3_725_033_000, '1:02:05.033'],
  [719_999_700, '12:00.000'],
])('%d µs since the start is %s', (us, text) => {
  expect(sinceStart(us)).toBe(text);
});

it.each([
  [null, ''],
  [0, '+0 µs'],
  [84, '+84 µs'],
  [1240, '+1.2 ms'],
  [9949, '+9.9 ms'],
  [9950, '+10 ms'],
  [32_400, '+32 ms'],
  [9_999_000, '+9999 ms'],
  [12_400_000, '+12.4 s'],
  [1_200_000_000, '+20 min'],
])('a gap of %s µs is %s', (us, text) => {
  expect(gap(us)).toBe(text);
});

it.each([
  [0, 10, 0],
  [999, 1000, 99],
  [1000, 1000, 100],
  [0, 0, 100],
])('%d of %d are %d %%', (done, of, text) => {
  expect(percent(done, of)).toBe(text);
});
