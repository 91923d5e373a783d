import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasWords, placeWord, withoutTags } from './text-words.ts';

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

/** The places of words in a text. */
function placed(text: string | null, words: readonly string[]): [number, number][] {
  let from = 0;
  return words.map((word) => {
    const { charStart, charEnd } = placeWord(text, word, from);
    from = charEnd;
    return [charStart, charEnd];
  });
}

it.each<[string, string | null, string[], [number, number][]]>([
  [
    'without separators',
    ' Hello,  world.',
    ['Hello,', 'world.'],
    [
      [1, 7],
      [9, 15],
    ],
  ],
  [
    'one character each',
    '你好。再见',
    ['你', '好', '再', '见'],
    [
      [0, 1],
      [1, 2],
      [3, 4],
      [4, 5],
    ],
  ],
  [
    'behind a tag',
    'a <break time="1s" /> then',
    ['a', 'then'],
    [
      [0, 1],
      [22, 26],
    ],
  ],
  [
    'that are not written so',
    'I have 20.',
    ['I', 'have', 'twenty'],
    [
      [0, 1],
      [2, 6],
      [6, 6],
    ],
  ],
  [
    'that are far away',
    `a ${'x'.repeat(80)} b`,
    ['a', 'b'],
    [
      [0, 1],
      [1, 1],
    ],
  ],
  [
    'of an unknown text',
    null,
    ['Hi', 'you'],
    [
      [0, 2],
      [3, 6],
    ],
  ],
])('places words: %s', (_, text, words, places) => {
  expect(placed(text, words)).toEqual(places);
});
