/** Finds when the text of a chunk was sent. Servers rewrite text (`facts 1.6`), so unknown text counts by length. */
export class SentText {
  #text = '';
  readonly #pieces: { end: number; atMs: number }[] = [];
  /** Start of the next chunk's text. */
  #cursor = 0;

  get text(): string {
    return this.#text;
  }

  add(text: string, atMs: number): void {
    this.#text += text;
    this.#pieces.push({ end: this.#text.length, atMs });
  }

  /** Returns when the last text of the next chunk was sent; null before anything was. */
  claim(chunkText: string): number | null {
    const wanted = chunkText.trim();
    const found = this.#text.indexOf(wanted, this.#cursor);
    const start = found < 0 ? this.#cursor : found;
    this.#cursor = Math.min(this.#text.length, start + wanted.length);
    const last = this.#pieces.find((piece) => piece.end >= this.#cursor) ?? this.#pieces.at(-1);
    return last?.atMs ?? null;
  }
}
