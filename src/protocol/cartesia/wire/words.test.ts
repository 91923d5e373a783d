import { expect, it } from 'vitest';
import { sendableText } from './words.ts';

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
