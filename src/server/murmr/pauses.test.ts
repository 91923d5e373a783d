import { expect, it } from 'vitest';
import { withPauses } from './pauses.ts';

it.each([
  ['One. Two.', 'One. Two.'],
  ['One.\nTwo.', 'One. <break time="250ms"/> Two.'],
  ['One. \r\n Two.', 'One. <break time="250ms"/> Two.'],
  ['One.\n\nTwo.', 'One. <break time="700ms"/> Two.'],
  ['One.\n \n\n Two.', 'One. <break time="700ms"/> Two.'],
  ['A\nB\n\nC', 'A <break time="250ms"/> B <break time="700ms"/> C'],
])('7 newlines as pauses, one short, two long: %j', (text, expected) => {
  expect(withPauses(text)).toBe(expected);
});
