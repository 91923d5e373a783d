/**
 * Which text becomes one generation (seed, "Text Buffering"; `facts 6.3.10` to `12`). The server cuts by these rules, and
 * the page follows them to know what each generation speaks, since no frame says it.
 *
 * Rules are applied as the text accumulates, character by character. So the same text gives the same generations however
 * it is divided into frames: token by token or at once. Characters are UTF-16 units.
 */

/** From here on a buffer is spoken up to a sentence end or a clause end. */
const BOUNDARY_FROM_CHARS = 50;
/** From here on it is spoken without one. */
const FORCED_FROM_CHARS = 200;
/** Text that would make the buffer longer is refused. */
export const MAX_BUFFER_CHARS = 4096;

const SENTENCE_MARKS = '.!?';
const CLAUSE_MARKS = ',;:';
/** Marks of scripts that put no space behind them: no boundary by the table, but the best one for a forced cut. */
const WIDE_SENTENCE_MARKS = '。！？';
const WIDE_CLAUSE_MARKS = '，；：、';

const isSpace = (char: string | undefined): boolean => char !== undefined && /\s/.test(char);
const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

/** The text of one connection that is not spoken yet. */
export class GenerationBuffer {
  #text = '';

  get length(): number {
    return this.#text.length;
  }

  /**
   * Takes the text of one frame.
   * @returns the generations that it sets off, in order and without white space at their ends; null where the buffer would
   * overflow: then nothing of the text is taken, and what was buffered stays (decision 29)
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
   * Takes text only as far as it sets off a generation; all of it where it sets off none.
   * @returns how much was taken, and the generation; null where there is none, or nothing but white space in it
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

  /** Empties the buffer. @returns the generation, of any size; null where there was nothing to speak */
  flush(): string | null {
    const generation = this.#text.trim();
    this.#text = '';
    return generation === '' ? null : generation;
  }
}

/** Where `text` from `start` is cut once it has come as far as `end`; null: nowhere yet. */
function cutAt(text: string, start: number, end: number): number | null {
  const length = end - start;
  if (length < BOUNDARY_FROM_CHARS) return null;
  const boundary =
    length === BOUNDARY_FROM_CHARS
      ? (lastBoundary(text, start, end, SENTENCE_MARKS) ?? lastBoundary(text, start, end, CLAUSE_MARKS))
      : // What lies further back was looked at when the character behind it came.
        lastBoundary(text, end - 2, end, SENTENCE_MARKS + CLAUSE_MARKS);
  if (boundary !== null) return boundary;
  return length < FORCED_FROM_CHARS ? null : forcedCut(text, start, end);
}

/** Behind the last mark that is followed by white space, and behind that; a mark at the end of the text is none. */
function lastBoundary(text: string, start: number, end: number, marks: string): number | null {
  for (let at = end - 2; at >= start; at -= 1) {
    if (marks.includes(text.charAt(at)) && isSpace(text[at + 1])) return at + 2;
  }
  return null;
}

/** Behind a mark, else between words, else everything, but never between the halves of a character. */
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
