import { languageName } from '#lib/languages.ts';
import { withoutTags } from '#protocol/core/tags.ts';

/** A word as it is compared. Several words of a number in digits have one place. */
export interface ComparedWord {
  word: string;
  /** Characters of the text before it. */
  offset: number;
}

/** Returns a number in words; the digits where it cannot be spelled. @param digits with separators, `1,000.5` */
export type NumberSpeller = (digits: string) => string;

type Spelling = Promise<{ toCardinal(digits: string): string }>;

/** Languages whose numbers are spelled, by ISO 639-1 code. The rules of each load when they are needed. */
const SPELLINGS: Readonly<Record<string, () => Spelling>> = {
  de: () => import('n2words/de-DE'),
  en: () => import('n2words/en-US'),
  es: () => import('n2words/es-ES'),
  fr: () => import('n2words/fr-FR'),
  it: () => import('n2words/it-IT'),
  nl: () => import('n2words/nl-NL'),
  pl: () => import('n2words/pl-PL'),
  pt: () => import('n2words/pt-PT'),
};

/** Longer rows of digits are ids, which nobody speaks as one number. */
const MAX_DIGITS = 15;

/** @param said a code or an English name, as transcription servers report it. Digits of other languages stay. */
export async function numberSpeller(said: string): Promise<NumberSpeller> {
  const name = said.trim().toLowerCase();
  const language = Object.keys(SPELLINGS).find(
    (code) => name.split('-')[0] === code || languageName(code)?.toLowerCase() === name,
  );
  const spelling = language && (await SPELLINGS[language]?.().catch(() => null));
  const [decimal, group] = language === 'en' ? ['.', ','] : [',', '.'];
  return (digits) => {
    const plain = digits.replaceAll(group, '').replace(decimal, '.');
    // The groups of another language make no number.
    const isNumber = plain.length <= MAX_DIGITS && !Number.isNaN(Number(plain));
    return spelling && isNumber ? spelling.toCardinal(plain) : digits;
  };
}

/** Each character of a script without spaces between words counts as a word. */
const WRITTEN =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]\p{M}*|\p{Nd}+(?:[.,]\p{Nd}+)*|[\p{L}\p{M}'’]+/gu;

/** Grouped by thousands, or with one decimal separator. Other rows of digits, such as dates, are several numbers. */
const ONE_NUMBER = /^\d+(?:[.,]\d+)?$|^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/u;

/**
 * Returns the words of a text as they are compared: in lower case, without punctuation, apostrophes and tags, divided at
 * hyphens, numbers spelled. The rules are those of `docs/transcription.md`.
 */
export function normaliseWords(text: string, spell: NumberSpeller): ComparedWord[] {
  return [...withoutTags(text).matchAll(WRITTEN)].flatMap(({ 0: written, index: offset }) => {
    const plain = written.normalize('NFKC');
    const numbers = ONE_NUMBER.test(plain) ? [plain] : plain.split(/[.,]/u);
    return (/^\d/u.test(plain) ? numbers.map(spell).join(' ') : plain)
      .toLowerCase()
      .replaceAll('ß', 'ss')
      .replaceAll(/['’]/gu, '')
      .split(/[^\p{L}\p{M}\p{Nd}]+/u)
      .filter((word) => word !== '')
      .map((word) => ({ word, offset }));
  });
}
