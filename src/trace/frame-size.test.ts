import { expect, it } from 'vitest';
import { byteLength } from './frame-size.ts';

it('byteLength counts bytes, not characters, of text of any length', () => {
  const long = 'é'.repeat(100_000);
  expect(['abc', 'é', '😀', long, new Uint8Array(5)].map(byteLength)).toEqual([3, 2, 4, 200_000, 5]);
});
