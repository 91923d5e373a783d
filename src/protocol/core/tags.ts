/** Markup and audio tags, as `<break/>` and `[laughs]`. Bounded, so that no text takes quadratic time. */
const TAGS = /<[^<>]{1,200}>|\[[^[\]]{1,200}\]/gu;

/** Returns a text with spaces in place of its tags, which nobody speaks. Offsets stay. */
export const withoutTags = (text: string): string => text.replaceAll(TAGS, (tag) => ' '.repeat(tag.length));

/** Whether a text has letters or digits outside of tags. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(withoutTags(text));
