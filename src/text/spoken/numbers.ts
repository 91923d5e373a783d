import { languageName } from '#lib/languages.ts';

/** The functions of `n2words` for one language. Both throw for a value that they cannot spell. */
interface Speller {
  toCardinal(digits: string): string;
  toOrdinal(digits: string): string;
}

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

/** Spells the numbers of one language, see `docs/transcription.md`. */
export interface NumberWords {
  language: string;
  /** Returns a number in words; the digits where it cannot be spelled. @param digits may have separators, `1,000.5` */
  spell(digits: string, kind?: 'cardinal' | 'ordinal'): string;
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
  if (!language || !speller) return null;
  const decimal = new Intl.NumberFormat(language).format(1.5).charAt(1);
  return {
    language,
    spell(digits, kind = 'cardinal') {
      const plain = digits.replaceAll(decimal === ',' ? '.' : ',', '').replace(decimal, '.');
      if (plain.length > MAX_DIGITS) return digits;
      try {
        return kind === 'ordinal' ? speller.toOrdinal(plain) : speller.toCardinal(plain);
      } catch {
        return digits;
      }
    },
  };
}
