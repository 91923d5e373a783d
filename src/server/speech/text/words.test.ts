import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSpeakable, writtenWords } from './words.ts';

const words = (text: string) => writtenWords(text).map(({ start, end }) => text.slice(start, end));

describe('words as written (decision 6)', () => {
  it.each([
    ['', []],
    ['   ', []],
    ['Hello, world!', ['Hello', 'world']],
    ["it's 12.50 — isn’t it?", ["it's", '12.50', 'isn’t', 'it']],
    ['“Quoted” (and) ‘this’…', ['Quoted', 'and', 'this']],
    ['... -- !?', []],
    ['Hi \ue000\ue001 you \uf8ff', ['Hi', 'you']],
    ['\ue003', []],
    ['well-known a—b', ['well-known', 'a—b']],
    ['$5 + 100% = C++', ['$5', '+', '100', '=', 'C++']],
    ['ok 👍🏽 yes', ['ok', '👍🏽', 'yes']],
    ['नमस्ते दुनिया।', ['नमस्ते', 'दुनिया']],
    ['مرحبا، بالعالم', ['مرحبا', 'بالعالم']],
    ['안녕하세요, 세계', ['안녕하세요', '세계']],
    ['你好，世界。', ['你好', '世界']],
    ['สวัสดีครับ', ['สวัสดี', 'ครับ']],
    ['はい、そうです。', ['はい', 'そう', 'です']],
  ])('%j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it('are speakable, in order and apart, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        let last = 0;
        for (const { start, end } of writtenWords(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(isSpeakable(text.slice(start, end))).toBe(true);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
