import { describe, expect, it } from 'vitest';
import { scrollFor } from './scroll.ts';

const view = { top: 100, bottom: 500 };

describe('scrollFor', () => {
  it.each([
    ['leaves a word in the middle alone', { top: 250, bottom: 290 }, 0, null],
    ['scrolls up to a word near the lower edge', { top: 450, bottom: 490 }, 200, 430],
    ['scrolls down to a word above the view', { top: 40, bottom: 80 }, 200, 20],
    ['does not scroll past the beginning', { top: 90, bottom: 99 }, 0, 0],
  ])('%s', (_, word, scrollTop, expected) => {
    expect(scrollFor(word, view, scrollTop)).toBe(expected);
  });
});
