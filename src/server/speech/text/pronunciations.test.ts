import { expect, it, onTestFinished, vi } from 'vitest';
import type { Pronunciation } from '../engine.ts';
import { compilePronunciations } from './pronunciations.ts';

it('a dictionary of many lengths that begin alike compares few of them with a text of none', () => {
  const entries = Array.from({ length: 200 }, (_, at): Pronunciation => {
    return { word: `ay${'x'.repeat(at)}`, replacement: 'r', ipa: null, caseSensitive: true };
  });
  const find = compilePronunciations(entries);
  const slice = vi.spyOn(String.prototype, 'slice');
  onTestFinished(() => slice.mockRestore());
  const text = 'a '.repeat(500);
  expect(find(text)).toEqual([]);
  const compared = slice.mock.results.reduce((sum, { value }) => sum + String(value).length, 0);
  expect(compared).toBeLessThan(text.length);
});
