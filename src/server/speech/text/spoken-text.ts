import { addAll } from '#lib/collections/arrays.ts';
import { type WrittenWord, writtenWords } from '#lib/text/words.ts';
import type { Markup, Pronunciation } from '../engine.ts';
import type { Language } from '../languages.ts';
import { encodePhonemes, type IpaWord, ipaWords, PHONEME_UNIT, spokenIpa } from './ipa.ts';
import { type MappedText, MappedTextBuilder, withShortWords } from './mapped-text.ts';
import { parseMarkup, parseNewlines, type Segment } from './markup.ts';
import { compilePronunciations, type Replacement } from './pronunciations.ts';

/** Text spoken in one manner. */
export interface SpeechRun {
  readonly kind: 'speech';
  readonly mapped: MappedText;
  /** Factor given by `prosody`, in place of the request's speed. */
  readonly rate: number | undefined;
  /** Character by character. */
  readonly spelled: boolean;
  /** Its end offset in the text as written. */
  readonly sourceEnd: number;
}

export type Silence = { readonly kind: 'silence'; readonly durationMs: number };

export type SpokenRun = SpeechRun | Silence;

/** Text to speak, with a map back to the written text. */
export interface SpokenText {
  readonly runs: readonly SpokenRun[];
  readonly words: readonly WrittenWord[];
}

/** Facts 1.7: the pause between groups of spelled characters. */
const SPELL_PAUSE_MS = 500;
/** Marks a blank line, which always ends a sentence. */
export const PARAGRAPH = '\n';

const BLANK_LINE = /\s*\n\s*\n\s*/y;
const SPACE = /\s/u;
const DIGIT = /\p{Nd}/u;
const LONE_SURROGATE = /[\ud800-\udfff]/u;
/** Controls and invisible format characters, save the joiners that Persian, Hindi and emoji are written with. */
const UNHEARD = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Variation_Selector}]/u;
const PLAIN: ReadonlyMap<string, string> = new Map([
  ...[...'\u2018\u2019\u201a\u201b\u2032\u02bc'].map((quote) => [quote, "'"] as const),
  ...[...'\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2039\u203a'].map((quote) => [quote, '"'] as const),
  ...[...'\u2010\u2011'].map((hyphen) => [hyphen, '-'] as const),
]);
const DASH = /[\u2013-\u2015]/;

interface Source {
  readonly text: string;
  readonly normalize: boolean;
  readonly language: Language;
  readonly saysSounds: boolean;
}

