import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spellingOf } from '#lib/text/spoken-form.ts';
import { normaliseWords } from './normalise.ts';

const wordsOf = async (text: string, language: string): Promise<string> =>
  normaliseWords(text, await spellingOf(language))
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
  ['en', '95% for $5', 'ninety five percent for five dollars'],
  [
    'en',
    '$5 million, $1.5bn and $2-billion',
    'five million dollars one point five billion dollars and two billion dollars',
  ],
  ['en', '$1 million or $20k', 'one million dollars or twenty thousand dollars'],
  ['en', '$1,000 thousand', 'one thousand thousand dollars'],
  ['en', '£0.50, $0.99 and 5¢', 'fifty pence ninety nine cents and five cents'],
  ['en', '£0.01 and $0.00', 'one penny and zero dollars'],
  ['en', '5 million people paid $5 more', 'five million people paid five dollars more'],
  ['de', '5 Mio. € und 0,50 €', 'fünf millionen euro und fünfzig cent'],
  ['de', '2 Milliarden $', 'zwei milliarden dollar'],
  ['es', '5 millones €', 'cinco millones de euros'],
  ['fr', '3 millions €', 'trois millions de euros'],
  ['nl', '€ 0,50 of €5 miljoen', 'vijftig cent of vijf miljoen euro'],
  ['en', '50 % or 50 per cent', 'fifty percent or fifty percent'],
  [
    'en',
    '$1 and $1,250 and £3.50',
    'one dollar and one thousand two hundred fifty dollars and three pounds and fifty pence',
  ],
  ['en', '€20.00, 5€, ¥100', 'twenty euros five euros one hundred yen'],
  ['en', 'At 3:30 p.m., 9:05 AM and 12:00', 'at three thirty pm nine oh five a.m. and twelve'],
  ['en', 'At 12:00 or 5:00', 'At twelve o’clock or five o’clock'],
  ['en', '-5, −1.5 and -$3', 'minus five negative one point five and minus three dollars'],
  ['en', '3-5 and A-5', 'three five and a five'],
  ['en', '20°C, 1 °C and 70 °F', 'twenty degrees celsius one degree celsius and seventy degrees fahrenheit'],
  ['en', 'No. 5, no. 7 and a piano. 5', 'number five number seven and a piano five'],
  ['de', '-3 °C', 'minus drei Grad Celsius'],
  ['pl', '-5°C', 'minus pięć stopni Celsjusza'],
  ['en', 'The 0th, 00th and 010th', 'the zero th 00 th and tenth'],
  ['en', 'The 21st, 2nd, 3rd and 104th', 'the twenty first second third and one hundred fourth'],
  [
    'en',
    'Dr. Smith, Mr. and Mrs. Jones vs. Prof. Lee',
    'doctor smith mister and missus jones versus professor lee',
  ],
  ['en', 'salt & pepper at 20°', 'salt and pepper at twenty degrees'],
  [
    'de',
    '50 % von 5,20 € um 15:30 Uhr',
    'fünfzig prozent von fünf euro und zwanzig cent um fünfzehn uhr dreißig',
  ],
  ['de', 'Dr. Weiß', 'Doktor Weiss'],
  ['es', '5 € y el 10 %', 'cinco euros y el diez por ciento'],
  ['fr', '5,50 € à 8:15', 'cinq euros et cinquante centimes à huit heures quinze'],
  ['nl', 'De 2e, 50%', 'de tweede vijftig procent'],
  ['pl', '5% i 5 €', 'pięć procent i pięć euro'],
  ['pt', '3º e 2%', 'terceiro e dois por cento'],
  ['it', '5% e 3º', 'cinque percento e terzo'],
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
    ['en', 'A constructor', 'a constructor'],
  ])('%s: %s is compared as “%s”', async (language, written, compared) => {
    expect(await wordsOf(written, language)).toBe(compared);
  });
});

describe('any text', () => {
  it('keeps the places of its words, in order and within it', async () => {
    const numbers = await spellingOf('en');
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
    const numbers = await spellingOf('en');
    const again = (text: string) => normaliseWords(text, numbers).map(({ word }) => word);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aé10 2,.-’$%st') }), (text) => {
        const words = again(text);
        expect(again(words.join(' '))).toEqual(words);
      }),
    );
  });
});
