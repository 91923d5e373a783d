import type { WrittenWord } from '#lib/text/words.ts';
import type { Language } from '../languages.ts';

/**
 * Pronunciations written in the text as IPA between slashes, such as `/təˈmɑːtoʊ/`, for the engine.
 *
 * Most slashes are plain text. A pronunciation begins at a word border, is IPA up to the next slash, and has at least
 * one sign that is not a plain letter. `and/or`, `1/2/2026`, `/usr/` and `/bin/` stay text. An
 * IPA word of plain letters alone, `/bed/`, stays text too; a stress mark makes it a pronunciation: `/ˈbed/`.
 *
 * The engine uses the sounds of the request's language: it replaces a missing vowel by the nearest one and drops tones
 * and voice qualities.
 */

/** A map from pairs such as `ŋ N, ɲ n^`. */
const pairs = (...rows: string[]): ReadonlyMap<string, string> =>
  new Map(rows.flatMap((row) => row.split(', ')).map((pair) => pair.split(' ') as [string, string]));

/** Signs whose sounds have the same name at the engine. */
const SAME = 'p b t d k g f v s z h m n l r j w x c q i e a o u y';
/** Other signs of IPA, and the engine's names for their sounds: consonants, affricates, vowels, diphthongs. */
const DIFFERENT = [
  'ɡ g, ɦ h, ɱ m, ŋ N, ɲ n^, ɳ n., ɫ l, ʎ l^, ɭ l., ɹ r-, ɻ r-, ɾ *, ʀ R2, ʁ R2, ʍ w, ɥ j, θ T, ð D, ʃ S, ɕ S',
  'ʒ Z, ʑ Z, ʂ s., ʐ z., ʈ t., ɖ d., ç C, χ X, ɣ Q, β B, ɸ f, ʋ v, ɟ J, ʔ ?',
  'tʃ tS, t͡ʃ tS, ʧ tS, dʒ dZ, d͡ʒ dZ, ʤ dZ, t͡s ts, ʦ ts',
  'ɪ I, ɛ E, æ a, ɐ a#, ɑ A, ɒ 0, ɔ O, ɤ o, ʊ U, ʉ u", ɯ u", ʌ V, ɜ 3:, ɜː 3:, ɝ 3:, ɚ 3, ə @, ɘ @, ɵ @',
  'ɨ i", ʏ y, ø Y, œ W, aɪ aI, eɪ eI, oʊ oU, əʊ oU, aʊ aU, ɔɪ OI',
];
const SHORT = pairs(...SAME.split(' ').map((sign) => `${sign} ${sign}`), ...DIFFERENT);
const marked = (vowels: string, mark: string, name: string) =>
  vowels.split(' ').map((vowel) => [vowel + mark, SHORT.get(vowel) + name] as const);
const SOUNDS: ReadonlyMap<string, string> = new Map([
  ...SHORT,
  ...marked('i e ɛ a ɑ ɔ o u y ø œ', 'ː', ':'),
  ...marked('ɛ ɑ ɔ œ', '\u0303', '~'),
]);

const PRIMARY_STRESS = "'";
const SECONDARY_STRESS = ',';
const STRESS: Readonly<Record<string, string>> = {
  ˈ: PRIMARY_STRESS,
  "'": PRIMARY_STRESS,
  ˌ: SECONDARY_STRESS,
};
/** Syllable borders, ties, length, tones and diacritics, which are dropped. */
const LEFT_OUT = /^(?:[.‿|ːˑ˥˦˧˨˩ʰʲʷˠˤ]|\u0303|\u030a|\u0325|\u0329|\u032f|\u035c|\u0361)/u;
const SIGNS = [...SOUNDS.keys()].sort((a, b) => b.length - a.length);

/** Nearest substitutes for sounds that a language lacks. */
const NEAREST = pairs(
  'A a, A: a:, 0 O, O o, O: o:, OI o, U u, V a, 3 @, 3: @, I i, E e, E: e:',
  'y i, y: i:, Y e, Y: e:, W E, W: E:, A~ A, E~ E, O~ O, W~ W',
);

