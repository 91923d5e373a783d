/** Text with the original's offset for each UTF-16 unit. */
export interface MappedText {
  readonly text: string;
  /** As many entries as `text` has units, never decreasing. */
  readonly sourceAt: readonly number[];
}

/** Builds a mapped text piece by piece, in the order of the original. */
export class MappedTextBuilder {
  #parts: string[] = [];
  #sourceAt: number[] = [];
  #last = '';

  get lastUnit(): string {
    return this.#last;
  }

  push(text: string, source: number): void {
    if (text === '') return;
    this.#parts.push(text);
    for (let i = 0; i < text.length; i += 1) this.#sourceAt.push(source);
    this.#last = text.at(-1) ?? '';
  }

  build(): MappedText {
    return { text: this.#parts.join(''), sourceAt: this.#sourceAt };
  }
}

export const sliceMapped = (mapped: MappedText, from: number, to: number): MappedText => ({
  text: mapped.text.slice(from, to),
  sourceAt: mapped.sourceAt.slice(from, to),
});
