/** A shorter beginning of a text may be that of any. */
export const MIN_BEGINNING_CHARS = 12;
/** Kept of what a client sends beside the recording. */
export const MAX_BESIDE_CHARS = 64 * 1024;

/**
 * Sent of a recorded text, piece by piece. While it is the beginning of the recorded one, only its length is kept, so that a text of
 * many pieces is read once.
 */
export class TypedText {
  #length = 0;
  /** The recorded text that it is a beginning of; null once it differs or is longer. */
  #of: string | null = '';
  /** In pieces, once it is no beginning. */
  #other = '';
  /** It begins with the whole recorded text, which has this many characters; null where it differs. */
  #beyond: number | null = null;
  /** The recorded texts with which it may go on; null before they are needed. */
  #next: Growing[] | null = null;

  get length(): number {
    return this.#length;
  }

  /** Starts again with the beginning of a recorded text, or with what is not. */
  begin(text: string, recorded: string): void {
    this.#length = text.length;
    this.#next = null;
    this.#of = recorded.startsWith(text) ? recorded : null;
    this.#other = this.#of === null ? text : '';
    this.#beyond = this.#of === null && text.startsWith(recorded) ? recorded.length : null;
  }

  /** @param recorded the text at this place */
  add(more: string, recorded: string): void {
    if (this.#length === 0) this.begin('', recorded);
    if (this.#of !== null) {
      const isBeginning = this.#of.startsWith(more, this.#length);
      if (!isBeginning) this.begin(this.whole() + more, recorded);
      else this.#length += more.length;
    } else if (this.#length <= recorded.length + MAX_BESIDE_CHARS) {
      this.#other += more;
      this.#length += more.length;
      for (const next of this.#next ?? []) next.add(more);
    }
  }

  whole(): string {
    return this.#of === null ? this.#other : this.#of.slice(0, this.#length);
  }

  isBeginningOf(recorded: string): boolean {
    return this.#length === 0 || this.#of === recorded;
  }

  beginsWith(recorded: string): boolean {
    return (
      recorded === '' ||
      this.#beyond === recorded.length ||
      (this.#of === recorded && this.#length === recorded.length)
    );
  }

  /** Whether what is behind the recorded text, or differs from it, is one of the texts that follow, or their beginning. */
  mayGoOn(recorded: string, following: () => readonly { text: string }[]): boolean {
    const rest = this.#beyond === null ? 0 : recorded.length;
    this.#next ??= following().map(({ text }) => new Growing(text, this.#other.slice(rest)));
    return this.#next.some((next) => next.isFound);
  }
}

/** Compares a text that grows with another one. */
class Growing {
  readonly #text: string;
  #length = 0;
  #isAlike = true;

  constructor(text: string, beginning: string) {
    this.#text = text;
    this.add(beginning);
  }

  add(more: string): void {
    const left = Math.max(0, this.#text.length - this.#length);
    this.#isAlike &&= this.#text.startsWith(more.length > left ? more.slice(0, left) : more, this.#length);
    this.#length += more.length;
  }

  /** It begins with the whole other text, or is a long beginning of it. */
  get isFound(): boolean {
    return this.#isAlike && (this.#length >= this.#text.length || this.#length >= MIN_BEGINNING_CHARS);
  }
}
