import { mainScript, scriptOfLetter, scriptsOf, type WritingScript } from '#lib/text/scripts.ts';
import type { Language } from '../languages.ts';
import { PHONEME_UNIT } from './ipa.ts';

/** A stretch of a spoken text that another language reads; offsets are UTF-16, end exclusive. */
export interface ForeignStretch {
  readonly start: number;
  readonly end: number;
  readonly language: string;
}

/** Languages of espeak that read a script, by what it has of letters; the last one reads any. */
const READERS: Readonly<Record<WritingScript, readonly (readonly [string, RegExp?])[]>> = {
  Latin: [['en']],
  Greek: [['el']],
  Cyrillic: [
    ['uk', /[іїєґ]/iu],
    ['sr', /[ђћџљњј]/iu],
    ['ru', /[ыэё]/iu],
    ['bg', /ъ[бвгджзклмнпрстфхцчшщ]/iu],
    ['ru'],
  ],
  Arabic: [['ur', /[ٹڈڑںےہھ]/u], ['fa', /[پچژگکی]/u], ['ar']],
  Hebrew: [['he']],
  Devanagari: [['hi']],
  Bengali: [['bn']],
  Tamil: [['ta']],
  Thai: [['th']],
  Han: [['zh']],
  Kana: [['ja']],
  Hangul: [['ko']],
  Georgian: [['ka']],
  Armenian: [['hy']],
  Ethiopic: [['am']],
  Gujarati: [['gu']],
  Gurmukhi: [['pa']],
  Kannada: [['kn']],
  Malayalam: [['ml']],
  Oriya: [['or']],
  Sinhala: [['si']],
  Telugu: [['te']],
  Myanmar: [['my']],
};

/** Letters of a script that a language reads without them, so that it says their names. */
const UNREAD: Partial<Record<Language, readonly [WritingScript, RegExp]>> = {
  ar: ['Arabic', /[ٹڈڑںےہھپچژگکی]/u],
  uk: ['Cyrillic', /[ыэё]/iu],
  bg: ['Cyrillic', /[ыэё]/iu],
};
const WORD = /[\p{L}\p{M}]+/uy;

/** Characters of a text that decide between the readers of a script. */
const ENOUGH = 1000;
/** espeak reads Latin words in other languages by itself, save in these. */
const WITHOUT_LATIN: readonly Language[] = ['ja', 'he'];
/** Single letters of these have names in other languages: `π`, `Ж`. */
const ALPHABETS: ReadonlySet<WritingScript> = new Set(['Latin', 'Greek', 'Cyrillic', 'Arabic', 'Hebrew']);
const MARK = /[\p{M}\u200c\u200d]/u;

/** The language that reads a script, by the letters of a text. */
function readerOf(script: WritingScript, text: string): string {
  const beginning = text.slice(0, ENOUGH);
  return READERS[script].find(([, letters]) => letters?.test(beginning) ?? true)?.[0] ?? 'en';
}

/** The language of a text whose script decides it; undefined for Latin and no script. */
export function languageByScript(text: string): string | undefined {
  const script = mainScript(text);
  return script === undefined || script === 'Latin' ? undefined : readerOf(script, text);
}

function readsItself(language: Language, script: WritingScript): boolean {
  if (script === 'Latin') return !WITHOUT_LATIN.includes(language);
  // espeak's Japanese has no readings of kanji.
  if (language === 'ja' && script === 'Han') return false;
  return scriptsOf(language).includes(script);
}

/** Finds the stretches of spoken texts that a language cannot read. espeak would spell them letter by letter. */
export class ScriptReaders {
  readonly #text: string;
  readonly #language: Language;
  /** By script; null where the language reads it. */
  readonly #readers = new Map<WritingScript, string | null>();

  /** @param text the whole text, which decides between readers of a script */
  constructor(text: string, language: Language) {
    this.#text = text;
    this.#language = language;
  }

  /** A stretch has words of one script, and what is between them. */
  stretches(text: string): ForeignStretch[] {
    const found: ForeignStretch[] = [];
    let open:
      | { start: number; end: number; script: WritingScript; language: string; isWord: boolean }
      | undefined;
    const close = () => {
      if (open && (open.isWord || !ALPHABETS.has(open.script))) found.push(open);
      open = undefined;
    };
    let at = 0;
    let word: { end: number; reader: string | null } = { end: 0, reader: null };
    for (const character of text) {
      const script = scriptOfLetter(character);
      const end = at + character.length;
      if (script && at >= word.end) word = this.#wordAt(text, at, script);
      const language = script && (this.#readerOf(script) ?? word.reader);
      if (script && language && open?.script === script && open.language === language) {
        open.isWord ||= open.end === at;
        open.end = end;
      } else if (script && language) {
        close();
        open = { start: at, end, script, language, isWord: false };
      } else if (open?.end === at && MARK.test(character)) open.end = end;
      else if (script || PHONEME_UNIT.test(character)) close();
      at = end;
    }
    close();
    return found;
  }

  /** A word with letters that the language does not read is left to another one. */
  #wordAt(text: string, at: number, script: WritingScript): { end: number; reader: string | null } {
    const [own, letters] = UNREAD[this.#language] ?? [];
    if (own !== script || !letters) return { end: at, reader: null };
    WORD.lastIndex = at;
    const [word = ''] = WORD.exec(text) ?? [];
    return { end: at + word.length, reader: letters.test(word) ? readerOf(script, this.#text) : null };
  }

  #readerOf(script: WritingScript): string | null {
    let reader = this.#readers.get(script);
    if (reader === undefined) {
      reader = readsItself(this.#language, script) ? null : readerOf(script, this.#text);
      this.#readers.set(script, reader);
    }
    return reader;
  }
}
