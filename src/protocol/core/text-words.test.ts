import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasWords, withoutTags } from './text-words.ts';

describe('tags of a text', () => {
  it.each([
    ['a <break time="1s"/> b', 'a                    b', true],
    ['[laughs]', '        ', false],
    ['<b>12</b>', '   12    ', true],
    ['<break/> [sighs] …', '         ' + '        ' + '…', false],
    ['2 < 3 [', '2 < 3 [', true],
    [`<${'x'.repeat(201)}>`, `<${'x'.repeat(201)}>`, true],
  ])('%j is spoken as %j', (text, spoken, isSpoken) => {
    expect(withoutTags(text)).toBe(spoken);
    expect(hasWords(text)).toBe(isSpoken);
  });

  it('leave every other character at its offset', () => {
    const part = fc.constantFrom('<', '>', '[', ']', 'a', ' ', '/', '😀');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        const spoken = withoutTags(text);
        expect(spoken).toHaveLength(text.length);
        for (const [at, unit] of [...spoken.split('').entries()])
          if (unit !== ' ') expect(unit).toBe(text[at]);
      }),
    );
  });
});
