import { expect, it } from 'vitest';
import { decodedText } from './decoded-text.ts';

it.each([
  ['bytes, one character each', 'a%C3%bc', 'aÃ¼'],
  ['bytes with other signs', 'a%e2\\x82\\\\xac', 'aâ\u0082¬'],
  ['codes of JSON', '\\u00fc\\\\u20ac', 'ü€'],
  ['letters behind backslashes', '\\/\\"\\Bearer', '/"Bearer'],
  ['no escape that is cut off', '%2\\u00', '%2u00'],
  ['line breaks', 'a\r\n\nb\\r\\n\\\\nc%0ad', 'abcd'],
  ['layers', '%255cu0025%34%2531', 'A'],
])('decodes %s', (_, text, decoded) => {
  expect(decodedText(text)?.text ?? text).toBe(decoded);
});

it.each(['', 'ü&b', '100%', '%zz'])('finds nothing in %j', (text) => {
  expect(decodedText(text)).toBeNull();
});

it('knows where each character was', () => {
  const text = `${'long '.repeat(20)}%25fc\\n"${'x'.repeat(100)}`;
  const decoded = decodedText(text);
  const at = decoded?.text.indexOf('ü"') ?? -1;
  const [start, end] = decoded?.originalOf([at, at + 2]) ?? [];
  expect(text.slice(start, end)).toBe('%25fc\\n"');
});

it.each(['%2525 ', '%25252525c3%25252525bc', '\\xc3\\xbc', '%c3\\\\ '])(
  'decodes 1 MB of %s as it decodes one',
  (part) => {
    const times = Math.floor(1_000_000 / part.length);
    const one = decodedText(part)?.text ?? '';
    expect(one).not.toBe('');
    expect(decodedText(part.repeat(times))?.text === one.repeat(times)).toBe(true);
  },
);
