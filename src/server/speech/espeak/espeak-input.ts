import { decodePhoneme } from '../text/ipa.ts';
import type { MappedText } from '../text/mapped-text.ts';

/** Input of espeak: SSML that contains only our own markup, with a map back to the text. */
export interface EspeakInput {
  readonly ssml: string;
  /** For each code point of `ssml` (which is how espeak counts) the offset in the text as written. */
  readonly sourceAt: readonly number[];
}

const CHARACTERS_OPEN = '<say-as interpret-as="characters">';
const CHARACTERS_CLOSE = '</say-as>';
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
 * @param continues adds a comma, so that the voice stays up where a sentence was cut.
 */
export function toEspeakInput(
  mapped: MappedText,
  manner: { readonly spelled: boolean; readonly continues: boolean },
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
  for (const unit of mapped.text) {
    const source = mapped.sourceAt[at] ?? lastSource;
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
  if (manner.spelled) push(CHARACTERS_CLOSE, lastSource);
  if (manner.continues) push(',', lastSource);
  return { ssml: parts.join(''), sourceAt };
}
