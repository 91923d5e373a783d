import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normaliseWords, numberSpeller } from './normalise.ts';

const wordsOf = async (text: string, language: string): Promise<string> =>
  normaliseWords(text, await numberSpeller(language))
    .map(({ word }) => word)
    .join(' ');

/** Texts that say the same, in two ways of writing. */
const SAME: readonly (readonly [language: string, written: string, spoken: string])[] = [
  ['en', 'Good morning, “Anna”!', 'good morning anna'],
  ['en', 'It’s a well-known rule; don’t break it…', 'its a well known rule dont break it'],
  [
    'en',
    'I have 22 apples and 1,250.5 pears.',
    'i have twenty two apples and one thousand two hundred fifty point five pears',
  ],
  ['en', '95% for $5', 'ninety five for five'],
  ['en', 'Call 555.12.3 now', 'call five hundred fifty-five twelve three now'],
  ['en', 'MP3 and ＡＢＣ', 'mp three and abc'],
  ['english', '7', 'seven'],
  ['en-GB', '7', 'seven'],
  ['en', '[laughs] Hello <break time="1s"/> there', 'hello there'],
  ['de', 'Um 22 Uhr fährt der Zug.', 'um zweiundzwanzig uhr fährt der zug'],
  ['de', '1.250,5 Liter', 'eintausendzweihundertfünfzig komma fünf liter'],
  ['de', '95 der Straße', 'fünfundneunzig der strasse'],
  ['German', 'Fünf', '5'],
  ['fr', '22 chats', 'vingt-deux chats'],
];

describe('two ways of writing', () => {
  it.each(SAME)('are the same words: %s, %s', async (language, written, spoken) => {
    expect(await wordsOf(written, language)).toBe(await wordsOf(spoken, language));
  });

  it.each([
    ['en', 'Twenty-two', 'twenty two'],
    ['de', '22', 'zweiundzwanzig'],
    ['ja', '今日は、3時です。', '今 日 は 3 時 で す'],
    ['zh', '你好，Anna！', '你 好 anna'],
    ['th', 'สวัสดี', 'ส วั ส ดี'],
    ['xx', 'room 22', 'room 22'],
    ['', '1,000', '1 000'],
    ['en', '1234567890123456', '1234567890123456'],
    ['en', '1.000.000', '1 000 000'],
    ['de', '1,000,000', '1 000 000'],
    ['en', '… – ! <b>', ''],
  ])('%s: %s is compared as “%s”', async (language, written, compared) => {
    expect(await wordsOf(written, language)).toBe(compared);
  });
});

describe('any text', () => {
  it('keeps the places of its words, in order and within it', async () => {
    const numbers = await numberSpeller('en');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        let before = 0;
        for (const { word, offset } of normaliseWords(text, numbers)) {
          expect(word).not.toBe('');
          // A number has several words at one place.
          expect(offset).toBeGreaterThanOrEqual(before);
          expect(offset).toBeLessThan(text.length);
          before = offset;
        }
      }),
    );
  });

  it('gives the same words once more', async () => {
    const numbers = await numberSpeller('en');
    const again = (text: string) => normaliseWords(text, numbers).map(({ word }) => word);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aé10 2,.-’$%st') }), (text) => {
        const words = again(text);
        expect(again(words.join(' '))).toEqual(words);
      }),
    );
  });
});
