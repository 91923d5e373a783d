/**
 * Text that is sent while it is typed leaves the box as soon as it is certain: up to the last white space at once, the
 * word in the making when the writer pauses. What is left can still be corrected; what has been sent cannot.
 */

/** A pause of this long means that the word is finished. */
export const PAUSE_MS = 600;

/** Splits what is in the box into what goes out now and what stays. The two concatenate to the text. */
export function cutAtLastSpace(text: string): { send: string; keep: string } {
  const match = /^[\s\S]*\s/u.exec(text);
  const end = match?.[0].length ?? 0;
  // White space alone is no word; it goes out in front of the next one.
  return text.slice(0, end).trim() === ''
    ? { send: '', keep: text }
    : { send: text.slice(0, end), keep: text.slice(end) };
}
