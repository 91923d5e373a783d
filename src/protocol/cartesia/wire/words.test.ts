import { expect, it } from 'vitest';
import { placeWord } from '../../core/text-words.ts';
import { sendableText } from './words.ts';

/** Where words are in a text. */
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

it.each<[string, boolean, string, string]>([
  ['Hi', true, 'Hi', ''],
  [' "', true, '', ' "'],
  [' "', false, ' "', ''],
  ['7', true, '7', ''],
  ['Hi <spell', false, 'Hi ', '<spell'],
  ['Hi <', false, 'Hi ', '<'],
  ['Hi <break time="1s"/>', false, 'Hi <break time="1s"/>', ''],
  ['Hi <spell>AB', false, 'Hi ', '<spell>AB'],
  ['Hi <spell>AB</sp', false, 'Hi ', '<spell>AB</sp'],
  ['Hi <spell>AB</spell>', false, 'Hi <spell>AB</spell>', ''],
  ['1 < 2', false, '1 < 2', ''],
])('splits %j (first: %s) into %j and %j', (text, isFirst, sent, held) => {
  expect(sendableText(text, isFirst)).toEqual({ sent, held });
});
