import { firstChars, PAGE_LIMITS } from '#trace/chunks.ts';

/** A chunk text is searched this far ahead. */
const AHEAD_CHARS = 20_000;

/** Finds when the text of a chunk was sent. Servers rewrite text, so unknown text counts by length. */
export class SentText {
  #text = '';
  /** Its first characters. */
  #start = '';
  readonly #pieces: { end: number; atMs: number }[] = [];
  /** Start of the next chunk's text, and its piece. */
  #cursor = 0;
  #piece = 0;

  get text(): string {
    return this.#text;
  }

  get start(): string {
    return this.#start;
  }

  add(text: string, atMs: number): void {
    this.#text += text;
    const { chars } = PAGE_LIMITS;
    if (this.#start.length < chars) this.#start = firstChars(this.#start + text, chars);
    this.#pieces.push({ end: this.#text.length, atMs });
  }

  /** Returns when the last text of the next chunk was sent; null before anything was. */
  claim(chunkText: string): number | null {
    const wanted = chunkText.trim();
    const found = this.#text.slice(this.#cursor, this.#cursor + AHEAD_CHARS + wanted.length).indexOf(wanted);
    this.#cursor = Math.min(this.#text.length, this.#cursor + Math.max(0, found) + wanted.length);
    while (this.#piece < this.#pieces.length - 1 && (this.#pieces[this.#piece]?.end ?? 0) < this.#cursor) {
      this.#piece += 1;
    }
    return this.#pieces[this.#piece]?.atMs ?? null;
  }

  /** Forgets all but the first characters. Nothing more is sent or claimed. */
  condense(chars: number): void {
    this.#start = firstChars(this.#start, chars);
    this.#text = this.#start;
    this.#pieces.length = 0;
  }
}
