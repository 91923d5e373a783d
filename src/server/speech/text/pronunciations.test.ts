import { expect, it } from 'vitest';
import type { Pronunciation } from '../engine.ts';
import { compilePronunciations } from './pronunciations.ts';

const TEXT = 'a '.repeat(500);

/** Returns the shortest time of a search. The words have so many lengths, and the text has none of them. */
function searchMs(lengths: number): number {
  const entries = Array.from({ length: lengths }, (_, at): Pronunciation => {
    return {
      word: `a${'x'.repeat(at)}`.replace(/^a$/, 'ay'),
      replacement: 'r',
      ipa: null,
      caseSensitive: true,
    };
  });
  const find = compilePronunciations(entries);
  const times = Array.from({ length: 20 }, () => {
    const startMs = performance.now();
    expect(find(TEXT)).toEqual([]);
    return performance.now() - startMs;
  });
  return Math.min(...times);
}

it('a dictionary of many lengths takes little longer to find nothing', () => {
  expect(searchMs(200)).toBeLessThan(50 * searchMs(1));
});
