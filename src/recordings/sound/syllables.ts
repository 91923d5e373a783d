import { withoutTags } from '#protocol/core/text-words.ts';

/** Letters that are a syllable each. Small kana are part of the syllable before them. */
const SYLLABIC =
  /(?![ぁぃぅぇぉゃゅょゎァィゥェォャュョヮ])[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Han}]/u;
/** Letters of scripts that leave most vowels out. */
const CONSONANT_SCRIPT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}]/u;
const VOWEL = /[aeiouyæøœıαεηιουωаеёиоуыэюяіїєъ]/u;
/** A digit is spoken as one or two. */
const DIGIT = /\p{Nd}/u;
/** The readings of Japanese have any number of them. */
const HAS_READINGS = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** A last e that some languages do not speak, as in "else", "names" and "asked". */
const SILENT_E = /[^\P{L}aeiouy](?<![bcdfgkpstz]l)e[sd]?(?!\p{L})/gu;

/** Between these numbers are the syllables of a text. */
export interface Syllables {
  readonly least: number;
  readonly most: number;
}

/**
 * Returns the syllables of a text, roughly: by its vowels, or where they are not written by its letters. 0 where the text
 * does not show them.
 */
export function syllables(text: string): Syllables {
  const plain = withoutTags(text).toLowerCase().normalize('NFC');
  if (HAS_READINGS.test(plain) && /\p{Script=Han}/u.test(plain)) return { least: 0, most: 0 };
  let count = 0;
  let isInVowel = false;
  for (const letter of plain) {
    const isVowel = VOWEL.test(letter.normalize('NFD').charAt(0));
    if (isVowel && !isInVowel) count += 1;
    else if (SYLLABIC.test(letter) || DIGIT.test(letter)) count += 1;
    else if (CONSONANT_SCRIPT.test(letter)) count += 0.6;
    isInVowel = isVowel;
  }
  const silent = plain.match(SILENT_E)?.length ?? 0;
  return { least: Math.round(count - silent), most: Math.round(count) };
}
