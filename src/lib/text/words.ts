import { addAll } from '#lib/collections/arrays.ts';

/** Words of written text, the same for all endpoints, estimates, captions and heard text. */

/** A stretch of a text: UTF-16 offsets, end exclusive. */
export interface WrittenWord {
  readonly start: number;
  readonly end: number;
}

const RUN = /\S+/gu;
/** A unit that a voice can say. Text without any is punctuation alone. */
const SPEAKABLE = /[\p{L}\p{N}\p{S}\p{M}]/u;
const OPENING = /^[\p{Ps}\p{Pi}]+$/u;
const LEADING_PUNCTUATION = /^[\p{P}\p{C}]+/u;
/** Looks back so that a long run inside a word is tried once, not once from each of its marks. */
const TRAILING_PUNCTUATION = /(?<![\p{P}\p{C}])[\p{P}\p{C}]+$/u;
/** Letters of scripts without spaces between words, with the marks of length and voicing that kana share. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ーｰﾞﾟ';
const UNSPACED_SCRIPT = new RegExp(`[${UNSPACED}]`, 'u');
/** A stretch in which a dictionary finds the words, or one between two of them. */
const STRETCH = new RegExp(`[${UNSPACED}][${UNSPACED}\\p{Lm}\\p{M}\\p{Cf}]*|[^${UNSPACED}]+`, 'gu');

/** One segmenter serves all languages, because it chooses its dictionary by the script. */
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Whether a text has letters of a script without spaces. */
export const isUnspaced = (text: string): boolean => UNSPACED_SCRIPT.test(text);

/** Returns the end offsets of the words of a text without spaces. */
export const unspacedWordEnds = (text: string): number[] =>
  [...segmenter.segment(text)].map(({ index, segment }) => index + segment.length);

/**
 * Returns the words of `text` between two offsets with the marks that touch them: all of it but white space. White space
 * separates words, and the Unicode segmenter does in scripts without spaces. An opening mark belongs to the word behind
 * it, any other to the word before. Marks alone between spaces count as a word here.
 */
export function markedWords(text: string, from = 0, to = text.length): WrittenWord[] {
  const words: WrittenWord[] = [];
  for (const run of text.slice(from, to).matchAll(RUN)) {
    const start = from + run.index;
    const end = start + run[0].length;
    if (isUnspaced(run[0])) addAll(words, unspacedWords(run[0], start));
    else words.push({ start, end });
  }
  return words;
}

function unspacedWords(run: string, start: number): WrittenWord[] {
  const words: { start: number; end: number }[] = [];
  let openFrom: number | null = null;
  for (const { part, index } of partsOf(run)) {
    const last = words.at(-1);
    const at = start + index;
    if (SPEAKABLE.test(part)) {
      words.push({ start: openFrom ?? at, end: at + part.length });
      openFrom = null;
    } else if (!last || openFrom !== null || OPENING.test(part)) openFrom ??= at;
    else last.end = at + part.length;
  }
  const last = words.at(-1);
  if (last) last.end = start + run.length;
  return words;
}

/** Yields words and marks. Letters of other scripts are divided by nothing but a script without spaces. */
function* partsOf(run: string): Generator<{ part: string; index: number }> {
  for (const { 0: stretch, index: from } of run.matchAll(STRETCH)) {
    if (isUnspaced(stretch)) {
      for (const { segment, index } of segmenter.segment(stretch))
        yield { part: segment, index: from + index };
      continue;
    }
    const units = [...stretch];
    const [first, last] = [units.findIndex(isWritten), units.findLastIndex(isWritten)];
    let index = from;
    for (const [at, unit] of units.entries()) {
      const isInside = at > first && at <= last;
      if (!isInside) yield { part: at === first ? units.slice(first, last + 1).join('') : unit, index };
      index += unit.length;
    }
  }
}

const isWritten = (unit: string): boolean => SPEAKABLE.test(unit);

/**
 * Returns the words of `text` between two offsets, in order: those of {@link markedWords} without the punctuation around
 * them. Punctuation alone is no word.
 */
export const writtenWords = (text: string, from = 0, to = text.length): WrittenWord[] =>
  markedWords(text, from, to).flatMap(({ start, end }) => {
    const word = text.slice(start, end);
    if (!SPEAKABLE.test(word)) return [];
    const lead = LEADING_PUNCTUATION.exec(word)?.[0].length ?? 0;
    const trail = TRAILING_PUNCTUATION.exec(word)?.[0].length ?? 0;
    return [{ start: start + lead, end: end - trail }];
  });
