import type { NumberWords } from './numbers.ts';

/** A word as it is compared, with its place in the text. */
export interface ComparedWord {
  word: string;
  /** Offsets of the written word. A number in digits has several words at one place. */
  from: number;
  to: number;
}

/** Markup and audio tags, which nobody speaks. Bounded, so that no text takes quadratic time. */
const TAGS = /<[^<>]{1,200}>|\[[^[\]]{1,200}\]/gu;

/** Scripts without spaces between words, of which each character counts as a word. */
const CHARACTERS = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
const WRITTEN = new RegExp(
  [
    `(?<character>[${CHARACTERS.map((script) => `\\p{scx=${script}}`).join('')}]\\p{M}*)`,
    String.raw`(?<currency>[$€£])?(?<digits>\p{Nd}+(?:[.,]\p{Nd}+)*)(?:(?<ordinal>st|nd|rd|th)\b|\s?(?<sign>[%$€£]))?`,
    String.raw`(?<word>[\p{L}\p{M}'’]+)`,
  ].join('|'),
  'gu',
);

const CURRENCIES: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP' };
/** A number in digits that is one number: grouped by thousands, or with one decimal separator. */
const ONE_NUMBER = /^\d+(?:[.,]\d+)?$|^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/u;

/**
 * Returns the words of a text as they are compared: in lower case, without punctuation, apostrophes and tags, divided at
 * hyphens, numbers spelled. The rules are those of `docs/transcription.md`.
 * @param numbers null: digits stay as they are
 */
export function normaliseWords(text: string, numbers: NumberWords | null): ComparedWord[] {
  const spoken = text.replaceAll(TAGS, (tag) => ' '.repeat(tag.length));
  const words: ComparedWord[] = [];
  for (const match of spoken.matchAll(WRITTEN)) {
    const { digits } = match.groups ?? {};
    const [from, to] = [match.index, match.index + match[0].length];
    const written = digits === undefined ? match[0] : spelled(digits, match.groups ?? {}, numbers);
    for (const word of plainWords(written)) {
      const isJoint = numbers?.language === 'en' && word === 'and' && isLargeNumber(words.at(-1)?.word);
      if (!isJoint) words.push({ word, from, to });
    }
  }
  return words;
}

/** “Two hundred and one” and “two hundred one” are the same number. */
const isLargeNumber = (word: string | undefined): boolean => word === 'hundred' || word === 'thousand';

const plainWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/['’]/gu, '')
    .split(/[^\p{L}\p{M}\p{Nd}]+/u)
    .filter((word) => word !== '');

function spelled(
  digits: string,
  { currency, ordinal, sign = currency }: Record<string, string | undefined>,
  numbers: NumberWords | null,
): string {
  const plain = digits.normalize('NFKC');
  if (!numbers) return plain;
  const isOne = ONE_NUMBER.test(plain);
  if (ordinal !== undefined && isOne && numbers.language === 'en') return numbers.spell(plain, 'ordinal');
  const number = isOne
    ? numbers.spell(plain)
    : plain
        .split(/[.,]/u)
        .map((part) => numbers.spell(part))
        .join(' ');
  return `${number} ${signWord(sign, plain, numbers.language)} ${ordinal ?? ''}`;
}

/** Returns the word for a sign beside a number. Currencies of other languages have names that nobody speaks whole. */
function signWord(sign: string | undefined, digits: string, language: string): string {
  if (sign === undefined) return '';
  if (sign === '%') return unitName(language, { style: 'unit', unit: 'percent', unitDisplay: 'long' }, 2);
  if (language !== 'en' && language !== 'de') return '';
  const style = {
    style: 'currency',
    currency: CURRENCIES[sign] ?? '',
    currencyDisplay: 'name',
    maximumFractionDigits: 0,
  } as const;
  // “US dollars”, “British pounds”
  return (
    unitName(language, style, digits === '1' ? 1 : 2)
      .split(/[\s-]/u)
      .at(-1) ?? ''
  );
}

const unitName = (language: string, style: Intl.NumberFormatOptions, amount: number): string =>
  new Intl.NumberFormat(language, style)
    .formatToParts(amount)
    .filter(({ type }) => type === 'unit' || type === 'currency')
    .map(({ value }) => value)
    .join('');
