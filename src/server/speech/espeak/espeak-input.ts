import { decodePhoneme } from '../text/ipa.ts';
import type { MappedText } from '../text/mapped-text.ts';
import type { ForeignStretch } from '../text/script-readers.ts';

/** Input of espeak: SSML that contains only our own markup, with a map back to the text. */
export interface EspeakInput {
  readonly ssml: string;
  /** For each code point of `ssml` (which is how espeak counts) the offset in the text as written. */
  readonly sourceAt: readonly number[];
}

const CHARACTERS_OPEN = '<say-as interpret-as="characters">';
const CHARACTERS_CLOSE = '</say-as>';
const LANGUAGE_CLOSE = '</voice>';
/** Between these espeak takes names of sounds instead of text. */
const PHONEMES_OPEN = '[[';
const PHONEMES_CLOSE = ']]';
const ESCAPED: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }),
);
/** Characters that espeak skips in running text but names as characters. */
const NAMED = /[<>]/;

/**
 * Escapes a piece for espeak.
 * @param manner.continues adds a comma, so that the voice stays up where a sentence was cut.
 * @param manner.language espeak's name of the language around the foreign stretches
 */
export function toEspeakInput(
  mapped: MappedText,
  manner: {
    readonly spelled: boolean;
    readonly continues: boolean;
    readonly language?: string;
    readonly foreign?: readonly ForeignStretch[];
  },
): EspeakInput {
  const parts: string[] = [];
  const sourceAt: number[] = [];
  const push = (text: string, source: number) => {
    parts.push(text);
    for (const _ of text) sourceAt.push(source);
  };
  const lastSource = mapped.sourceAt.at(-1) ?? 0;
  if (manner.spelled) push(CHARACTERS_OPEN, mapped.sourceAt[0] ?? 0);
  let at = 0;
  let before = '';
  let inPhonemes = false;
  const { foreign = [], language = '' } = manner;
  let next = 0;
  let isForeign = false;
  let isOpen = false;
  // espeak would go on in another accent behind a stretch, if the language were not named again.
  const speakIn = (name: string, source: number) => {
    push(`${isOpen ? LANGUAGE_CLOSE : ''}<voice xml:lang="${name}">`, source);
    isOpen = true;
  };
  for (const unit of mapped.text) {
    const source = mapped.sourceAt[at] ?? lastSource;
    const stretch = foreign[next];
    if (isForeign && at === stretch?.end) {
      next += 1;
      isForeign = false;
      if (at !== foreign[next]?.start) speakIn(language, source);
    }
    const begun = foreign[next];
    if (!isForeign && at === begun?.start) {
      isForeign = true;
      speakIn(begun.language, source);
    }
    const phoneme = decodePhoneme(unit);
    if ((phoneme !== undefined) !== inPhonemes) {
      inPhonemes = !inPhonemes;
      push(inPhonemes ? PHONEMES_OPEN : PHONEMES_CLOSE, source);
    }
    if (phoneme !== undefined) {
      push(phoneme, source);
      at += unit.length;
      continue;
    }
    const escaped = ESCAPED.get(unit) ?? unit;
    // `[[` would switch espeak to phoneme input.
    if (unit === '[' && before === '[') push(' ', source);
    before = unit;
    const named = NAMED.test(unit) && !manner.spelled;
    push(named ? CHARACTERS_OPEN + escaped + CHARACTERS_CLOSE : escaped, source);
    at += unit.length;
  }
  if (inPhonemes) push(PHONEMES_CLOSE, lastSource);
  if (isOpen) push(LANGUAGE_CLOSE, lastSource);
  if (manner.spelled) push(CHARACTERS_CLOSE, lastSource);
  if (manner.continues) push(',', lastSource);
  return { ssml: parts.join(''), sourceAt };
}