/** Sounds missing in the engine's tables, by language; a test checks them against the engine. */
const LACKING: Readonly<Record<Language, string>> = {
  de: '0 V Y',
  en: 'A y y: Y Y: W W: W~',
  fr: 'A A: 0 U 3 3:',
  es: 'I A A: 0 V 3 3: W W: A~ W~',
  it: 'A A: 0 V 3 3: W W: A~ W~',
  pt: '0 V 3 3: W W: W~',
  nl: '0 U V 3 3: Y W W: W~',
  pl: 'I A A: 0 U V 3 3: Y Y: W W: A~ W~',
  sv: 'A 0 V 3 3: Y A~',
  da: 'U',
  no: '0 V 3 3: Y',
  fi: 'E E: A A: 0 O O: V 3 3: W W: OI E~ A~ O~ W~',
  cs: 'I A A: 0 U V 3 3: Y Y: W W: A~ W~',
  hu: 'I 0 O O: U V 3 3: W W: OI O~ W~',
  ro: 'I A A: 0 V 3 3: W W: A~ W~',
  el: 'I A A: 0 V 3 3: W W: A~ W~',
  uk: 'A A: 0 O O: U V 3 3: y y: Y Y: W W: OI A~ O~ W~',
  bg: 'I A A: 0 U V 3 3: Y Y: W W: A~ W~',
  tr: 'A A: 0 V 3 3: A~',
  vi: 'I A A: 0 U V 3 3: Y Y: W W: A~ W~',
  ar: 'I E E: 0 O O: U V 3 3: y y: Y Y: W W: OI E~ O~ W~',
  hi: 'A A: 0 3 3: y y: Y Y: W W: A~ W~',
  zh: 'I 0 O O: U V 3 3: Y Y: W W: OI O~ W~',
  ja: 'I E E: A A: 0 O O: U V 3 3: y y: Y Y: W W: OI E~ A~ O~ W~',
  ko: 'I A A: 0 O O: U V 3 3: y y: Y Y: W W: OI A~ O~ W~',
  sk: 'I A A: 0 U V 3 3: Y Y: W W: A~ W~',
  sl: 'I A A: 0 U V 3 3: Y Y: W W: A~ W~',
  hr: '0 V 3 3: Y Y: W W: W~',
  sr: '0 V 3 3: Y Y: W W: W~',
  ru: '0 U 3 3: W W: W~',
  he: 'I E E: A A: 0 O O: U V 3 3: y y: Y Y: W W: OI E~ A~ O~ W~',
  fa: 'I E E: 0 O O: U V 3 3: y y: Y Y: W W: OI E~ O~ W~',
  ur: 'A A: 0 3 3: y y: Y Y: W W: A~ W~',
  bn: 'A A: 0 3 3: y y: Y Y: W W: A~ W~',
  ta: 'A A: 0 3 3: y y: Y Y: W W: A~ W~',
  yue: 'I E E: A A: 0 O O: U V 3 3: y y: Y Y: W W: OI E~ A~ O~ W~',
  th: 'I A A: 0 U V 3 3: y y: Y Y: A~',
  id: 'I A A: 0 V 3 3: W W: A~ W~',
  ms: 'I A A: 0 V 3 3: W W: A~ W~',
};

/** A pronunciation in a text, both slashes included, with the engine's names of its sounds. */
export interface IpaWord extends WrittenWord {
  readonly phonemes: string;
}

const MAX_SIGNS = 80;
const BETWEEN_SLASHES = new RegExp(
  `(?<![^\\s"'(\\[{“‘«—–-])/([^/\\s]{1,${MAX_SIGNS}})/(?=$|[\\s"')\\]}”’».,;:!?…—–-])`,
  'uy',
);
const NO_PLAIN_LETTER = /[^a-z.']/u;

/** The pronunciations in a text, in order. */
export function ipaWords(text: string, language: Language): IpaWord[] {
  const words: IpaWord[] = [];
  for (let at = text.indexOf('/'); at !== -1; at = text.indexOf('/', at + 1)) {
    BETWEEN_SLASHES.lastIndex = at;
    const [written = '', ipa = ''] = BETWEEN_SLASHES.exec(text) ?? [];
    const phonemes = NO_PLAIN_LETTER.test(ipa) ? toPhonemes(ipa, language) : null;
    if (phonemes !== null) words.push({ start: at, end: at + written.length, phonemes });
  }
  return words;
}

/** Engine phonemes of IPA; null for an unknown sign or a silent result. */
function toPhonemes(ipa: string, language: Language): string | null {
  const lacking = new Set(LACKING[language].split(' '));
  const sounds: string[] = [];
  let heard = false;
  // A sign with a mark above may be one character or two; the nasal vowels here are two.
  for (let rest = ipa.normalize('NFD').replaceAll('c\u0327', 'ç'); rest !== ''; ) {
    const sign = SIGNS.find((candidate) => rest.startsWith(candidate));
    const stress = STRESS[rest.charAt(0)];
    const leftOut = LEFT_OUT.exec(rest)?.[0];
    if (sign !== undefined) {
      sounds.push(nearest(SOUNDS.get(sign) ?? '', lacking));
      heard = true;
      rest = rest.slice(sign.length);
    } else if (stress !== undefined) {
      sounds.push(stress);
      rest = rest.slice(1);
    } else if (leftOut !== undefined) rest = rest.slice(leftOut.length);
    else return null;
  }
  // The bar separates two names that would read as a third: `t|S` is not `tS`.
  return heard ? sounds.join('|').replace(/([',])\|/g, '$1') : null;
}

function nearest(sound: string, lacking: ReadonlySet<string>): string {
  let found = sound;
  while (lacking.has(found)) found = NEAREST.get(found) ?? '@';
  return found;
}

/** Private-use code points for phoneme names in a spoken text, which typed text cannot contain. */
const AREA_START = 0xe000;
const AREA_END = 0xe07f;
/** Characters of that area. */
export const PHONEME_UNIT = /[\ue000-\ue07f]/;

/** Names of sounds as units of a spoken text. */
export const encodePhonemes = (phonemes: string): string =>
  [...phonemes].map((unit) => String.fromCharCode(AREA_START + unit.charCodeAt(0))).join('');

/**
 * Returns a dictionary's IPA as units of a spoken text: words with blanks between them, with or without slashes or
 * brackets around. Null where the engine cannot say it.
 */
export function spokenIpa(ipa: string, language: Language): string | null {
  const bare = /^[/[]?(.*?)[/\]]?$/su.exec(ipa.trim())?.[1] ?? '';
  const words = bare.split(/\s+/u).map((word) => toPhonemes(word, language));
  return words.includes(null) ? null : words.map((word) => encodePhonemes(word ?? '')).join(' ');
}

/** Phoneme name of one unit; undefined for any other character. */
export function decodePhoneme(unit: string): string | undefined {
  const code = unit.charCodeAt(0);
  return code >= AREA_START && code <= AREA_END ? String.fromCharCode(code - AREA_START) : undefined;
}
