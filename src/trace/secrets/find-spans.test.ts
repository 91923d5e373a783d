import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addSpans } from './find-spans.ts';
import type { Span } from './spans.ts';

const spansOf = (text: string, pattern: string): Span[] => {
  const spans: Span[] = [];
  addSpans(spans, text, pattern);
  return spans;
};

/** Places that do not overlap, one character after the other. */
function naiveSpans(text: string, pattern: string): Span[] {
  const spans: Span[] = [];
  for (let at = 0; at + pattern.length <= text.length; at += 1) {
    if (!text.startsWith(pattern, at)) continue;
    spans.push([at, at + pattern.length]);
    at += pattern.length - 1;
  }
  return spans;
}

it('finds short and long patterns where they are, also those that repeat themselves', () => {
  const unit = fc.constantFrom('a', 'b', 'ab');
  const words = fc.array(unit, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(words, fc.constantFrom(1, 50, 200), words, fc.nat(8), (word, times, other, more) => {
      const pattern = word.repeat(times);
      const text = `${other}${pattern}${word.repeat(more)}${pattern.slice(1)}${other}${pattern}`;
      expect(spansOf(text, pattern)).toEqual(naiveSpans(text, pattern));
    }),
  );
});

it('reads a megabyte of one letter for a long pattern that almost is the same', () => {
  const text = 'a'.repeat(1 << 20);
  expect(spansOf(text, `b${'a'.repeat(8000)}`)).toEqual([]);
  expect(spansOf(text, `${'a'.repeat(8000)}b`)).toEqual([]);
  expect(spansOf(`${text}b`, `${'a'.repeat(8000)}b`)).toEqual([[text.length - 8000, text.length + 1]]);
});
