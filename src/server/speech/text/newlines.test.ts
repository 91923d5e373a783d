import { expect, it } from 'vitest';
import { parseNewlines } from './markup.ts';

/** A short form: text as it is, and pauses as numbers. */
const parsed = (text: string): (string | number)[] =>
  parseNewlines(text).map((segment) =>
    segment.kind === 'break' ? segment.durationMs : text.slice(segment.start, segment.end),
  );

it.each([
  ['', []],
  ['One.  Two.', ['One.  Two.']],
  ['One.\nTwo.', ['One.', 250, 'Two.']],
  ['One. \r\n Two.', ['One.', 250, 'Two.']],
  ['One.\n\nTwo.', ['One.', 700, 'Two.']],
  ['One.\n \n\n Two.', ['One.', 700, 'Two.']],
  ['A\nB\n\nC', ['A', 250, 'B', 700, 'C']],
  ['A\n', ['A', 250]],
  ['a <break time="3s"/> <b>', ['a <break time="3s"/> <b>']],
])('facts 7: one newline is a short pause, more are a long one, all else is text: %j', (text, expected) => {
  expect(parsed(text)).toEqual(expected);
});
