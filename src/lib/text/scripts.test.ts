import { describe, expect, it } from 'vitest';
import { foreignScript, isRareScript, mainScript, scriptsOf } from './scripts.ts';

describe('scripts', () => {
  it.each([
    ['en-US', ['Latin']],
    ['ru', ['Cyrillic']],
    ['ja', ['Han', 'Kana']],
    ['ko', ['Han', 'Hangul']],
    ['zh', ['Han']],
    ['yue', ['Han']],
    ['ur', ['Arabic']],
    ['xx', []],
    ['no language', []],
  ])('of %s', (language, scripts) => {
    expect(scriptsOf(language)).toEqual(scripts);
  });

  it.each([
    ['Hello', 'Latin'],
    ['Привет, John', 'Cyrillic'],
    ['我在学习 Python 编程。', 'Han'],
    ['東京駅は五時に着きます。', 'Kana'],
    ['iPhone을 샀어요', 'Hangul'],
    ['12:30 😀', undefined],
    ['ሰላም', 'Ethiopic'],
  ])('%s prevails as %s', (text, script) => {
    expect(mainScript(text)).toBe(script);
  });

  it.each([
    ['ສະບາຍດີ', true],
    ['សួស្តី', true],
    ['བཀྲ་ཤིས', true],
    ['ᠰᠠᠶᠢᠨ', true],
    ['ދިވެހި', true],
    ['𝐇𝐞𝐥𝐥𝐨', false],
    ['Hello ສະ', false],
    ['สวัสดี', false],
    ['12 😀', false],
  ])('%s has letters that the local engine cannot read: %s', (text, isRare) => {
    expect(isRareScript(text)).toBe(isRare);
  });

  it.each([
    ['مرحبا بالعالم', 'en', 'Arabic'],
    ['Καλημέρα', 'de', 'Greek'],
    ['漢字', 'en', 'Han'],
    ['漢字', 'ja', undefined],
    ['hello', 'ar', undefined],
    ['He said привет to me', 'en', undefined],
    ['привет', 'xx', undefined],
    ['Салом, дунё', 'uz', undefined],
    ['سلام دنیا', 'uz', undefined],
    ['Салам, дүнја', 'az', undefined],
    ['Добар дан', 'bs', undefined],
    ['Добар дан', 'sr-RS', undefined],
    ['Добар дан', 'sr-Latn', 'Cyrillic'],
    ['سڵاو جیهان', 'ku', undefined],
    ['ਸਤ ਸ੍ਰੀ ਅਕਾਲ', 'pa', undefined],
    ['پنجابی وچ', 'pa', undefined],
    ['پنجابی وچ', 'pa-Guru', 'Arabic'],
    ['Сәлем әлем', 'kk', undefined],
    ['سالەم', 'kk', undefined],
    ['Сайн уу', 'mn', undefined],
    ['ᠰᠠᠶᠢᠨ', 'mn', undefined],
    ['Καλημέρα', 'uz', 'Greek'],
    ['Здравствуйте', 'tr', 'Cyrillic'],
  ])('%s in %s: %s', (text, language, script) => {
    expect(foreignScript(text, language)).toBe(script);
  });
});
