import { NUMBERS, type Spelling, spokenForm } from '#lib/text/spoken-form.ts';
import { withoutTags } from '#protocol/core/text-words.ts';

/** A word as it is compared. Several words of a number in digits have one place. */
export interface ComparedWord {
  word: string;
  /** Characters of the text before it. */
  offset: number;
}

/** Each character of a script without spaces between words counts as a word. */
const WRITTEN = new RegExp(
  [
    '[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}]\\p{M}*',
    NUMBERS,
    // As in `No. 5`.
    '[Nn]o\\.(?=[ \u00a0]?\\p{Nd})',
    "[\\p{L}\\p{M}'’]+",
    '&',
  ].join('|'),
  'gu',
);

/**
 * Returns the words of a text as they are compared: in lower case, without punctuation, apostrophes and tags, divided at
 * hyphens, numbers and their signs spelled. The rules are those of `docs/transcription.md`.
 */
export function normaliseWords(text: string, spelling: Spelling): ComparedWord[] {
  const { same, joined, unwritten = [] } = spelling.signs;
  const words: ComparedWord[] = [];
  for (const { 0: written, index: offset } of withoutTags(text).matchAll(WRITTEN)) {
    const spoken = spokenForm(written.normalize('NFKC'), spelling)
      .toLowerCase()
      .replaceAll('ß', 'ss')
      .replaceAll(/['’]/gu, '')
      .split(/[^\p{L}\p{M}\p{Nd}]+/u);
    for (const word of spoken) {
      if (word === '' || unwritten.includes(word)) continue;
      const last = words.at(-1);
      const whole = `${last?.word}${word}`;
      if (last && joined.includes(whole)) last.word = whole;
      else words.push({ word: (Object.hasOwn(same, word) ? same[word] : undefined) ?? word, offset });
    }
  }
  return words;
}
