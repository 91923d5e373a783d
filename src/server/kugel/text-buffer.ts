import { hasOpenMarkup, openMarkupIn } from '../speech/text/markup.ts';
import { boundaries } from './boundaries.ts';

/** How text is cut into chunks; the protocol's settings of the same meaning (seed; `facts 2.1`). */
export interface ChunkingRules {
  /** Entry i: least characters of chunk i; the last entry repeats. */
  schedule: readonly number[];
  /** Cut at the first sentence end, whatever the schedule says. */
  autoMode: boolean;
  maxBufferLength: number;
}

/** How far behind the scheduled length a sentence or clause end is waited for before white space will do. */
const BOUNDARY_PATIENCE_CHARS = 40;

/**
 * Text of one turn that is not spoken yet. Chunks come out as follows, however the text is split into frames:
 *
 * 1. With `autoMode`, at the first sentence end.
 * 2. Otherwise chunk i ends at the first sentence or clause end at which it has at least `schedule[i]` characters;
 *    where none comes within {@link BOUNDARY_PATIENCE_CHARS} more, at the last white space before that.
 * 3. At `maxBufferLength` characters in any case: at the last sentence end, clause end or white space, or right there
 *    where there is none, though never inside a surrogate pair.
 *
 * An open `<spell>` or half a tag is not cut through by 1 and 2 (`facts 1.7`). All chunks joined are the text.
 */
export class TextBuffer {
  readonly #rules: ChunkingRules;
  #text = '';
  #chunks = 0;

  constructor(rules: ChunkingRules) {
    this.#rules = rules;
  }

  /** Characters that wait. */
  get length(): number {
    return this.#text.length;
  }

  /** Adds text and takes out the chunks that are ready. */
  add(text: string): string[] {
    this.#text += text;
    const ready: string[] = [];
    for (let end = this.#cut(); end > 0; end = this.#cut()) ready.push(this.#take(end));
    return ready;
  }

  /**
   * No text has come for a while: everything that waits, unless it is blank or a tag in it is open.
   * @returns null where there is nothing to speak
   */
  stale(): string | null {
    return this.#text.trim() === '' || hasOpenMarkup(this.#text) ? null : this.#take(this.#text.length);
  }

  /** The turn ends: everything that waits; null where it is blank. */
  rest(): string | null {
    return this.#text.trim() === '' ? null : this.#take(this.#text.length);
  }

  #take(end: number): string {
    const chunk = this.#text.slice(0, end);
    this.#text = this.#text.slice(end);
    if (chunk.trim() !== '') this.#chunks += 1;
    return chunk;
  }

  /** Where the next chunk ends; 0 while it is not ready. */
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
    // One unit less, or one more where nothing would be left.
    return splitsPair ? (end > 1 ? end - 1 : end + 1) : end;
  }
}

/** Offset behind the last run of white space that ends at or before the limit; 0 where there is none. */
function lastSpaceEnd(text: string, limit: number): number {
  for (let end = Math.min(limit, text.length); end > 0; end -= 1) {
    if (/\s/u.test(text.charAt(end - 1))) return end;
  }
  return 0;
}
