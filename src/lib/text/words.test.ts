import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markedWords, writtenWords } from './words.ts';

const words = (text: string) => writtenWords(text).map(({ start, end }) => text.slice(start, end));
const marked = (text: string) => markedWords(text).map(({ start, end }) => text.slice(start, end));

describe('words as written', () => {
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
    ['ສະບາຍດີຕອນເຊົ້າ', ['ສະບາຍດີ', 'ຕອນເຊົ້າ']],
    ['សួស្តីពិភពលោក', ['សួស្តី', 'ពិភពលោក']],
    ['မင်္ဂလာပါ', ['မင်္ဂလာ', 'ပါ']],
    ['私はAIです', ['私', 'は', 'AI', 'です']],
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
          expect(text.slice(start, end)).toMatch(/[\p{L}\p{N}\p{S}\p{M}]/u);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('words with their marks', () => {
  it.each([
    ['Hello, "big" world — yes!', ['Hello,', '"big"', 'world', '—', 'yes!']],
    ['はい、「そう」です。', ['はい、', '「そう」', 'です。']],
    ['。はい…！次', ['。はい…！', '次']],
    ['สวัสดีครับ คุณ', ['สวัสดี', 'ครับ', 'คุณ']],
    ['「', ['「']],
    ['はい「', ['はい「']],
  ])('of %j', (text, expected) => {
    expect(marked(text)).toEqual(expected);
  });

  it('are all of a text but its white space, in any text', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 3 }),
      fc.constantFrom('私', 'は', '。', '「', '」', ' ', 'ก', 'า', 'ສ', 'ក', 'မ', 'a', '.', '\u200b', '👍🏽'),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        expect(marked(text).join('')).toBe(text.replace(/\s+/gu, ''));
        expect(marked(text).every((word) => !/\s/u.test(word))).toBe(true);
      }),
    );
  });
});
