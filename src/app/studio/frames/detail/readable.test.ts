import { describe, expect, it } from 'vitest';
import { isBase64, prettyJson, readable, structureOf } from './readable.ts';

describe('readable', () => {
  it('escapes invisible marks and marks of direction only', () => {
    expect(readable('a\u202eb\u200dc\u2028')).toBe('a\\u202eb\\u200dc\\u2028');
    expect(readable('Grüße, 日本, <b>')).toBe('Grüße, 日本, <b>');
  });
});

describe('isBase64', () => {
  it.each([
    ['AAD9'.repeat(16), true],
    [`${'AAD9'.repeat(16)}AA==`, true],
    ['AAD9', false],
    [`${'AAD9'.repeat(16)}A`, false],
    ['many words '.repeat(8), false],
  ])('%j: %s', (text, expected) => {
    expect(isBase64(text)).toBe(expected);
  });
});

describe('prettyJson', () => {
  it('indents and cuts audio', () => {
    expect(prettyJson({ audio: 'AAD9'.repeat(3200), idx: 1 })).toBe(
      '{\n  "audio": "AAD9AAD9AAD9AAD9AAD9AAD9… (12,800 characters of base64)",\n  "idx": 1\n}',
    );
  });
});

describe('structureOf', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['[1]', [1]],
    ['"text"', undefined],
    ['null', undefined],
    ['{', undefined],
    ['', undefined],
  ])('%j', (text, value) => {
    expect(structureOf(text)).toEqual(value);
  });
});
