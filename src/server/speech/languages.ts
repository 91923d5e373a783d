import { wordList } from '#lib/word-list.ts';

/** Codes of the languages of the local engine, without tags such as `de-DE`. espeak has all of them. */
export const SPOKEN_LANGUAGES = wordList(
  'de en fr es it pt nl pl sv da no fi cs hu ro el uk bg tr vi ar hi zh ja ko sk sl hr sr ru he fa ur bn ta yue th id ms',
);

export type Language = (typeof SPOKEN_LANGUAGES)[number];

/** espeak's names that differ: Bokmål for Norwegian, Mandarin for Chinese, American for English. */
const ESPEAK_NAMES: Partial<Record<Language, string>> = { no: 'nb', zh: 'cmn', en: 'en-us' };

export const isLanguage = (code: string): code is Language =>
  (SPOKEN_LANGUAGES as readonly string[]).includes(code);

/**
 * @param language one of `SPOKEN_LANGUAGES`, or another one of espeak
 * @param accents a voice's own choice of espeak language, such as British for `en`
 */
export const espeakLanguage = (language: string, accents: Partial<Record<Language, string>>): string =>
  isLanguage(language) ? (accents[language] ?? ESPEAK_NAMES[language] ?? language) : language;
