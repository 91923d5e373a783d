import { expect, it } from 'vitest';
import { decodedText } from './decoded-text.ts';

it.each([
  ['bytes of UTF-8', 'a%C3%bc', 'aü'],
  ['bytes with other signs', 'a%e2\\x82\\\\Xac', 'a€'],
  ['a byte of Latin-1', '%fc%', 'ü%'],
  ['a byte that continues nothing', '%C3%28', 'Ã('],
  ['codes of JSON', '\\u00fc\\\\U20ac', 'ü€'],
  ['codes in braces', '\\u{1f600}\\u{110000}', '😀'],
  ['codes of HTML', '&#252;&#xFC;&#x110000;', 'üü'],
  ['entities', '&amp;&LT;&quot;', '&<"'],
  ['letters', 'a\\tb\\nc', 'a\tbc'],
  ['no capital letters', '\\Bearer\\Token', 'BearerToken'],
  ['line breaks and backslashes', 'a\r\n\nb\\\\\\c\\', 'abc'],
  ['layers', '%5cu0026amp%3b#37;41', 'A'],
])('decodes %s', (_, text, decoded) => {
  expect(decodedText(text)?.text).toBe(decoded);
});

it.each(['', 'ü&b', '100%', '&#;&#x;', '&nbsp;', '%zz'])('finds nothing in %j', (text) => {
  expect(decodedText(text)).toBeNull();
});

it('knows where each character was', () => {
  const text = `${'long '.repeat(20)}%25c3%25bc\\n"${'x'.repeat(100)}`;
  const decoded = decodedText(text);
  const at = decoded?.text.indexOf('ü"') ?? -1;
  const [start, end] = decoded?.originalOf([at, at + 2]) ?? [];
  expect(text.slice(start, end)).toBe('%25c3%25bc\\n"');
});

it.each(['%2525', '%25252525c3%25252525bc', '\\xc3\\xbc', '&amp;amp;', '%c3\\\\'])(
  'decodes 1 MB of %s as it decodes one',
  (part) => {
    const times = Math.floor(1_000_000 / part.length);
    const one = decodedText(part)?.text ?? '';
    expect(one).not.toBe('');
    expect(decodedText(part.repeat(times))?.text === one.repeat(times)).toBe(true);
  },
);
