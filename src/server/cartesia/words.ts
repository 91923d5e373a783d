import type { Timed } from '#protocol/cartesia/wire/server-frames.ts';
import type { WordTiming } from '../speech/engine.ts';
import { isUnspaced } from '../speech/text/words.ts';

/** Words of one frame (`facts-cartesia`, R10). */
const WORDS_OF_FRAME = 3;

type TimedWords = Timed & { words: readonly string[] };

/**
 * Words as sent, split at spaces (O15); in scripts without spaces each character is one (R11), and a word's characters share
 * its time.
 * @param fromMs start of the text in the context
 * @returns a list for each frame, in seconds
 */
export function wordLists(text: string, words: readonly WordTiming[], fromMs: number): TimedWords[] {
  const timed = words.flatMap(({ charStart, charEnd, startMs, endMs }) => {
    const parts = partsOf(text, charStart, charEnd);
    const partMs = (endMs - startMs) / parts.length;
    const at = (part: number) => Math.round(fromMs + startMs + part * partMs) / 1000;
    return parts.map((word, part) => ({ word, start: at(part), end: at(part + 1) }));
  });
  const lists: TimedWords[] = [];
  for (let at = 0; at < timed.length; at += WORDS_OF_FRAME) {
    const some = timed.slice(at, at + WORDS_OF_FRAME);
    lists.push({
      words: some.map(({ word }) => word),
      start: some.map(({ start }) => start),
      end: some.map(({ end }) => end),
    });
  }
  return lists;
}

/** A word with the marks around it, or its characters. */
function partsOf(text: string, start: number, end: number): string[] {
  const word = text.slice(start, end);
  if (isUnspaced(word)) return [...word];
  const from = edgeOf(text, start, -1);
  const to = edgeOf(text, end, 1);
  const around = text.slice(from, start) + text.slice(end, to);
  return [isUnspaced(around) ? word : text.slice(from, to)];
}

/**
 * Where the marks and tags end that are next to a place. A tag may have spaces, and is whole or not among them.
 * @param step 1 for those behind the place, -1 for those before it
 */
function edgeOf(text: string, place: number, step: 1 | -1): number {
  const [opening, closing] = step > 0 ? ['<', '>'] : ['>', '<'];
  const back = step > 0 ? 0 : 1;
  let edge = place;
  for (let at = place - back; at >= 0 && at < text.length; at = edge - back) {
    const unit = text.charAt(at);
    if (/\s/.test(unit)) break;
    if (unit === opening) {
      let other = at + step;
      while (/[^<>]/.test(text.charAt(other))) other += step;
      if (text.charAt(other) !== closing) break;
      at = other;
    }
    edge = at + step + back;
  }
  return edge;
}
