import { describe, expect, it } from 'vitest';
import { foreignScript, mainScript, scriptsOf } from './scripts.ts';

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
    ['مرحبا بالعالم', 'en', 'Arabic'],
    ['Καλημέρα', 'de', 'Greek'],
    ['漢字', 'en', 'Han'],
    ['漢字', 'ja', undefined],
    ['hello', 'ar', undefined],
    ['He said привет to me', 'en', undefined],
    ['привет', 'xx', undefined],
  ])('%s in %s: %s', (text, language, script) => {
    expect(foreignScript(text, language)).toBe(script);
  });
});
