/** Markup and audio tags, as `<break/>` and `[laughs]`. Bounded, so that no text takes quadratic time. */
const TAGS = /<[^<>]{1,200}>|\[[^[\]]{1,200}\]/gu;

/** Returns a text with spaces in place of its tags, which nobody speaks. Offsets stay. */
export const withoutTags = (text: string): string => text.replaceAll(TAGS, (tag) => ' '.repeat(tag.length));

/** Whether a text has letters or digits outside of tags. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(withoutTags(text));

/** Marks and tags that may be between two words, in characters. */
const MAX_BETWEEN = 60;

/**
 * Where a word is in the text of its chunk, which the server does not say. Words come without separators, and Chinese and
 * Japanese may come character by character. A word that is not written so, such as a number that was normalised,
 * gets an empty place.
 * @param from behind the word before
 */
export function placeWord(
  text: string | null,
  word: string,
  from: number,
): { charStart: number; charEnd: number } {
  if (text === null) {
    const charStart = from === 0 ? 0 : from + 1;
    return { charStart, charEnd: charStart + word.length };
  }
  const found = text.slice(from, from + MAX_BETWEEN + word.length).indexOf(word);
  const charStart = found < 0 ? from : from + found;
  return { charStart, charEnd: found < 0 ? from : charStart + word.length };
}
