import { describe, expect, it } from 'vitest';
import { chunkView } from '#session/testing/views.ts';
import { pageOfPart, pageOfWord, pagesOf, type TextPage } from './text-pages.ts';
import { partsOf } from './words.ts';

const textOf = (pages: readonly TextPage[]): string =>
  pages.flatMap(({ parts }) => parts.flatMap(({ segments }) => segments.map(({ text }) => text))).join('');

const layout = (text: string, chunks: string[] = []) =>
  partsOf({
    text,
    sampleRate: 24_000,
    chunks: chunks.map((own, id) => chunkView({ id, text: own, startSample: id })),
  });

describe('the pages of a text', () => {
  it('are one with the parts of the layout for a text of ordinary length', () => {
    const parts = layout('One two. Three four.', ['One two.']);
    expect(pagesOf(parts)).toEqual([{ parts, firstPart: 0, firstWord: 0, endWord: 4 }]);
    expect(pagesOf(parts)[0]?.parts[0]).toBe(parts[0]);
    expect(pagesOf([])).toEqual([]);
  });

  it.each([
    ['many words', 'a '.repeat(5000), []],
    ['long words', `${'x'.repeat(30_000)} end`, []],
    ['many chunks', 'a '.repeat(3000), Array.from({ length: 3000 }, () => 'a')],
    ['a gap as long as the text', ' '.repeat(50_000), []],
  ])('show every character of %s once, and none is large', (_, text, chunks) => {
    const parts = layout(text, chunks);
    const pages = pagesOf(parts);
    expect(textOf(pages)).toBe(text);
    expect(pages.length).toBeGreaterThan(1);
    for (const { parts: own } of pages) {
      expect(own.reduce((sum, { segments }) => sum + segments.length, 0)).toBeLessThanOrEqual(1200);
      expect(textOf([{ parts: own, firstPart: 0, firstWord: 0, endWord: 0 }]).length).toBeLessThanOrEqual(
        12_000,
      );
    }
  });

  it('contain the words and parts in order', () => {
    const parts = layout(
      'a '.repeat(3000),
      Array.from({ length: 3000 }, () => 'a'),
    );
    const pages = pagesOf(parts);
    for (const [at, { firstWord, endWord, firstPart }] of pages.entries()) {
      expect(pageOfWord(pages, firstWord)).toBe(at);
      expect(pageOfWord(pages, endWord - 1)).toBe(at);
      expect(pageOfPart(pages, firstPart)).toBe(at);
    }
    expect(pageOfWord(pages, 9999)).toBe(pages.length - 1);
  });
});
