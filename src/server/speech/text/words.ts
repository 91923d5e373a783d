/** A word of a text as written: UTF-16 offsets, end exclusive. */
export interface WrittenWord {
  readonly start: number;
  readonly end: number;
}

const RUN = /\S+/gu;
/** A unit that a voice can say, sounds by name (`ipa.ts`) included. Text without any is punctuation alone. */
const SPEAKABLE = /[\p{L}\p{N}\p{S}\p{M}\ue000-\ue07f]/u;
/** A unit of a written text that a voice can say. Sounds have no names there. */
const WRITTEN = /[\p{L}\p{N}\p{S}\p{M}]/u;
const LEADING_PUNCTUATION = /^[\p{P}\p{C}]+/u;
/** Looks back so that a long run inside a word is tried once, not once from each of its marks. */
const TRAILING_PUNCTUATION = /(?<![\p{P}\p{C}])[\p{P}\p{C}]+$/u;
/** Scripts without spaces between words. */
const UNSPACED_SCRIPT =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** One segmenter serves all languages, because it chooses its dictionary by the script. */
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

export const isSpeakable = (text: string): boolean => SPEAKABLE.test(text);

export const isUnspaced = (text: string): boolean => UNSPACED_SCRIPT.test(text);

/** Returns the end offsets of the words of a text without spaces. */
export const unspacedWordEnds = (text: string): number[] =>
  [...segmenter.segment(text)].map(({ index, segment }) => index + segment.length);

function trimmed(text: string, start: number): WrittenWord | undefined {
  if (!WRITTEN.test(text)) return undefined;
  const lead = LEADING_PUNCTUATION.exec(text)?.[0].length ?? 0;
  const trail = TRAILING_PUNCTUATION.exec(text)?.[0].length ?? 0;
  return { start: start + lead, end: start + text.length - trail };
}

/**
 * Returns the words of `text` between two offsets, in order. White space separates words, and the Unicode segmenter does
 * in scripts without spaces. Punctuation around a word does not count, and punctuation alone is no word.
 */
export function writtenWords(text: string, from = 0, to = text.length): WrittenWord[] {
  const words: WrittenWord[] = [];
  for (const run of text.slice(from, to).matchAll(RUN)) {
    const start = from + run.index;
    if (!isUnspaced(run[0])) {
      const word = trimmed(run[0], start);
      if (word !== undefined) words.push(word);
      continue;
    }
    for (const { segment, index } of segmenter.segment(run[0])) {
      const word = trimmed(segment, start + index);
      if (word !== undefined) words.push(word);
    }
  }
  return words;
}

/** A full stop behind these does not end a sentence: titles, initials, abbreviations of several languages. */
const ABBREVIATION =
  /(?:^|[\s"'(“„«])(?:(?:\p{L}\.)*\p{L}|Ph\.D|Mrs?|Ms|Mme|Mlle|Drs?|Prof|St|Sr|Jr|Sra|Srta|Hr|Fr|Nr|Abb|Bd|Art|No|vs|ca|approx|bzw|evtl|ggf|inkl|usw|etc|z\.\s?B|d\.\s?h|u\.\s?a|p\.ej|Sig|Dott|Inc|Ltd|Jan|Feb|Aug|Sept?|Okt|Oct|Nov|Dez|Dec)\.$/u;

/** Units to look back for the longest of them. */
const LONGEST = 12;

/** Whether the full stop before `end` closes an abbreviation. */
export const endsAbbreviation = (text: string, end: number): boolean =>
  ABBREVIATION.test(text.slice(Math.max(0, end - LONGEST), end));
