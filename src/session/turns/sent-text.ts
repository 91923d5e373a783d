/**
 * Which text of a turn went out when, so that a chunk can be told the moment its last text was sent. A server may
 * have rewritten the text of a chunk (`facts 1.6`), so it is looked for, and where it is not found, measured off.
 */
export class SentText {
  #text = '';
  readonly #pieces: { end: number; atMs: number }[] = [];
  /** Where the text of the next chunk begins. */
  #cursor = 0;

  get text(): string {
    return this.#text;
  }

  add(text: string, atMs: number): void {
    this.#text += text;
    this.#pieces.push({ end: this.#text.length, atMs });
  }

  /** When the last text of the next chunk was sent; null before anything was. */
  claim(chunkText: string): number | null {
    const wanted = chunkText.trim();
    const found = this.#text.indexOf(wanted, this.#cursor);
    const start = found < 0 ? this.#cursor : found;
    this.#cursor = Math.min(this.#text.length, start + wanted.length);
    const last = this.#pieces.find((piece) => piece.end >= this.#cursor) ?? this.#pieces.at(-1);
    return last?.atMs ?? null;
  }
}
