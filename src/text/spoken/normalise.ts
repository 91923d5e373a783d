import type { NumberWords } from './numbers.ts';

/** A word as it is compared, with its place in the text. */
export interface ComparedWord {
  word: string;
  /** As the text has it; of a number in digits as it is compared. */
  written: string;
  /** Offsets of the written word. A number in digits has several words at one place. */
  from: number;
  to: number;
}

/** Markup and audio tags, which nobody speaks. Bounded, so that no text takes quadratic time. */
const TAGS = /<[^<>]{1,200}>|\[[^[\]]{1,200}\]/gu;

/** Each character of a script without spaces between words counts as a word. */
const WRITTEN =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]\p{M}*|(?<digits>\p{Nd}+(?:[.,]\p{Nd}+)*)(?:(?<ordinal>st|nd|rd|th)\b|(?<percent>\s?%))?|[\p{L}\p{M}'’]+/gu;

/** Grouped by thousands, or with one decimal separator. Other rows of digits, such as dates, are several numbers. */
const ONE_NUMBER = /^\d+(?:[.,]\d+)?$|^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/u;

/**
 * Returns the words of a text as they are compared: in lower case, without punctuation, apostrophes and tags, divided at
 * hyphens, numbers spelled. The rules are those of `docs/transcription.md`.
 * @param numbers null: digits stay as they are
 */
export function normaliseWords(text: string, numbers: NumberWords | null): ComparedWord[] {
  const spoken = text.replaceAll(TAGS, (tag) => ' '.repeat(tag.length));
  const words: ComparedWord[] = [];
  for (const { 0: written, index: from, groups = {} } of spoken.matchAll(WRITTEN)) {
    for (const word of plainWords(spelled(written.normalize('NFKC'), groups, numbers))) {
      // “Two hundred and one” and “two hundred one” are the same number.
      const isJoint = word === 'and' && /^(?:hundred|thousand)$/.test(words.at(-1)?.word ?? '');
      if (isJoint) continue;
      const isNumber = groups.digits !== undefined;
      words.push({ word, written: isNumber ? word : written, from, to: from + written.length });
    }
  }
  return words;
}

const plainWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/['’]/gu, '')
    .split(/[^\p{L}\p{M}\p{Nd}]+/u)
    .filter((word) => word !== '');

type Groups = Readonly<Record<string, string | undefined>>;

/** Returns a written word, or the words of a number. */
function spelled(written: string, { digits, ordinal, percent }: Groups, numbers: NumberWords | null): string {
  if (digits === undefined || !numbers) return written;
  const plain = digits.normalize('NFKC');
  if (ordinal !== undefined && numbers.language === 'en') return numbers.spell(plain, 'toOrdinal');
  const parts = ONE_NUMBER.test(plain) ? [plain] : plain.split(/[.,]/u);
  const unit = percent === undefined ? ordinal : percentIn(numbers.language);
  return [...parts.map((part) => numbers.spell(part, 'toCardinal')), unit].join(' ');
}

const percentIn = (language: string): string | undefined =>
  new Intl.NumberFormat(language, { style: 'unit', unit: 'percent', unitDisplay: 'long' })
    .formatToParts(2)
    .find(({ type }) => type === 'unit')?.value;
