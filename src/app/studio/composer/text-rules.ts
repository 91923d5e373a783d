import { count } from '#lib/format.ts';
import { memoiseLast } from '#lib/memoise.ts';

/** From this share of the limit, the count is always visible. */
const NEAR = 0.9;

/**
 * Compares a text with the server's limit, in Unicode code points, as servers count them. Remembered, because every
 * report of a session asks for it.
 */
export const textCount = memoiseLast((text: string, limit: number) => {
  let length = 0;
  for (const _ of text) length += 1;
  const over = length - limit;
  return {
    words: `${count(length)} of ${count(limit)}`,
    tone: over > 0 ? 'over' : length >= limit * NEAR ? 'near' : 'plain',
    problem:
      over > 0
        ? `The text is ${count(over)} characters longer than the ${count(limit)} that the server takes at once. Shorten it.`
        : null,
  };
});

/** After a pause of this length the last word is finished. */
export const PAUSE_MS = 600;

/** Splits a text into finished words to send and the rest to keep. The two concatenate to the text. */
export function cutAtLastSpace(text: string): { send: string; keep: string } {
  const end = /^[\s\S]*\s/u.exec(text)?.[0].length ?? 0;
  // White space alone is no word; it is sent in front of the next one.
  return text.slice(0, end).trim() === ''
    ? { send: '', keep: text }
    : { send: text.slice(0, end), keep: text.slice(end) };
}
