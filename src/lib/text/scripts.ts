/** Scripts by their Unicode names: their letters, and the scripts of locales that have them. Kana are of both kinds. */
const SCRIPTS = {
  Latin: { letter: /\p{Script=Latin}/u, codes: ['Latn'] },
  Greek: { letter: /\p{Script=Greek}/u, codes: ['Grek'] },
  Cyrillic: { letter: /\p{Script=Cyrillic}/u, codes: ['Cyrl'] },
  Arabic: { letter: /\p{Script=Arabic}/u, codes: ['Arab'] },
  Hebrew: { letter: /\p{Script=Hebrew}/u, codes: ['Hebr'] },
  Devanagari: { letter: /\p{Script=Devanagari}/u, codes: ['Deva'] },
  Bengali: { letter: /\p{Script=Bengali}/u, codes: ['Beng'] },
  Tamil: { letter: /\p{Script=Tamil}/u, codes: ['Taml'] },
  Thai: { letter: /\p{Script=Thai}/u, codes: ['Thai'] },
  Han: { letter: /\p{Script=Han}/u, codes: ['Hans', 'Hant', 'Jpan', 'Kore'] },
  Kana: { letter: /[\p{Script=Hiragana}\p{Script=Katakana}]/u, codes: ['Jpan'] },
  Hangul: { letter: /\p{Script=Hangul}/u, codes: ['Kore'] },
  Georgian: { letter: /\p{Script=Georgian}/u, codes: ['Geor'] },
  Armenian: { letter: /\p{Script=Armenian}/u, codes: ['Armn'] },
  Ethiopic: { letter: /\p{Script=Ethiopic}/u, codes: ['Ethi'] },
  Gujarati: { letter: /\p{Script=Gujarati}/u, codes: ['Gujr'] },
  Gurmukhi: { letter: /\p{Script=Gurmukhi}/u, codes: ['Guru'] },
  Kannada: { letter: /\p{Script=Kannada}/u, codes: ['Knda'] },
  Malayalam: { letter: /\p{Script=Malayalam}/u, codes: ['Mlym'] },
  Oriya: { letter: /\p{Script=Oriya}/u, codes: ['Orya'] },
  Sinhala: { letter: /\p{Script=Sinhala}/u, codes: ['Sinh'] },
  Telugu: { letter: /\p{Script=Telugu}/u, codes: ['Telu'] },
  Myanmar: { letter: /\p{Script=Myanmar}/u, codes: ['Mymr'] },
} as const;

export type WritingScript = keyof typeof SCRIPTS;

const TABLE = Object.entries(SCRIPTS) as [WritingScript, { letter: RegExp; codes: readonly string[] }][];
const LETTER = /\p{L}/u;
/** Letters below are Latin. */
const FIRST_OTHER = 0x250;
/** Characters of a text that are examined. */
const ENOUGH = 1000;

/** Returns the script of a letter; undefined for other characters and rare scripts. */
export function scriptOfLetter(character: string): WritingScript | undefined {
  if (!LETTER.test(character)) return undefined;
  if (character.charCodeAt(0) < FIRST_OTHER) return 'Latin';
  return TABLE.find(([, { letter }]) => letter.test(character))?.[0];
}

/**
 * Returns the script of a text by its beginning; undefined where none prevails. Chinese, Japanese and Korean prevail from a
 * fifth of the letters on, because each of theirs carries as much as about four Latin ones. Kana before Han, because
 * Japanese has both and Chinese no kana.
 */
export function mainScript(text: string): WritingScript | undefined {
  const counts = new Map<WritingScript | undefined, number>();
  let letters = 0;
  for (const character of text.slice(0, ENOUGH)) {
    if (!LETTER.test(character)) continue;
    letters += 1;
    const script = scriptOfLetter(character);
    counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  const shareOf = (script: WritingScript): number => (counts.get(script) ?? 0) / letters;
  const dense = (['Hangul', 'Kana', 'Han'] as const).find((script) => shareOf(script) >= 0.2);
  return dense ?? TABLE.find(([script]) => shareOf(script) > 0.5)?.[0];
}

/** Returns the scripts that a language is written in, by its code such as `sr` or `en-US`; none for an unknown one. */
export function scriptsOf(language: string): readonly WritingScript[] {
  try {
    const code = new Intl.Locale(language).maximize().script ?? '';
    return TABLE.flatMap(([script, { codes }]) => (codes.includes(code) ? [script] : []));
  } catch {
    return [];
  }
}

/** Further scripts of languages that are written in several. Latin fits everywhere. */
const SECOND: Readonly<Record<string, readonly WritingScript[]>> = {
  az: ['Cyrillic', 'Arabic'],
  bm: ['Arabic'],
  bs: ['Cyrillic', 'Arabic'],
  ff: ['Arabic'],
  ha: ['Arabic'],
  kk: ['Arabic'],
  kmr: ['Cyrillic', 'Arabic'],
  kok: ['Kannada', 'Malayalam'],
  ks: ['Devanagari'],
  ku: ['Cyrillic', 'Arabic', 'Armenian'],
  ky: ['Arabic'],
  mn: ['Cyrillic'],
  mni: ['Bengali'],
  ms: ['Arabic'],
  pa: ['Arabic', 'Devanagari'],
  sa: ['Bengali', 'Gujarati', 'Kannada', 'Malayalam', 'Oriya', 'Tamil', 'Telugu'],
  sd: ['Devanagari', 'Gurmukhi'],
  sh: ['Cyrillic'],
  so: ['Arabic'],
  sr: ['Cyrillic'],
  tg: ['Arabic'],
  tk: ['Cyrillic', 'Arabic'],
  tt: ['Arabic'],
  ug: ['Cyrillic'],
  uz: ['Cyrillic', 'Arabic'],
};

/** Whether a language can be written in a script. A code that names its script, such as `sr-Latn`, has that one alone. */
function canHave(language: string, script: WritingScript): boolean {
  if (scriptsOf(language).includes(script)) return true;
  const locale = new Intl.Locale(language);
  return locale.script === undefined && (SECOND[locale.language]?.includes(script) ?? false);
}

/**
 * Returns whether most letters of a text are of a script without a row in the table. They are the scripts for which the local
 * engine has no language.
 */
export function isRareScript(text: string): boolean {
  const letters = [...text.slice(0, ENOUGH).normalize('NFKC')].filter((one) => LETTER.test(one));
  const rare = letters.filter((one) => scriptOfLetter(one) === undefined && !/\p{Script=Common}/u.test(one));
  return rare.length > letters.length / 2;
}

/**
 * Returns the script of a text that its language is not written in; undefined where they fit, or one of them is unknown.
 * Latin fits everywhere, because every language quotes it.
 */
export function foreignScript(text: string, language: string): WritingScript | undefined {
  const known = scriptsOf(language);
  const script = mainScript(text);
  return script === undefined || script === 'Latin' || known.length === 0 || canHave(language, script)
    ? undefined
    : script;
}
