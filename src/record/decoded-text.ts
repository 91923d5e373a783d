import { bisect } from '#lib/collections/bisect.ts';
import type { Span } from './spans.ts';

/** More layers of escapes than this are left, because only a hostile text has them. */
const MAX_LAYERS = 5;

/** A text without its escapes and line breaks, that knows where each character was. */
export interface DecodedText {
  readonly text: string;
  /** Returns the span in the original text, with whole escapes. */
  originalOf(span: Span): Span;
}

/**
 * Returns the text decoded in all layers; null where there is nothing to decode. Escapes are those of addresses (`%fc`),
 * of JSON (`\u00fc`, `\/`) and of Python (`\xfc`). Each byte of `%` and `\x` becomes one character (Latin-1). Line breaks
 * are dropped, also `\n` and `\r`.
 */
export function decodedText(original: string): DecodedText | null {
  const layers: Layer[] = [];
  let text = original;
  while (layers.length < MAX_LAYERS) {
    const layer = new Layer(text);
    if (layer.text === text) break;
    layers.push(layer);
    text = layer.text;
  }
  if (layers.length === 0) return null;
  return { text, originalOf: (span) => layers.reduceRight((inner, layer) => layer.originalOf(inner), span) };
}

/** Several backslashes are one escape, because each layer of JSON doubles them. */
const ESCAPE = /%[\dA-Fa-f]{2}|\\+(?:[uU][\dA-Fa-f]{4}|[xX][\dA-Fa-f]{2}|[nr]|)|[\r\n]+/g;

/** One layer of escapes removed. */
class Layer {
  readonly text: string;
  /** Of each escape: place of its character or of the next one, where the escape began, and what follows it. */
  readonly #places: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #hasCharacter: boolean[] = [];

  constructor(original: string) {
    let removed = 0;
    this.text = original.replace(ESCAPE, (written, start: number) => {
      // The digits follow `%`, or a letter behind the last backslash.
      const code = Number.parseInt(written.slice(written.lastIndexOf('\\') + 2), 16);
      const character = Number.isNaN(code) ? '' : String.fromCharCode(code);
      this.#places.push(start - removed);
      this.#starts.push(start);
      this.#ends.push(start + written.length);
      this.#hasCharacter.push(character !== '');
      removed += written.length - character.length;
      return character;
    });
  }

  originalOf([start, end]: Span): Span {
    return [this.#original(start)[0], this.#original(end - 1)[1]];
  }

  /** Returns the span of one character. */
  #original(at: number): Span {
    const last = bisect(0, this.#places.length, (index) => (this.#places[index] ?? 0) <= at) - 1;
    const start = this.#starts[last] ?? 0;
    const end = this.#ends[last] ?? 0;
    const past = at - (this.#places[last] ?? 0) - (this.#hasCharacter[last] ? 1 : 0);
    return past < 0 ? [start, end] : [end + past, end + past + 1];
  }
}
