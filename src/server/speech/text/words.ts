/** A word of a text as written: UTF-16 offsets, end exclusive. */
export interface WrittenWord {
  readonly start: number;
  readonly end: number;
}

const RUN = /\S+/gu;
/** A unit that a voice can say, sounds by name (`ipa.ts`) included. Text without any is punctuation alone. */
const SPEAKABLE = /[\p{L}\p{N}\p{S}\p{M}\ue000-\ue07f]/u;
const SPEAKABLE_AHEAD = new RegExp(SPEAKABLE, 'gu');
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

/** Returns the place of the first unit from `from` on that a voice can say; the end where there is none. */
export function speakableFrom(text: string, from: number): number {
  SPEAKABLE_AHEAD.lastIndex = from;
  return SPEAKABLE_AHEAD.exec(text)?.index ?? text.length;
}

export const isUnspaced = (text: string): boolean => UNSPACED_SCRIPT.test(text);

/** The segmenter takes time by the square of a text. */
const WINDOW = 256;
/** Words at the end of a window depend on the text behind it. */
const WINDOW_MARGIN = 32;

/** Returns the words of a text without spaces, and what is between them. */
export function* unspacedWords(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const from = at;
    const isLast = from + WINDOW >= text.length;
    for (const { segment, index } of segmenter.segment(text.slice(from, from + WINDOW))) {
      if (!isLast && index > 0 && index + segment.length > WINDOW - WINDOW_MARGIN) break;
      yield segment;
      at = from + index + segment.length;
    }
  }
}

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
export function* wordsIn(text: string, from: number, to: number): Generator<WrittenWord> {
  for (const { 0: run, index } of text.slice(from, to).matchAll(RUN)) {
    let start = from + index;
    for (const part of isUnspaced(run) ? unspacedWords(run) : [run]) {
      const word = trimmed(part, start);
      if (word !== undefined) yield word;
      start += part.length;
    }
  }
}

export const writtenWords = (text: string): WrittenWord[] => [...wordsIn(text, 0, text.length)];

/** A full stop behind these does not end a sentence: titles, initials, abbreviations of several languages. */
const ABBREVIATION =
  /(?:^|[\s"'(“„«])(?:(?:\p{L}\.)*\p{L}|Ph\.D|Mrs?|Ms|Mme|Mlle|Drs?|Prof|St|Sr|Jr|Sra|Srta|Hr|Fr|Nr|Abb|Bd|Art|No|vs|ca|approx|bzw|evtl|ggf|inkl|usw|etc|z\.\s?B|d\.\s?h|u\.\s?a|p\.ej|Sig|Dott|Inc|Ltd|Jan|Feb|Aug|Sept?|Okt|Oct|Nov|Dez|Dec)\.$/u;

/** Units to look back for the longest of them. */
const LONGEST = 12;

/** Whether the full stop before `end` closes an abbreviation. */
export const endsAbbreviation = (text: string, end: number): boolean =>
  ABBREVIATION.test(text.slice(Math.max(0, end - LONGEST), end));
