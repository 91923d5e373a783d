import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldMark } from '../findings/field-marks.ts';
import { markedText } from './marked-text.ts';

const at = (path: string): FieldMark => ({ path, severity: 'violation', note: '' });
const marked = (text: string, paths: readonly string[], length = text.length) =>
  markedText(text, paths.map(at), length).flatMap(({ text: part, severity }) => (severity ? [part] : []));

describe('markedText', () => {
  it.each([
    ['{"a": 1, "b": [2, 3]}', ['a'], ['1']],
    ['{"a": 1, "b": [2, 3]}', ['b.1', 'a'], ['1', '3']],
    ['{"a": 1, "b": [2, 3]}', ['b', 'b.0'], ['[2, 3]']],
    ['{"a": 1}', ['missing'], []],
    ['{"a": {"b": 1}}', ['a.missing'], []],
    ['{"a": 1}', [''], []],
    ['no JSON', ['a'], []],
  ])('of %s marks %j: %j', (text, paths, parts) => {
    expect(marked(text, paths)).toEqual(parts);
  });

  it('cuts marks at the end of the text', () => {
    expect(marked('{"a": "long text"}', ['a'], 10)).toEqual(['"lon']);
    expect(marked('{"a": 1, "b": 2}', ['b'], 5)).toEqual([]);
  });

  it('keeps every character of the text for any marks', () => {
    fc.assert(
      fc.property(fc.json(), fc.array(fc.string(), { maxLength: 3 }), fc.nat(40), (text, paths, cut) => {
        const length = Math.min(cut, text.length);
        const parts = markedText(text, paths.map(at), length);
        expect(parts.map((part) => part.text).join('')).toBe(text.slice(0, length));
      }),
    );
  });
});
