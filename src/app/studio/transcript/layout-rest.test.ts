import { expect, it } from 'vitest';
import { layoutRestMs } from './layout-rest.ts';

it.each([
  ['at once where it is cheap', 1, 100_000, 900, 0],
  ['a moment later where it takes a frame', 16, 100_000, 1, 160],
  ['rarely where it is slow', 80, 100, 900, 800],
  ['at once where its length is ordinary, however long the first layout takes', 80, 300, 3, 0],
])('lays a turn out again %s', (_, costMs, chars, chunks, restMs) => {
  expect(layoutRestMs(costMs, chars, chunks)).toBe(restMs);
});
