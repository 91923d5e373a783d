import { expect, it } from 'vitest';
import { rowsInView } from './rows-in-view.ts';

it.each([
  ['all rows of a short list', 0, 240, 5, { first: 0, end: 5 }],
  ['no row of an empty list', 0, 240, 0, { first: 0, end: 0 }],
  ['the first rows and some below the view', 0, 240, 10_000, { first: 0, end: 32 }],
  ['some rows on both sides of the view', 24_000, 240, 10_000, { first: 984, end: 1032 }],
  ['the last rows where the view is below the list', 300_000, 240, 10_000, { first: 9992, end: 10_000 }],
  ['the first rows where the view is above the list', -3000, 240, 10_000, { first: 0, end: 8 }],
])('renders %s', (_, topPx, viewPx, count, range) => {
  expect(rowsInView(topPx, viewPx, 24, count)).toEqual(range);
});
