import { expect, test } from 'vitest';
import { modeIn, searchWith } from './mode-store.ts';

test.each([
  ['', 'studio'],
  ['?mode=compare', 'compare'],
  ['?mode=voices', 'voices'],
  ['?endpoint=murmr&mode=benchmark', 'benchmark'],
  ['?mode=nonsense', 'studio'],
  ['?mode=', 'studio'],
] as const)('the address “%s” selects the %s', (search, mode) => {
  expect(modeIn(search)).toBe(mode);
});

test.each([
  ['', 'compare', '?mode=compare'],
  ['?mode=compare', 'studio', ''],
  ['?endpoint=murmr', 'benchmark', '?endpoint=murmr&mode=benchmark'],
  ['?endpoint=murmr&mode=benchmark', 'studio', '?endpoint=murmr'],
  ['?mode=benchmark&endpoint=murmr', 'compare', '?mode=compare&endpoint=murmr'],
] as const)('from “%s” to the %s leads “%s”, and nothing else of the address is lost', (from, mode, to) => {
  expect(searchWith(from, mode)).toBe(to);
  expect(modeIn(to)).toBe(mode);
});
