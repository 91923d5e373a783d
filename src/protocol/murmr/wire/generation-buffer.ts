import { isHighSurrogate, isLowSurrogate } from '#lib/text/halves.ts';
import { ownCopy } from '#lib/text/own-copy.ts';
import {
  CLAUSE_MARKS,
  FULL_WIDTH_CLAUSE_MARKS,
  FULL_WIDTH_SENTENCE_MARKS,
  SENTENCE_MARKS,
} from '#lib/text/punctuation.ts';
import { MAX_BUFFER_CHARS } from './settings.ts';

/**
 * Cuts text into generations (murmr-text-1 to murmr-text-6). The server cuts by these rules. The page
 * applies the same rules to know the text of each generation, because no frame carries it.
 *
 * The rules apply character by character, so the same text gives the same generations in any number of frames. Characters
 * are UTF-16 units. Marks of other scripts end sentences and clauses too, but not the full-width ones (murmr-text-16).
 */

/** From this length on the buffer is cut at a sentence end or a clause end. */
const BOUNDARY_FROM_CHARS = 50;
/** From this length on it is cut without one. */
const FORCED_FROM_CHARS = 200;

/** No boundary by the table. */
const ELLIPSIS = '…';

const SENTENCE = new RegExp(`[${SENTENCE_MARKS}]`, 'u');
const CLAUSE = new RegExp(`[${CLAUSE_MARKS}]`, 'u');

const isSpace = (unit: string): boolean => /\s/.test(unit);

/** Wide marks are no boundary, but the best place for a forced cut (murmr-text-14). */
type MarkKind = 'sentence' | 'clause' | 'wideSentence' | 'wideClause';

function kindOf(character: string): MarkKind | null {
  if (FULL_WIDTH_SENTENCE_MARKS.includes(character)) return 'wideSentence';
  if (FULL_WIDTH_CLAUSE_MARKS.includes(character)) return 'wideClause';
  if (SENTENCE.test(character) && character !== ELLIPSIS) return 'sentence';
  return CLAUSE.test(character) ? 'clause' : null;
}

/** By code, because most text is of these. */
const ASCII_KINDS = Array.from({ length: 0x80 }, (_, code) => kindOf(String.fromCharCode(code)));

/** The unspoken text of one connection. */
export class GenerationBuffer {
  #text = '';
  #scan = new Scan();

  get length(): number {
    return this.#text.length;
  }

  /**
   * Adds the text of one frame.
   * @returns its generations, in order and trimmed; null on overflow, which leaves the buffer unchanged (murmr-text-8)
   */
  add(text: string): string[] | null {
    if (this.#text.length + text.length > MAX_BUFFER_CHARS) return null;
    const generations: string[] = [];
    for (let from = 0; from < text.length; ) {
      const { to, generation } = this.feed(text, from);
      if (generation !== null) generations.push(generation);
      from = to;
    }
    return generations;
  }

  /**
   * Adds text from an offset up to its first cut, or all of it without a cut.
   * @returns the end of the added text and the generation; null without one, or for white space only
   */
  feed(text: string, from = 0): { to: number; generation: string | null } {
    for (let at = from; at < text.length; at += 1) {
      const cut = this.#scan.add(text.charCodeAt(at));
      if (cut === 0) continue;
      const to = at + 1;
      const whole = this.#text + text.slice(from, to);
      const generation = ownCopy(whole.slice(0, cut).trim());
      this.#restart(ownCopy(whole.slice(cut)));
      return { to, generation: generation === '' ? null : generation };
    }
    this.#text += ownCopy(text.slice(from));
    return { to: text.length, generation: null };
  }

  /** Empties the buffer. @returns the generation, of any size; null without text to speak */
  flush(): string | null {
    const generation = this.#text.trim();
    this.#restart('');
    return generation === '' ? null : generation;
  }

  /** @param rest of the text behind a cut, in which there is none */
  #restart(rest: string): void {
    this.#text = rest;
    this.#scan = new Scan();
    for (let at = 0; at < rest.length; at += 1) this.#scan.add(rest.charCodeAt(at));
  }
}

/** Scans the text of one generation for its end. Offsets count from its beginning; 0 stands for none. */
class Scan {
  #length = 0;
  /** The last unit, and the kind of the character that it ends. */
  #last = 0;
  #lastKind: MarkKind | null = null;
  /** Ends of the last marks with their white space. */
  #boundary = { sentence: 0, clause: 0 };
  /** Places for a forced cut. */
  #wide = { sentence: 0, clause: 0, space: 0 };

  /** Adds a unit. @returns the end of the generation */
  add(code: number): number {
    const isPair = isHighSurrogate(this.#last) && isLowSurrogate(code);
    const unit = String.fromCharCode(code);
    const kind =
      code < ASCII_KINDS.length
        ? (ASCII_KINDS[code] ?? null)
        : kindOf(isPair ? String.fromCharCode(this.#last, code) : unit);
    const isBlank = isSpace(unit);
    const marked =
      isBlank && (this.#lastKind === 'sentence' || this.#lastKind === 'clause') && this.#lastKind;
    this.#length += 1;
    this.#last = code;
    this.#lastKind = kind;
    if (marked) this.#boundary[marked] = this.#length;
    if (kind === 'wideSentence' || (kind === 'sentence' && code > 0x7f)) this.#wide.sentence = this.#length;
    if (kind === 'wideClause') this.#wide.clause = this.#length;
    if (isBlank) this.#wide.space = this.#length;
    return this.#cut(marked !== false);
  }

  /** @param isBoundary the text ends at one */
  #cut(isBoundary: boolean): number {
    const { sentence, clause } = this.#boundary;
    if (this.#length < BOUNDARY_FROM_CHARS) return 0;
    // Earlier boundaries were checked at earlier characters.
    if (this.#length > BOUNDARY_FROM_CHARS && isBoundary) return this.#length;
    if (this.#length === BOUNDARY_FROM_CHARS && (sentence || clause)) return sentence || clause;
    return this.#length < FORCED_FROM_CHARS ? 0 : this.#forced();
  }

  /** After a mark, else between words, else at the end, but never within a surrogate pair. */
  #forced(): number {
    const { sentence, clause, space } = this.#wide;
    return sentence || clause || space || (isHighSurrogate(this.#last) ? 0 : this.#length);
  }
}
