import { SENTENCE_MARKS } from '#lib/text/punctuation.ts';
import type { WrittenWord } from '#lib/text/words.ts';

/** Units of a stretch; without a blank up to twice as many. */
const LENGTH = 1000;
const SENTENCE_BEHIND = new RegExp(`[${SENTENCE_MARKS}]["'\u201d\u2019)\\]]*\\s$`, 'u');
const BLANK = /\s/;
const BLANKS = /\s*/y;
const REST_OF_CHARACTER = /[\udc00-\udfff]?[\p{M}\u1161-\u11ff\uff9e\uff9f]{0,200}/uy;

/**
 * Divides a part of a text into stretches that can be searched at once: behind a sentence where possible, otherwise behind
 * a word. Blanks stay together.
 */
export function* stretchesOf(text: string, { start, end }: WrittenWord): Generator<WrittenWord> {
  for (let at = start; at < end; ) {
    const to = stretchEnd(text, at, end);
    yield { start: at, end: to };
    at = to;
  }
}

function stretchEnd(text: string, from: number, end: number): number {
  const longest = from + LENGTH;
  if (longest >= end) return end;
  let behindWord = 0;
  for (let at = longest; at > from + LENGTH / 2; at -= 1) {
    if (!BLANK.test(text.charAt(at - 1))) continue;
    if (behindWord === 0) behindWord = at;
    if (SENTENCE_BEHIND.test(text.slice(at - 4, at))) return behind(BLANKS, text, at, end);
  }
  for (let at = longest; behindWord === 0 && at < longest + LENGTH; at += 1) {
    if (BLANK.test(text.charAt(at))) behindWord = at;
  }
  return behindWord === 0
    ? behind(REST_OF_CHARACTER, text, longest + LENGTH, end)
    : behind(BLANKS, text, behindWord, end);
}

function behind(pattern: RegExp, text: string, at: number, end: number): number {
  pattern.lastIndex = at;
  return Math.min(end, at + (pattern.exec(text)?.[0].length ?? 0));
}
