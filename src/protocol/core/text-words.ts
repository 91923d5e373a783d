/** Markup and audio tags, such as `<break/>` and `[laughs]`. Bounded, so that no text takes quadratic time. */
const TAGS = /<[^<>]{1,200}>|\[[^[\]]{1,200}\]/gu;

/** Returns a text with spaces in place of its tags, which are not spoken. Offsets stay. */
export const withoutTags = (text: string): string => text.replaceAll(TAGS, (tag) => ' '.repeat(tag.length));

/** Whether a text has letters or digits outside of tags. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(withoutTags(text));

/** Longest run of marks and tags between two words, in characters. */
const MAX_BETWEEN = 60;

/**
 * Returns the place of a spoken word in the text of its chunk, for servers that do not report it. Words have no separators,
 * and Chinese and Japanese may come character by character. A word that the text does not have, such as a normalised number,
 * gets an empty place.
 * @param text null for an unknown one, in which single spaces separate the words
 * @param from end of the previous word
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