function appendUnit(out: MappedTextBuilder, source: Source, unit: string, at: number): void {
  const plain = PLAIN.get(unit) ?? unit;
  if (SPACE.test(plain)) {
    // One blank is enough, and espeak would hear more of them as a pause.
    if (out.lastUnit !== ' ' && out.lastUnit !== PARAGRAPH) out.push(' ', at);
  } else if (UNHEARD.test(plain) || LONE_SURROGATE.test(plain) || PHONEME_UNIT.test(plain)) {
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

function appendText(
  out: MappedTextBuilder,
  source: Source,
  segment: WrittenWord,
  replacements: readonly Replacement[],
  pronounced: readonly IpaWord[],
): void {
  let next = 0;
  let nextPronounced = 0;
  let at = segment.start;
  while (at < segment.end) {
    const word = pronounced[nextPronounced];
    if (word !== undefined && at >= word.start + segment.start) {
      // Behind the slash, where the word as written begins.
      out.push(encodePhonemes(word.phonemes), at + 1);
      at = word.end + segment.start;
      nextPronounced += 1;
      while ((replacements[next]?.start ?? at) + segment.start < at) next += 1;
      continue;
    }
    const hit = replacements[next];
    if (hit !== undefined && at >= hit.start + segment.start) {
      const { replacement, ipa } = hit.entry;
      const phonemes = ipa && source.saysSounds ? spokenIpa(ipa, source.language) : null;
      if (phonemes !== null) out.push(phonemes, at);
      else for (const unit of replacement) appendUnit(out, { ...source, text: '' }, unit, at);
      at = hit.end + segment.start;
      next += 1;
      continue;
    }
    BLANK_LINE.lastIndex = at;
    const blank = /\s/.test(source.text.charAt(at)) ? BLANK_LINE.exec(source.text)?.[0] : undefined;
    if (blank !== undefined) {
      out.push(PARAGRAPH, at);
      at = Math.min(segment.end, at + blank.length);
      continue;
    }
    const unit = String.fromCodePoint(source.text.codePointAt(at) ?? 0);
    appendUnit(out, source, unit, at);
    at += unit.length;
  }
}

function spell(text: string, segment: Segment & { readonly kind: 'text' }, group: number): SpokenRun[] {
  const runs: SpokenRun[] = [];
  let out = new MappedTextBuilder();
  let count = 0;
  const close = (sourceEnd: number) => {
    const mapped = out.build();
    if (mapped.text !== '') {
      runs.push({ kind: 'speech', mapped, rate: segment.rate, spelled: true, sourceEnd });
    }
    out = new MappedTextBuilder();
    count = 0;
  };
  for (let at = segment.start; at < segment.end; ) {
    const unit = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const heard = ![SPACE, UNHEARD, LONE_SURROGATE, PHONEME_UNIT].some((sort) => sort.test(unit));
    if (heard) {
      if (count === group) {
        close(at);
        runs.push({ kind: 'silence', durationMs: SPELL_PAUSE_MS });
      }
      out.push(PLAIN.get(unit) ?? unit, at);
      count += 1;
    }
    at += unit.length;
  }
  close(segment.end);
  return runs;
}

/**
 * Converts a written text to spoken text (facts 1.7): applies or drops markup, applies IPA and dictionaries, and escapes
 * characters that the engine would read as syntax.
 * @param options.saysSounds espeak: takes sounds by name, and drops the end of long words. Without it, IPA stays text.
 */
export function toSpokenText(
  text: string,
  options: {
    readonly normalize: boolean;
    readonly pronunciations: readonly Pronunciation[];
    readonly language: Language;
    readonly markup?: Markup;
    readonly saysSounds: boolean;
  },
): SpokenText {
  const { saysSounds } = options;
  const hasTags = options.markup !== 'newlines';
  const find = compilePronunciations(options.pronunciations);
  const source: Source = { text, normalize: options.normalize, language: options.language, saysSounds };
  const runs: SpokenRun[] = [];
  const words: WrittenWord[] = [];
  let open: { readonly out: MappedTextBuilder; readonly rate: number | undefined } | undefined;
  let sourceEnd = 0;
  const close = () => {
    const mapped = open?.out.build();
    if (mapped !== undefined && mapped.text !== '') {
      runs.push({
        kind: 'speech',
        mapped: saysSounds ? withShortWords(mapped) : mapped,
        rate: open?.rate,
        spelled: false,
        sourceEnd,
      });
    }
    open = undefined;
  };
  for (const segment of hasTags ? parseMarkup(text) : parseNewlines(text)) {
    if (segment.kind === 'break') {
      close();
      if (segment.durationMs > 0) {
        runs.push({ kind: 'silence', durationMs: segment.durationMs });
      }
      continue;
    }
    addAll(words, writtenWords(text, segment.start, segment.end));
    if (segment.spellGroup !== undefined) {
      close();
      addAll(runs, spell(text, segment, segment.spellGroup));
      continue;
    }
    if (open?.rate !== segment.rate) close();
    open ??= { out: new MappedTextBuilder(), rate: segment.rate };
    const written = text.slice(segment.start, segment.end);
    const pronounced = hasTags && saysSounds ? ipaWords(written, options.language) : [];
    appendText(open.out, source, segment, find(written), pronounced);
    sourceEnd = segment.end;
  }
  close();
  return { runs, words };
}
