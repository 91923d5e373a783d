import { isHighSurrogate } from '#lib/text/halves.ts';
import { ownCopy } from '#lib/text/own-copy.ts';
import { BoundaryScanner, isSpace } from './boundaries.ts';
import { OpenMarkup } from './markup.ts';

/** Chunking settings of the protocol. */
export interface ChunkingRules {
  /** Entry i is the minimum length of chunk i in characters; the last entry repeats. */
  schedule: readonly number[];
  /** Cut at the first sentence end, regardless of the schedule. */
  autoMode: boolean;
  maxBufferLength: number;
  /** A finished sentence at the end of the buffer waits for white space. */
  waitsForSpace?: boolean;
}

/** Characters beyond the scheduled length within which only a sentence end ends a chunk. */
const BOUNDARY_PATIENCE_CHARS = 40;

/**
 * Unspoken text of one turn, scanned once unit by unit, so that adding text costs what the new text costs.
 *
 * 1. Chunk i ends at the first sentence end at which it has at least `schedule[i]` characters; with `autoMode` at the
 *    first sentence end. A finished sentence at the end of the buffer does not wait for more text, unless
 *    `waitsForSpace` is set.
 * 2. Where none comes within {@link BOUNDARY_PATIENCE_CHARS} more, it ends at the first clause end of that length,
 *    otherwise at the last white space, otherwise at the next of any of them.
 * 3. At `maxBufferLength` characters in any case: at the last sentence end, clause end or white space, or right there
 *    where there is none, though never inside a surrogate pair.
 *
 * Rules 1 and 2 never cut through an open `<spell>` or a partial tag. The chunks joined are the text.
 */
export class TextBuffer {
  readonly #rules: ChunkingRules;
  /** Between cuts, text is only appended and never read: reading a unit of a growing string copies all of it. */
  #text = '';
  #chunks = 0;
  #scan: Scan;

  constructor(rules: ChunkingRules) {
    this.#rules = rules;
    this.#scan = this.#newScan();
  }

  get length(): number {
    return this.#text.length;
  }

  /** Adds text and removes the chunks that are ready. */
  add(text: string): string[] {
    return [...this.cut(text)];
  }

  /**
   * Adds text and removes the chunks that are ready, each when it is asked for. Nothing else may use the buffer until the
   * last one was removed.
   */
  *cut(text: string): Generator<string> {
    let length = this.#scan.read(text, 0);
    if (length === 0) this.#text += text;
    else {
      const whole = this.#text + text;
      let from = 0;
      for (; length > 0; length = this.#scan.read(whole, from)) {
        const chunk = ownCopy(whole.slice(from, from + length));
        from += length;
        this.#restart(chunk);
        yield chunk;
      }
      this.#text = ownCopy(whole.slice(from));
    }
    if (this.#scan.endsInSentence && !this.#rules.waitsForSpace) yield this.#take();
  }

  /**
   * Removes all text after a pause in typing, unless it is blank or has an open tag.
   * @returns null if there is nothing to speak
   */
  stale(): string | null {
    return this.#scan.isOpen ? null : this.rest();
  }

  /** Removes the rest at the end of the turn; null if it is blank. */
  rest(): string | null {
    return this.#text.trim() === '' ? null : this.#take();
  }

  #take(): string {
    const chunk = this.#text;
    this.#restart(chunk);
    return chunk;
  }

  #restart(chunk: string): void {
    this.#text = '';
    if (chunk.trim() !== '') this.#chunks += 1;
    this.#scan = this.#newScan();
  }

  #newScan(): Scan {
    const { schedule, autoMode, maxBufferLength } = this.#rules;
    const least = schedule[Math.min(this.#chunks, schedule.length - 1)] ?? 1;
    return autoMode
      ? new Scan({ least: 1, patience: Number.POSITIVE_INFINITY, limit: maxBufferLength })
      : new Scan({ least, patience: least + BOUNDARY_PATIENCE_CHARS, limit: maxBufferLength });
  }
}

/** Lengths of one chunk in characters. */
interface Bounds {
  readonly least: number;
  /** Beyond this length, clause ends and white space count as well. */
  readonly patience: number;
  /** The chunk is cut at this length. */
  readonly limit: number;
}

/** Scans the text of one chunk for its end. All offsets count from the beginning of the chunk. */
class Scan {
  readonly #bounds: Bounds;
  readonly #markup = new OpenMarkup();
  readonly #boundaries = new BoundaryScanner();
  #length = 0;
  #endsInHighSurrogate = false;
  /** Best ends for rule 2, and for rule 3; 0 where there is none. */
  #clause = 0;
  #space = 0;
  #last = { sentence: 0, clause: 0, space: 0 };

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Reads on in a text, up to the end of the chunk. @returns the length of the chunk; 0 where its end was not found */
  read(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const cut = this.#natural(text.charCodeAt(at)) || this.#forced();
      if (cut > 0) return cut;
    }
    return 0;
  }

  get isOpen(): boolean {
    return this.#markup.isOpen;
  }

  /** The text is long enough for a chunk, and its last sentence is finished. */
  get endsInSentence(): boolean {
    const { atEnd } = this.#boundaries;
    return atEnd?.kind === 'sentence' && atEnd.end >= this.#bounds.least && !this.isOpen;
  }

  /** Adds a unit. @returns the end by rules 1 and 2; 0 where there is none yet */
  #natural(code: number): number {
    const { least, patience } = this.#bounds;
    const wasOpen = this.isOpen;
    const boundary = this.#boundaries.add(code);
    this.#markup.add(String.fromCharCode(code));
    this.#length += 1;
    this.#endsInHighSurrogate = isHighSurrogate(code);
    if (boundary) {
      const { kind, end } = boundary;
      this.#last[kind] = end;
      if (end >= least && !wasOpen) {
        if (kind === 'sentence') return end;
        this.#clause ||= end;
      }
    }
    if (isSpace(code)) {
      this.#last.space = this.#length;
      const isBest = this.#length <= patience || this.#space === 0;
      if (isBest && this.#length >= least && !this.isOpen) this.#space = this.#length;
    }
    return this.#length > patience ? this.#clause || this.#space : 0;
  }

  /** @returns the end by rule 3; 0 below the limit */
  #forced(): number {
    if (this.#length < this.#bounds.limit) return 0;
    const { atEnd } = this.#boundaries;
    if (atEnd) this.#last[atEnd.kind] = atEnd.end;
    const { sentence, clause, space } = this.#last;
    // A cut inside a surrogate pair moves back by one unit, or waits for the other half if nothing would remain.
    return sentence || clause || space || (this.#endsInHighSurrogate ? this.#length - 1 : this.#length);
  }
}
