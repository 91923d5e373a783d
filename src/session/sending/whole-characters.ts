import { isHighSurrogate, replaceHalves } from '#lib/text/halves.ts';

/**
 * Joins the characters that the pieces of a text divide, because JSON would carry each half to the server as a broken one.
 * Half a character that stays alone is dropped: no voice speaks it, and a replacement character would be billed and shown.
 */
export class WholeCharacters {
  /** First halves at the end of a text, by context. */
  readonly #waiting = new Map<string, string>();

  /** Returns the whole characters of a piece, and of the half before it. A first half at its end waits for the next piece. */
  next(context: string, piece: string): string {
    const text = (this.#waiting.get(context) ?? '') + piece;
    const half = isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(-1) : '';
    if (half) this.#waiting.set(context, half);
    else this.#waiting.delete(context);
    return replaceHalves(text.slice(0, text.length - half.length), '');
  }

  /** The text of a context ends, so that the next piece begins another one. @param context null: of all */
  end(context: string | null): void {
    if (context === null) this.#waiting.clear();
    else this.#waiting.delete(context);
  }
}
