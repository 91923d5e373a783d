import fc from 'fast-check';
import { expect, it } from 'vitest';
import { overlapOf } from './beginnings.ts';

it('finds the longest end of a text with which another begins', () => {
  const text = fc.string({ unit: fc.constantFrom(...'abc'), maxLength: 12 });
  fc.assert(
    fc.property(text, text, (before, now) => {
      const longest = [...now, '']
        .map((_, at) => now.length - at)
        .find((n) => before.endsWith(now.slice(0, n)));
      expect(overlapOf(before, now)).toBe(longest);
    }),
  );
});
