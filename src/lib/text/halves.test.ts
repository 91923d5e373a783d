import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { halfInJson, hasHalf, replaceHalves, replaceHalvesInJson } from './halves.ts';

describe('half a character', () => {
  it('is found anywhere', () => {
    for (const half of ['\ud83d', 'a\ud83d', '\ude00a', 'a\ud83db', '\ud83d😀'])
      expect(hasHalf(half)).toBe(true);
    for (const whole of ['', 'a', '😀', 'a😀b😀']) expect(hasHalf(whole)).toBe(false);
  });

  it('is replaced or removed, and whole ones stay', () => {
    expect(replaceHalves('a\ud83d😀\ude00')).toBe('a\ufffd😀\ufffd');
    expect(replaceHalves('a\ud83d😀\ude00', '')).toBe('a😀');
  });

  it.each([
    ['"a\ud83d"', '"a\ufffd"', '\ud83d'],
    ['"a\\ud83d"', '"a\\ufffd"', '\\ud83d'],
    ['"\\ud83d\\ude00"', '"\\ud83d\\ude00"', null],
    ['"\\uD83D\\uDE00\\uDE00"', '"\\uD83D\\uDE00\\ufffd"', '\\uDE00'],
    ['"\\ud83d\\ud83d\\ude00"', '"\\ufffd\\ud83d\\ude00"', '\\ud83d'],
    ['"\\ud83d\ude00"', '"\\ufffd\ufffd"', '\\ud83d'],
    ['"\\\\ud83d"', '"\\\\ud83d"', null],
    ['"\\\\\\ud83d😀"', '"\\\\\\ufffd😀"', '\\ud83d'],
  ])('in the JSON %j becomes %j', (json, whole, first) => {
    expect(replaceHalvesInJson(json)).toBe(whole);
    const place = halfInJson(json);
    expect(place && json.slice(place.from, place.to)).toBe(first);
  });

  it('is not in any JSON whose halves were replaced, and nothing else is changed', () => {
    const json = fc.string({
      unit: fc.constantFrom('\\', 'u', 'ud83d', 'ude00', '\ud83d', '\ude00', '😀', 'a'),
    });
    fc.assert(
      fc.property(json, (text) => {
        const whole = replaceHalvesInJson(text);
        expect(halfInJson(whole)).toBeNull();
        if (halfInJson(text) === null) expect(whole).toBe(text);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const written = JSON.stringify({ text });
        expect(replaceHalvesInJson(written)).toBe(written);
      }),
    );
  });
});
