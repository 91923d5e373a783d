import { expect, it } from 'vitest';
import { layoutRestMs } from './use-parts.ts';

it.each([
  ['at once where it is cheap', 1, 0],
  ['a moment later where it takes a frame', 16, 160],
  ['rarely where it is slow', 80, 800],
])('lays a turn out again %s', (_, costMs, restMs) => {
  expect(layoutRestMs(costMs)).toBe(restMs);
});
