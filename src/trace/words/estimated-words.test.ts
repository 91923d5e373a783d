import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateWords, SpeechPace } from './estimated-words.ts';

const words = (text: string): string[] => estimateWords(text, 1000).map(({ word }) => word);

/** Length of each word in a text that takes a second a word. */
const lengthsOf = (text: string): number[] =>
  estimateWords(text, 10_000).map(({ startMs, endMs }) => endMs - startMs);

/** Silence behind the first word. */
function pauseIn(text: string): number {
  const [first, second] = estimateWords(text, 10_000);
  return (second?.startMs ?? 0) - (first?.endMs ?? 0);
}

describe('which words there are', () => {
  it.each([
    ['Hello, world!', ['Hello', 'world']],
    ['(It’s "well-known".)', ['It’s', 'well-known']],
    ['At 10:30 it cost $1,250.75 — or 20 %.', ['At', '10:30', 'it', 'cost', '1,250.75', 'or', '20']],
    ['¿Qué? “Ça” und größer', ['Qué', 'Ça', 'und', 'größer']],
    ['cafe\u0301 re\u0301sume\u0301', ['cafe\u0301', 're\u0301sume\u0301']],
    ['Добрый день', ['Добрый', 'день']],
    ['안녕하세요, 세계!', ['안녕하세요', '세계']],
    ['Go 🚀 now🚀!', ['Go', 'now']],
    ['one\ntwo\t three', ['one', 'two', 'three']],
    ['… — !', []],
    ['', []],
  ])('%s', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it.each([
    ['你好，世界。今天天气很好。', ['你好', '世界', '今天']],
    ['これは本です。', ['本', 'です']],
    ['สวัสดีครับ', ['สวัสดี', 'ครับ']],
    ['ສະບາຍດີຕອນເຊົ້າ', ['ສະບາຍດີ', 'ຕອນເຊົ້າ']],
    ['សួស្តីពិភពលោក', ['សួស្តី', 'ពិភពលោក']],
    ['မင်္ဂလာပါ', ['မင်္ဂလာ', 'ပါ']],
  ])('script without spaces is taken apart by a dictionary: %s', (text, some) => {
    expect(words(text)).toEqual(expect.arrayContaining(some));
    expect(words(text).join('')).toBe(text.replace(/[，。]/gu, ''));
  });
});

describe('when they are heard', () => {
  it('the first begins with the audio, the last ends a moment before it', () => {
    const all = estimateWords('A story of the sea and of the shore.', 3000);
    expect(all[0]?.startMs).toBe(0);
    expect(all.at(-1)?.endMs).toBeLessThan(3000);
    expect(all.at(-1)?.endMs).toBeGreaterThan(2000);
  });

  it('long words take longer, and short ones take some time too', () => {
    const [short, long] = lengthsOf('a extraordinarily');
    expect(long).toBeGreaterThan((short ?? 0) * 5);
    expect(short).toBeGreaterThan(0);
  });

  it('a number takes longer than a word as long, and a currency longer still', () => {
    const [word = 0, number = 0, money = 0] = lengthsOf('year 1829 $1829');
    expect(number).toBeGreaterThan(word * 3);
    expect(money).toBeGreaterThan(number);
  });

  it.each([['你好世界 abcd'], ['안녕하세 abcd'], ['ひらがな abcd']])(
    'a syllable takes longer than a letter: %s',
    (text) => {
      const all = estimateWords(text, 10_000);
      const letters = all.at(-1);
      expect(letters?.startMs).toBeGreaterThan(2 * ((letters?.endMs ?? 0) - (letters?.startMs ?? 0)));
    },
  );

  it('a sentence is followed by a longer pause than a clause, and a word by none', () => {
    expect(pauseIn('one two')).toBeCloseTo(0, 6);
    expect(pauseIn('one, two')).toBeGreaterThan(0);
    expect(pauseIn('one. two')).toBeGreaterThan(pauseIn('one, two') * 1.2);
  });

  it.each(['one — two', 'one, "two"', '"one," two', '你好，世界'])(
    'a mark counts wherever it stands: %s',
    (text) => {
      expect(pauseIn(text)).toBeGreaterThan(0);
    },
  );

  it('twice the audio, twice the times', () => {
    const times = (ms: number) =>
      estimateWords('Once, twice.', ms).flatMap(({ startMs, endMs }) => [startMs, endMs]);
    for (const [at, ms] of times(2000).entries()) expect(ms).toBeCloseTo(2 * (times(1000)[at] ?? -1), 6);
  });

  it('for any text: as written, in order, not overlapping, and within the audio', () => {
    const piece = fc.oneof(
      fc.constantFrom(...' 。，—“’\n🚀%', ', ', '. ', '$5', '你好世界', 'こんにちは', '안녕'),
      fc.stringMatching(/^[a-zß-ÿ0-9]{1,12}$/),
      fc.string({ unit: 'binary', maxLength: 8 }),
    );
    const texts = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, fc.double({ min: 0, max: 600_000, noNaN: true }), (text, totalMs) => {
        let atMs = 0;
        let at = 0;
        for (const { word, startMs, endMs, charStart, charEnd } of estimateWords(text, totalMs)) {
          expect(word).not.toBe('');
          expect(text.slice(charStart, charEnd)).toBe(word);
          expect(charStart).toBeGreaterThanOrEqual(at);
          expect(startMs).toBeGreaterThanOrEqual(atMs);
          expect(endMs).toBeGreaterThanOrEqual(startMs);
          expect(endMs).toBeLessThanOrEqual(totalMs);
          at = charEnd;
          atMs = endMs;
        }
      }),
    );
  });
});

describe('SpeechPace', () => {
  it('guesses at first what an ordinary voice takes', () => {
    const perSecond = 100 / (new SpeechPace().expectedMs('The sea is calm tonight. '.repeat(4)) / 1000);
    expect(perSecond).toBeGreaterThan(10);
    expect(perSecond).toBeLessThan(20);
  });

  it('expects of a text what it took in the mean, and of one twice as long nearly twice that', () => {
    const pace = new SpeechPace();
    pace.learn('one two three', 1000);
    pace.learn('one two three', 2000);
    expect(pace.expectedMs('one two three')).toBeCloseTo(1500, 6);
    const twice = pace.expectedMs('one two three one two three');
    expect(twice).toBeGreaterThan(2000);
    expect(twice).toBeLessThan(3000);
    expect(pace.expectedMs('')).toBe(0);
  });

  it.each([
    ['without any audio', 'one two three', 0],
    ['without a word', '…', 4000],
  ])('learns nothing from a text %s', (_, text, ms) => {
    const pace = new SpeechPace();
    const before = pace.expectedMs('one two');
    pace.learn(text, ms);
    expect(pace.expectedMs('one two')).toBe(before);
  });
});
