import { ESCAPE_SIGN, escapeAt, isEscapeSign } from './escapes.ts';
import type { Span } from './spans.ts';

/** More layers of escapes than this are left, because only a hostile text has them. */
const MAX_LAYERS = 5;

/** A text without its escapes and line breaks, that knows where each character was. */
export interface DecodedText {
  readonly text: string;
  /** Returns the span in the original text, with whole escapes. */
  originalOf(span: Span): Span;
}

/** Returns the text decoded in all layers; null where there is nothing to decode. */
export function decodedText(original: string): DecodedText | null {
  const layers: Layer[] = [];
  let text = original;
  while (layers.length < MAX_LAYERS && nextSign(text, 0) >= 0) {
    const layer = new Layer(text);
    if (layer.text === text) break;
    layers.push(layer);
    text = layer.text;
  }
  if (layers.length === 0) return null;
  return { text, originalOf: (span) => layers.reduceRight((inner, layer) => layer.originalOf(inner), span) };
}

/** One layer of escapes removed. */
class Layer {
  readonly text: string;
  /** Of each escape: place and length of its characters, and the ends of the escape itself. */
  readonly #places: number[] = [];
  readonly #lengths: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  constructor(original: string) {
    const decoded = new TextBuilder();
    let from = 0;
    for (let at = nextSign(original, 0); at >= 0; ) {
      const found = escapeAt(original, at);
      if (found) {
        const { characters, end } = found;
        decoded.add(original, from, at);
        this.#places.push(decoded.length);
        this.#lengths.push(characters.length);
        this.#starts.push(at);
        this.#ends.push(end);
        decoded.add(characters, 0, characters.length);
        from = end;
      }
      at = nextSign(original, found ? from : at + 1);
    }
    decoded.add(original, from, original.length);
    this.text = decoded.text;
  }

  originalOf([start, end]: Span): Span {
    return [this.#original(start, this.#starts, 0), this.#original(end - 1, this.#ends, 1)];
  }

  /** Returns the place of a character. @param escaped the places of those that were escaped @param plus for others */
  #original(at: number, escaped: readonly number[], plus: number): number {
    const last = lastNotAbove(this.#places, at);
    const place = (this.#places[last] ?? 0) + (this.#lengths[last] ?? 0);
    if (at < place) return escaped[last] ?? 0;
    return (this.#ends[last] ?? 0) + at - place + plus;
  }
}

/** Escapes are often close together, where the search of a pattern costs more than looking at a few characters. */
const NEAR_CHARS = 8;

/** Returns the place of the next character that may begin an escape; -1 for none. */
function nextSign(text: string, from: number): number {
  const near = Math.min(text.length, from + NEAR_CHARS);
  for (let at = from; at < near; at += 1) if (isEscapeSign(text.charCodeAt(at))) return at;
  ESCAPE_SIGN.lastIndex = near;
  return ESCAPE_SIGN.test(text) ? ESCAPE_SIGN.lastIndex - 1 : -1;
}

/** Longer pieces are added whole. */
const SHORT_CHARS = 32;
/** More arguments at once would exhaust the stack. */
const UNITS_AT_ONCE = 8192;

/** Joins pieces of text. Short ones are collected unit by unit, because millions of strings are slow to join. */
class TextBuilder {
  length = 0;
  readonly #parts: string[] = [];
  readonly #units: number[] = [];

  /** Adds a piece of a text. */
  add(text: string, from: number, to: number): void {
    this.length += to - from;
    if (to - from > SHORT_CHARS) {
      this.#flush();
      this.#parts.push(text.slice(from, to));
      return;
    }
    for (let at = from; at < to; at += 1) this.#units.push(text.charCodeAt(at));
    if (this.#units.length >= UNITS_AT_ONCE) this.#flush();
  }

  get text(): string {
    this.#flush();
    return this.#parts.join('');
  }

  #flush(): void {
    if (this.#units.length > 0) this.#parts.push(String.fromCharCode(...this.#units));
    this.#units.length = 0;
  }
}

/** Returns the index of the last of the ascending numbers that is not above; -1 for none. */
function lastNotAbove(numbers: readonly number[], most: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
