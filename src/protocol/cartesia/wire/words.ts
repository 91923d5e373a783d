const SPEAKABLE = /[\p{L}\p{N}\p{S}\p{M}]/u;

/** A first text of mere punctuation is refused, and signs are spoken (cartesia-text-2). */
export const hasWord = (text: string): boolean => SPEAKABLE.test(text);

/** The beginning of a tag, which must not be split over two messages (cartesia-message-24). */
const OPEN_TAG = /<(?:\/?[a-z][^<>]{0,80}|\/)?$/;
/** Letters that are spelt, without their end, are held up to this length. */
const MAX_SPELL_CHARS = '<spell>'.length + 200;

function withoutOpenSpell(text: string): string {
  const from = Math.max(text.lastIndexOf('</spell>') + 1, text.length - MAX_SPELL_CHARS);
  const open = text.indexOf('<spell>', from);
  return open < 0 ? text : text.slice(0, open);
}

/**
 * Splits text into what may be sent and what waits for more.
 * @param isFirst of its context
 */
export function sendableText(text: string, isFirst: boolean): { sent: string; held: string } {
  const sent = withoutOpenSpell(text).replace(OPEN_TAG, '');
  return isFirst && !hasWord(sent) ? { sent: '', held: text } : { sent, held: text.slice(sent.length) };
}
