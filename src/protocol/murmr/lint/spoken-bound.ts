import { CLAUSE_MARKS, SENTENCE_MARKS } from '#lib/text/punctuation.ts';

/** Shorter text needs a flush. From `FORCED_CHARS` on the server cuts without a boundary (seed). */
const BOUNDARY_FROM_CHARS = 50;
const FORCED_CHARS = 200;

/** A mark at the end of a text counts, because white space may follow in the next text. */
const BOUNDARY = new RegExp(`[.!?${CLAUSE_MARKS}](?=\\s|$)|(?![.!?])[${SENTENCE_MARKS}]|[，；：、､]`, 'gu');

/**
 * An upper bound for the generations of a connection's text. The exact cuts depend on the timing of the text
 * (`facts 6.3.10`). Certain are only cuts at marks, at the maximum length and at flushes.
 */
export class SpokenBound {
  /** Generations of flushed text. */
  #possible = 0;
  #done = 0;
  /** Since the last flush. */
  #chars = 0;
  #marks = 0;
  #hasText = false;

  text(text: string): void {
    this.#chars += text.length;
    this.#marks += text.match(BOUNDARY)?.length ?? 0;
    if (text.trim() !== '') this.#hasText = true;
  }

  flush(): void {
    this.#possible += this.#cuts() + (this.#hasText ? 1 : 0);
    this.#hasText = false;
    this.#chars = 0;
    this.#marks = 0;
  }

  done(): void {
    this.#done += 1;
  }

  get isSpoken(): boolean {
    return this.#done >= this.#possible + this.#cuts();
  }

  #cuts(): number {
    if (this.#chars < BOUNDARY_FROM_CHARS) return 0;
    // A forced cut may be far back, at the last white space. The rest then has none, so two cuts empty the buffer.
    return this.#marks + 2 * Math.floor(this.#chars / FORCED_CHARS);
  }
}
