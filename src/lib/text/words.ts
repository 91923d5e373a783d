/** Words of written text, the same for all endpoints, estimates, captions and heard text. */

/** A stretch of a text: UTF-16 offsets, end exclusive. */
export interface WrittenWord {
  readonly start: number;
  readonly end: number;
}

const RUN = /\S+/gu;
/** Units that a voice can say, within the brackets of a pattern. Text without any is punctuation alone. */
export const SPEAKABLE_UNITS = '\\p{L}\\p{N}\\p{S}\\p{M}';
const SPEAKABLE = new RegExp(`[${SPEAKABLE_UNITS}]`, 'u');
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

/** One segmenter serves all languages, because it chooses its dictionary by the script. Made with the first text that needs it. */
let segmenter: Intl.Segmenter | undefined;

/** Whether a text has letters of a script without spaces. */
export const isUnspaced = (text: string): boolean => UNSPACED_SCRIPT.test(text);

/** The segmenter takes time by the square of a text. */
const WINDOW = 256;
/** Words at the end of a window depend on the text behind it. */
const WINDOW_MARGIN = 32;

/** Yields the words of a text without spaces, and what is between them. */
export function* unspacedWords(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
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

/**
 * Returns the words of a text with the marks that touch them: all of it but white space. White space separates words, and
 * the Unicode segmenter does in scripts without spaces. An opening mark belongs to the word behind it, any other to the
 * word before. Marks alone between spaces count as a word here.
 */
export const markedWords = (text: string): WrittenWord[] => [...markedIn(text, 0, text.length)];

function* markedIn(text: string, from: number, to: number): Generator<WrittenWord> {
  for (const { 0: run, index } of text.slice(from, to).matchAll(RUN)) {
    const start = from + index;
    if (isUnspaced(run)) yield* markedInRun(run, start);
    else yield { start, end: start + run.length };
  }
}

function* markedInRun(run: string, start: number): Generator<WrittenWord> {
  let word: { start: number; end: number } | null = null;
  let openFrom: number | null = null;
  for (const { part, index } of partsOf(run)) {
    const at = start + index;
    if (SPEAKABLE.test(part)) {
      if (word) yield word;
      word = { start: openFrom ?? at, end: at + part.length };
      openFrom = null;
    } else if (!word || openFrom !== null || OPENING.test(part)) openFrom ??= at;
    else word.end = at + part.length;
  }
  if (word) yield { start: word.start, end: start + run.length };
  else if (openFrom !== null) yield { start: openFrom, end: start + run.length };
}

/** Yields words and marks. Letters of other scripts are divided by nothing but a script without spaces. */
function* partsOf(run: string): Generator<{ part: string; index: number }> {
  for (const { 0: stretch, index: from } of run.matchAll(STRETCH)) {
    if (isUnspaced(stretch)) {
      let index = from;
      for (const part of unspacedWords(stretch)) {
        yield { part, index };
        index += part.length;
      }
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
 * Yields the words of `text` between two offsets, in order: those of {@link markedWords} without the punctuation around
 * them. Punctuation alone is no word.
 */
export function* wordsIn(text: string, from: number, to: number): Generator<WrittenWord> {
  for (const { start, end } of markedIn(text, from, to)) {
    const word = text.slice(start, end);
    if (!SPEAKABLE.test(word)) continue;
    const lead = LEADING_PUNCTUATION.exec(word)?.[0].length ?? 0;
    const trail = TRAILING_PUNCTUATION.exec(word)?.[0].length ?? 0;
    yield { start: start + lead, end: end - trail };
  }
}

export const writtenWords = (text: string): WrittenWord[] => [...wordsIn(text, 0, text.length)];
