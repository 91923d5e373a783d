import { MAX_BUFFER_CHARS } from './limits.ts';

/**
 * Cuts text into generations (seed, "Text Buffering"; `facts 6.3.10` to `12`). The server cuts by these rules. The page
 * applies the same rules to know the text of each generation, because no frame carries it.
 *
 * The rules apply character by character, so the same text gives the same generations in any number of frames. Characters
 * are UTF-16 units.
 */

/** From this length on the buffer is cut at a sentence end or a clause end. */
const BOUNDARY_FROM_CHARS = 50;
/** From this length on it is cut without one. */
const FORCED_FROM_CHARS = 200;

const SENTENCE_MARKS = '.!?';
const CLAUSE_MARKS = ',;:';
/** Marks of scripts without spaces: no boundary by the table, but the best place for a forced cut. */
const WIDE_SENTENCE_MARKS = '。！？';
const WIDE_CLAUSE_MARKS = '，；：、';

const isSpace = (char: string | undefined): boolean => char !== undefined && /\s/.test(char);
const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** The unspoken text of one connection. */
export class GenerationBuffer {
  #text = '';

  get length(): number {
    return this.#text.length;
  }

  /**
   * Adds the text of one frame.
   * @returns its generations, in order and trimmed; null on overflow, which leaves the buffer unchanged (decision 29)
   */
  add(text: string): string[] | null {
    if (this.#text.length + text.length > MAX_BUFFER_CHARS) return null;
    const generations: string[] = [];
    for (let rest = text; rest !== ''; ) {
      const { taken, generation } = this.feed(rest);
      if (generation !== null) generations.push(generation);
      rest = rest.slice(taken);
    }
    return generations;
  }

  /**
   * Adds text up to its first cut, or all of it without a cut.
   * @returns the number of added characters and the generation; null without one, or for white space only
   */
  feed(text: string): { taken: number; generation: string | null } {
    const before = this.#text.length;
    const whole = this.#text + text;
    for (let end = before + 1; end <= whole.length; end += 1) {
      const cut = cutAt(whole, 0, end);
      if (cut === null) continue;
      const generation = whole.slice(0, cut).trim();
      this.#text = whole.slice(cut, end);
      return { taken: end - before, generation: generation === '' ? null : generation };
    }
    this.#text = whole;
    return { taken: text.length, generation: null };
  }

  /** Empties the buffer. @returns the generation, of any size; null without text to speak */
  flush(): string | null {
    const generation = this.#text.trim();
    this.#text = '';
    return generation === '' ? null : generation;
  }
}

/** The cut of `text` between `start` and `end`; null without one. */
function cutAt(text: string, start: number, end: number): number | null {
  const length = end - start;
  if (length < BOUNDARY_FROM_CHARS) return null;
  const boundary =
    length === BOUNDARY_FROM_CHARS
      ? (lastBoundary(text, start, end, SENTENCE_MARKS) ?? lastBoundary(text, start, end, CLAUSE_MARKS))
      : // Earlier boundaries were checked at earlier characters.
        lastBoundary(text, end - 2, end, SENTENCE_MARKS + CLAUSE_MARKS);
  if (boundary !== null) return boundary;
  return length < FORCED_FROM_CHARS ? null : forcedCut(text, start, end);
}

/** The end of the last mark with its white space. A mark at the end of the text does not count. */
function lastBoundary(text: string, start: number, end: number, marks: string): number | null {
  for (let at = end - 2; at >= start; at -= 1) {
    if (marks.includes(text.charAt(at)) && isSpace(text[at + 1])) return at + 2;
  }
  return null;
}

/** After a mark, else between words, else at the end, but never within a surrogate pair. */
function forcedCut(text: string, start: number, end: number): number | null {
  const last = (is: (char: string) => boolean): number | null => {
    for (let at = end - 1; at >= start; at -= 1) if (is(text.charAt(at))) return at + 1;
    return null;
  };
  const best =
    last((char) => WIDE_SENTENCE_MARKS.includes(char)) ??
    last((char) => WIDE_CLAUSE_MARKS.includes(char)) ??
    last(isSpace);
  if (best !== null) return best;
  return isHighSurrogate(text.charCodeAt(end - 1)) ? null : end;
}
