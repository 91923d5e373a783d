import { languageName } from '#lib/languages.ts';

type Speller = Record<'toCardinal' | 'toOrdinal', (digits: string) => string>;

/** Languages whose numbers are spelled, by ISO 639-1 code. The rules of each load when they are needed. */
const SPELLERS: Readonly<Record<string, () => Promise<Speller>>> = {
  de: () => import('n2words/de-DE'),
  en: () => import('n2words/en-US'),
  es: () => import('n2words/es-ES'),
  fr: () => import('n2words/fr-FR'),
  it: () => import('n2words/it-IT'),
  nl: () => import('n2words/nl-NL'),
  pl: () => import('n2words/pl-PL'),
  pt: () => import('n2words/pt-PT'),
};

/** Spells the numbers of one language. */
export interface NumberWords {
  language: string;
  /** Returns a number in words; the digits where it cannot be spelled. @param digits with separators, `1,000.5` */
  spell(digits: string, how: keyof Speller): string;
}

/** Longer rows of digits are ids, which nobody speaks as one number. */
const MAX_DIGITS = 15;

/** @param said a code or an English name, as transcription servers report it. Resolves to null for other languages. */
export async function numberWordsOf(said: string): Promise<NumberWords | null> {
  const name = said.trim().toLowerCase();
  const language = Object.keys(SPELLERS).find(
    (code) => name.split('-')[0] === code || languageName(code)?.toLowerCase() === name,
  );
  const speller = language && (await SPELLERS[language]?.().catch(() => null));
  if (!speller) return null;
  const [decimal, group] = language === 'en' ? ['.', ','] : [',', '.'];
  return {
    language,
    spell(digits, how) {
      const plain = digits.replaceAll(group, '').replace(decimal, '.');
      try {
        return plain.length > MAX_DIGITS ? digits : speller[how](plain);
      } catch {
        return digits;
      }
    },
  };
}
