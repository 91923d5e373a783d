import { describe, expect, it } from 'vitest';
import { languageProblem, scriptWordsOf } from './language-problem.ts';

describe('languageProblem', () => {
  it.each([
    ['en', 'Здравствуйте, как дела?', 'Cyrillic', 'English'],
    ['English', 'Καλημέρα, τι κάνετε;', 'Greek', 'English'],
    ['de-DE', 'صباح الخير', 'Arabic', 'German (Germany)'],
    ['el', 'Добрый день', 'Cyrillic', 'Greek'],
    ['fr', 'おはようございます', 'Kana', 'French'],
  ])('says of %s that it is not written in the letters of %j', (language, text, script, name) => {
    expect(languageProblem(language, text)).toContain(
      `in ${script} letters, which ${name} is not written in`,
    );
  });

  it.each([
    ['ru', 'Здравствуйте'],
    ['Russian', 'Здравствуйте'],
    ['ja', '今日は、いい天気です'],
    ['ru', 'Hello there'],
    ['en', ''],
    ['en', '123 😀'],
    ['Auto', 'Здравствуйте'],
    ['no such language', 'Здравствуйте'],
  ])('says nothing of %s and %j', (language, text) => {
    expect(languageProblem(language, text)).toBeNull();
  });
});

it('says of a script without a language that the local server spells it', () => {
  expect(languageProblem('lo', 'ສະບາຍດີ ທຸກໆຄົນ')).toContain('no language for the letters');
});

it('the words of a speaker are without names, comments and the words of others', () => {
  const script = 'Анна: Hello.\n# Заметка\nBen: Привет.\n\nАнна: Bye.';
  expect(scriptWordsOf(script, 'Анна')).toBe('Hello. Bye.');
  expect(scriptWordsOf(script, 'BEN')).toBe('Привет.');
  expect(scriptWordsOf(script, null)).toBe('Hello. Привет. Bye.');
});
