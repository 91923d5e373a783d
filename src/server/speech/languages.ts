import { LANGUAGES } from '#protocol/kugel/wire/settings.ts';

export { LANGUAGES };

/** A language of the protocol. espeak has them all. */
export type Language = (typeof LANGUAGES)[number];

/** espeak's names that differ: Bokmål for Norwegian, Mandarin for Chinese, American for English. */
const ESPEAK_NAMES: Partial<Record<Language, string>> = { no: 'nb', zh: 'cmn', en: 'en-us' };

export const isLanguage = (code: string): code is Language => (LANGUAGES as readonly string[]).includes(code);

/**
 * @param language one of the protocol's, or another one of espeak
 * @param accents a voice's own choice of espeak language, such as British for `en`
 */
export const espeakLanguage = (language: string, accents: Partial<Record<Language, string>>): string =>
  isLanguage(language) ? (accents[language] ?? ESPEAK_NAMES[language] ?? language) : language;
