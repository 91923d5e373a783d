import { grown, shorterBeginnings } from '#lib/text/beginnings.ts';
import type { Span } from './spans.ts';

/**
 * V8 searches for a pattern of this length in time linear in the text. Of a longer one its tables know only the end, so that a
 * text may cost its length times that of the pattern.
 */
const MAX_LINEAR_CHARS = 250;

/** Further places are one, up to the end of the text, because only a hostile text has so many. */
const MAX_SPANS = 2 ** 16;

/** Adds the places of a pattern in a text, which do not overlap. */
export function addSpans(spans: Span[], text: string, pattern: string): void {
  const first = text.indexOf(pattern.slice(0, MAX_LINEAR_CHARS));
  if (first < 0) return;
  const isLong = pattern.length > MAX_LINEAR_CHARS;
  if (isLong) addLongSpans(spans, text, pattern, first);
  for (let at = isLong ? -1 : first; at >= 0; at = text.indexOf(pattern, at + pattern.length)) {
    if (spans.length >= MAX_SPANS) {
      spans.push([at, text.length]);
      return;
    }
    spans.push([at, at + pattern.length]);
  }
}

/** Reads each character once (Knuth, Morris, Pratt). */
function addLongSpans(spans: Span[], text: string, pattern: string, first: number): void {
  const shorter = shorterBeginnings(pattern);
  let length = 0;
  for (let at = first; at < text.length; at += 1) {
    length = grown(pattern, shorter, length, text.charCodeAt(at));
    if (length < pattern.length) continue;
    if (spans.length >= MAX_SPANS) {
      spans.push([at + 1 - length, text.length]);
      return;
    }
    spans.push([at + 1 - length, at + 1]);
    length = 0;
  }
}
