import { BoundaryScanner, isSpace } from './boundaries.ts';
import { OpenMarkup } from './markup.ts';

/** Chunking settings of the protocol (seed; `facts 2.1`). */
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
 *    first sentence end. A finished sentence at the end of the buffer does not wait for more text (`facts 2.3.6`), unless
 *    `waitsForSpace` is set.
 * 2. Where none comes within {@link BOUNDARY_PATIENCE_CHARS} more, it ends at the first clause end of that length,
 *    otherwise at the last white space, otherwise at the next of any of them.
 * 3. At `maxBufferLength` characters in any case: at the last sentence end, clause end or white space, or right there
 *    where there is none, though never inside a surrogate pair.
 *
 * Rules 1 and 2 never cut through an open `<spell>` or a partial tag (`facts 1.7`). The chunks joined are the text.
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
    const ready: string[] = [];
    let unscanned = text;
    while (unscanned !== '') {
      const { read, cut } = this.#scan.add(unscanned);
      this.#text += unscanned.slice(0, read);
      unscanned = unscanned.slice(read);
      if (cut === 0) continue;
      ready.push(this.#text.slice(0, cut));
      // The rest is scanned again, as the beginning of the next chunk.
      unscanned = this.#text.slice(cut) + unscanned;
      this.#restart(ready.at(-1) ?? '');
    }
    if (this.#scan.endsInSentence && !this.#rules.waitsForSpace) ready.push(this.#take());
    return ready;
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

  /** Adds text up to the end of the chunk. @returns the number of units read, and the end; 0 where none was found */
  add(text: string): { read: number; cut: number } {
    for (let at = 0; at < text.length; at += 1) {
      const cut = this.#natural(text.charAt(at)) || this.#forced();
      if (cut > 0) return { read: at + 1, cut };
    }
    return { read: text.length, cut: 0 };
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
  #natural(unit: string): number {
    const { least, patience } = this.#bounds;
    const wasOpen = this.isOpen;
    const boundary = this.#boundaries.add(unit);
    this.#markup.add(unit);
    this.#length += 1;
    this.#endsInHighSurrogate = /[\uD800-\uDBFF]/.test(unit);
    if (boundary) {
      const { kind, end } = boundary;
      this.#last[kind] = end;
      if (end >= least && !wasOpen) {
        if (kind === 'sentence') return end;
        this.#clause ||= end;
      }
    }
    if (isSpace(unit)) {
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
