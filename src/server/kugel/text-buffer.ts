import { hasOpenMarkup, openMarkupIn } from '../speech/text/markup.ts';
import { boundaries } from './boundaries.ts';

/** Chunking settings of the protocol (seed; `facts 2.1`). */
export interface ChunkingRules {
  /** Entry i is the minimum length of chunk i in characters; the last entry repeats. */
  schedule: readonly number[];
  /** Cut at the first sentence end, regardless of the schedule. */
  autoMode: boolean;
  maxBufferLength: number;
}

/** Characters beyond the scheduled length within which a sentence or clause end is preferred to white space. */
const BOUNDARY_PATIENCE_CHARS = 40;

/**
 * Unspoken text of one turn. Chunks do not depend on how the text is split into frames:
 *
 * 1. With `autoMode`, at the first sentence end.
 * 2. Otherwise chunk i ends at the first sentence or clause end at which it has at least `schedule[i]` characters;
 *    where none comes within {@link BOUNDARY_PATIENCE_CHARS} more, at the last white space before that.
 * 3. At `maxBufferLength` characters in any case: at the last sentence end, clause end or white space, or right there
 *    where there is none, though never inside a surrogate pair.
 *
 * Rules 1 and 2 never cut through an open `<spell>` or a partial tag (`facts 1.7`). The chunks joined are the text.
 */
export class TextBuffer {
  readonly #rules: ChunkingRules;
  #text = '';
  #chunks = 0;

  constructor(rules: ChunkingRules) {
    this.#rules = rules;
  }

  /** Characters in the buffer. */
  get length(): number {
    return this.#text.length;
  }

  /** Adds text and removes the chunks that are ready. */
  add(text: string): string[] {
    this.#text += text;
    const ready: string[] = [];
    for (let end = this.#cut(); end > 0; end = this.#cut()) ready.push(this.#take(end));
    return ready;
  }

  /**
   * Removes all text after a pause in typing, unless it is blank or has an open tag.
   * @returns null if there is nothing to speak
   */
  stale(): string | null {
    return this.#text.trim() === '' || hasOpenMarkup(this.#text) ? null : this.#take(this.#text.length);
  }

  /** Removes the rest at the end of the turn; null if it is blank. */
  rest(): string | null {
    return this.#text.trim() === '' ? null : this.#take(this.#text.length);
  }

  #take(end: number): string {
    const chunk = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    if (chunk.trim() !== '') this.#chunks += 1;
    return chunk;
  }

  /** End offset of the next chunk; 0 while it is not ready. */
  #cut(): number {
    const { autoMode, maxBufferLength } = this.#rules;
    const natural = autoMode ? this.#sentenceEnd() : this.#scheduledEnd();
    if (natural > 0 && natural <= maxBufferLength) return natural;
    return this.#text.length >= maxBufferLength ? this.#forcedEnd(maxBufferLength) : 0;
  }

  #sentenceEnd(): number {
    const { maxBufferLength } = this.#rules;
    const isOpen = openMarkupIn(this.#text.slice(0, maxBufferLength));
    for (const { kind, end } of boundaries(this.#text)) {
      if (end > maxBufferLength) break;
      if (kind === 'sentence' && !isOpen(end)) return end;
    }
    return 0;
  }

  #scheduledEnd(): number {
    const { schedule, maxBufferLength } = this.#rules;
    const least = schedule[Math.min(this.#chunks, schedule.length - 1)] ?? 1;
    if (least > maxBufferLength || this.#text.length < least) return 0;
    const patience = least + BOUNDARY_PATIENCE_CHARS;
    const isOpen = openMarkupIn(this.#text.slice(0, patience));
    for (const { end } of boundaries(this.#text)) {
      if (end > patience) break;
      if (end >= least && !isOpen(end)) return end;
    }
    if (this.#text.length <= patience) return 0;
    const space = lastSpaceEnd(this.#text, patience);
    return space >= least && !isOpen(space) ? space : 0;
  }

  #forcedEnd(limit: number): number {
    let sentence = 0;
    let clause = 0;
    for (const { kind, end } of boundaries(this.#text)) {
      if (end > limit) break;
      if (kind === 'sentence') sentence = end;
      else clause = end;
    }
    const end = sentence || clause || lastSpaceEnd(this.#text, limit) || limit;
    const splitsPair = /[\uD800-\uDBFF]$/.test(this.#text.slice(0, end));
    // Moves back by one unit, or forward if nothing would remain.
    return splitsPair ? (end > 1 ? end - 1 : end + 1) : end;
  }
}

/** Offset after the last white space that ends at or before the limit; 0 if there is none. */
function lastSpaceEnd(text: string, limit: number): number {
  for (let end = Math.min(limit, text.length); end > 0; end -= 1) {
    if (/\s/u.test(text.charAt(end - 1))) return end;
  }
  return 0;
}
