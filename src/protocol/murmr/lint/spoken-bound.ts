/** Shorter text is spoken by a flush alone; from the second on without a boundary too (seed). */
const BOUNDARY_FROM_CHARS = 50;
const FORCED_CHARS = 200;

/** A mark at the end counts: what follows it may be white space. */
const BOUNDARY = /[.!?,;:](?=\s|$)|[。！？，；：、]/g;

/**
 * How many generations the text of a connection can become at most. Where exactly a server cuts depends on how text
 * comes in (`facts 6.3.10`), so what is certain is only that it cuts at marks, at length and at flushes.
 */
export class SpokenBound {
  /** Of text that was flushed. */
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

  /** A generation is over. */
  done(): void {
    this.#done += 1;
  }

  /** Nothing of what was sent can be left to speak. */
  get isSpoken(): boolean {
    return this.#done >= this.#possible + this.#cuts();
  }

  #cuts(): number {
    if (this.#chars < BOUNDARY_FROM_CHARS) return 0;
    // A forced cut may stand far back, at the last white space, but then what is left has none: two take a whole buffer.
    return this.#marks + 2 * Math.floor(this.#chars / FORCED_CHARS);
  }
}
