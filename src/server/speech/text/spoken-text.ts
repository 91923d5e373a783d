import { hasHalf } from '#lib/text/halves.ts';
import { type WrittenWord, wordsIn } from '#lib/text/words.ts';
import type { Markup, Pronunciation } from '../engine.ts';
import type { Language } from '../languages.ts';
import { encodePhonemes, ipaWords, PHONEME_UNIT, spokenIpa } from './ipa.ts';
import { parseMarkup, parseNewlines, type TextSegment } from './markup.ts';
import { type Match, Matches } from './matches.ts';
import { PartBuilder, type SpokenPart } from './part-builder.ts';
import { PLAIN_QUOTES, plainUnitAt } from './plain-form.ts';
import { compilePronunciations } from './pronunciations.ts';

interface Options {
  readonly normalize: boolean;
  readonly pronunciations: readonly Pronunciation[];
  readonly language: Language;
  readonly markup?: Markup;
  /** espeak: takes sounds by name, and drops the end of long words. Without it, IPA stays text. */
  readonly saysSounds: boolean;
  /** Searched at once for words of a dictionary and IPA. */
  readonly searchedUnits?: number;
}

const SEARCHED_UNITS = 1000;

/** Facts 1.7: the pause between groups of spelled characters. */
const SPELL_PAUSE_MS = 500;
/** Marks a blank line, which always ends a sentence. */
export const PARAGRAPH = '\n';

const BLANKS = /\s+/y;
const SPACE = /\s/u;
const DIGIT = /\p{Nd}/u;
/** Controls and invisible format characters, save the joiners that Persian, Hindi and emoji are written with. */
const UNHEARD = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Variation_Selector}]/u;
const PLAIN: ReadonlyMap<string, string> = new Map([
  ...PLAIN_QUOTES,
  ...[...'\u2010\u2011'].map((hyphen) => [hyphen, '-'] as const),
]);
const DASH = /[\u2013-\u2015]/;

interface Source extends Options {
  readonly text: string;
}

function appendUnit(out: PartBuilder, source: Source, unit: string, at: number): void {
  const plain = PLAIN.get(unit) ?? unit;
  if (SPACE.test(plain)) {
    // One blank is enough, and espeak would hear more of them as a pause.
    if (out.lastUnit !== ' ' && out.lastUnit !== PARAGRAPH) out.push(' ', at);
  } else if (isUnheard(plain)) {
    return;
  } else if (DASH.test(plain)) {
    const inNumber = DIGIT.test(out.lastUnit) && DIGIT.test(source.text.charAt(at + 1));
    // Set off by blanks it is heard as the pause that it is; joined to its neighbours it is swallowed.
    out.push(inNumber ? '\u2013' : out.lastUnit === ' ' ? '\u2014 ' : ' \u2014 ', at);
  } else if (!source.normalize && DIGIT.test(plain) && DIGIT.test(out.lastUnit)) {
    out.push(` ${plain}`, at);
  } else {
    out.push(plain, at);
  }
}

const isUnheard = (unit: string): boolean => UNHEARD.test(unit) || hasHalf(unit) || PHONEME_UNIT.test(unit);

/** Appends the blanks at this place as one, or as a blank line. Returns their end. */
function appendBlanks(out: PartBuilder, text: string, at: number): number {
  BLANKS.lastIndex = at;
  const [blanks = ''] = BLANKS.exec(text) ?? [];
  const isBlankLine = blanks.indexOf('\n') !== blanks.lastIndexOf('\n');
  if (isBlankLine) out.push(PARAGRAPH, at);
  else if (out.lastUnit !== ' ' && out.lastUnit !== PARAGRAPH) out.push(' ', at);
  return at + blanks.length;
}

/** Appends a part of the text, yielding each part that is full. */
function* appendText(
  out: PartBuilder,
  source: Source,
  part: WrittenWord,
  find: (text: string) => readonly Match[],
): Generator<SpokenPart> {
  const { text, language, saysSounds, searchedUnits = SEARCHED_UNITS } = source;
  const { start, end } = part;
  const matches = new Matches(text, part, find, searchedUnits);
  let before = start;
  for (let at = start; at < end; ) {
    out.reach(at);
    if (out.isFull) yield out.take();
    const match = matches.at(at, before);
    if (match) {
      before = at;
      if ('phonemes' in match) {
        // Behind the slash, where the word as written begins.
        out.push(encodePhonemes(match.phonemes), at + 1);
      } else {
        const { replacement, ipa } = match.entry;
        const phonemes = ipa && saysSounds ? spokenIpa(ipa, language) : null;
        if (phonemes !== null) out.push(phonemes, at);
        else for (const unit of replacement) appendUnit(out, { ...source, text: '' }, unit, at);
      }
      at = match.end;
    } else if (SPACE.test(text.charAt(at))) {
      at = Math.min(end, appendBlanks(out, text, at));
      before = at - 1;
    } else {
      before = at;
      const { plain, end: unitEnd } = plainUnitAt(text, at);
      for (const unit of plain) appendUnit(out, source, unit, at);
      at = unitEnd;
    }
  }
  out.reach(end);
}

/** Appends a segment character by character, in groups, yielding each part that is full. */
function* spell(out: PartBuilder, text: string, segment: TextSegment, group: number): Generator<SpokenPart> {
  let count = 0;
  out.close();
  out.begin({ rate: segment.rate, spelled: true });
  for (let at = segment.start; at < segment.end; ) {
    out.reach(at);
    if (out.isFull) yield out.take();
    const { plain, end } = plainUnitAt(text, at);
    for (const unit of plain) {
      if (SPACE.test(unit) || isUnheard(unit)) continue;
      if (count === group) {
        out.silence(SPELL_PAUSE_MS);
        count = 0;
      }
      out.push(PLAIN.get(unit) ?? unit, at);
      count += 1;
    }
    at = end;
  }
  out.reach(segment.end);
  out.close();
}

/**
 * Converts a written text to spoken text, part by part: applies or drops markup, applies IPA and dictionaries,
 * and escapes characters that the engine would read as syntax. A part takes some 2 ms with a dictionary of 200 words that begin
 * alike and have different lengths.
 */
export function* spokenParts(text: string, options: Options): Generator<SpokenPart> {
  const source: Source = { ...options, text };
  const findWords = compilePronunciations(options.pronunciations);
  const saysIpa = options.markup !== 'newlines' && options.saysSounds;
  // A pronunciation in the text precedes a word that begins with its slash.
  const find = (some: string): readonly Match[] =>
    [...(saysIpa ? ipaWords(some, options.language) : []), ...findWords(some)].sort(
      (a, b) => a.start - b.start,
    );
  const out = new PartBuilder(options.saysSounds);
  for (const segment of options.markup === 'newlines' ? parseNewlines(text) : parseMarkup(text)) {
    if (out.isFull) yield out.take();
    if (segment.kind === 'break') out.silence(segment.durationMs);
    if (segment.kind !== 'text') {
      out.skip();
      continue;
    }
    out.read(wordsIn(text, segment.start, segment.end));
    if (segment.spellGroup !== undefined) {
      yield* spell(out, text, segment, segment.spellGroup);
      continue;
    }
    out.begin({ rate: segment.rate, spelled: false });
    yield* appendText(out, source, segment, find);
  }
  out.close();
  yield out.take();
}
