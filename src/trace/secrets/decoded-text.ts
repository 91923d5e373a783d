import { bisect } from '#lib/collections/bisect.ts';
import { textOfCodes } from './code-units.ts';
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

/** One layer of escapes removed. */
class Layer {
  readonly text: string;
  /** Of each escape: place of its character or of the next one, where the escape began, what follows it, and its code or -1. */
  #escapes = new Int32Array(4 * 64);
  #count = 0;

  constructor(original: string) {
    const first = FIRST_ESCAPE.exec(original)?.index ?? original.length;
    const codes = new Uint16Array(original.length - first);
    let length = 0;
    for (let at = first; at < original.length; ) {
      let code = original.charCodeAt(at);
      const end = BEGINS_ESCAPE[code] === 1 ? escapeEnd(original, at) : at;
      if (end !== at) {
        code = codeOfEscape(original, at, end);
        this.#add(first + length, at, end, code);
      }
      at = Math.max(end, at + 1);
      if (code < 0) continue;
      codes[length] = code;
      length += 1;
    }
    this.text =
      this.#count === 0 ? original : original.slice(0, first) + textOfCodes(codes.subarray(0, length));
  }

  #add(place: number, start: number, end: number, code: number): void {
    const at = 4 * this.#count;
    if (at === this.#escapes.length) {
      const larger = new Int32Array(2 * at);
      larger.set(this.#escapes);
      this.#escapes = larger;
    }
    this.#escapes[at] = place;
    this.#escapes[at + 1] = start;
    this.#escapes[at + 2] = end;
    this.#escapes[at + 3] = code;
    this.#count += 1;
  }

  originalOf([start, end]: Span): Span {
    return [this.#original(start)[0], this.#original(end - 1)[1]];
  }

  /** Returns the span of one character. */
  #original(at: number): Span {
    const next = bisect(0, this.#count, (index) => (this.#escapes[4 * index] ?? 0) <= at);
    // Nothing is decoded before the first.
    const [place = 0, start = 0, end = 0, code = -1] =
      next === 0 ? [] : this.#escapes.subarray(4 * next - 4, 4 * next);
    const past = at - place - (code < 0 ? 0 : 1);
    return past < 0 ? [start, end] : [end + past, end + past + 1];
  }
}

const FIRST_ESCAPE = /[%\\\r\n]/;
const [LINE_FEED, RETURN, PERCENT, BACKSLASH] = [0x0a, 0x0d, 0x25, 0x5c];
const BEGINS_ESCAPE = new Uint8Array(128);
for (const code of [LINE_FEED, RETURN, PERCENT, BACKSLASH]) BEGINS_ESCAPE[code] = 1;
/** Bit of the lower case of an ASCII letter. */
const LOW = 0x20;
const [LOW_N, LOW_R, LOW_U, LOW_X] = [0x6e, 0x72, 0x75, 0x78];

/** Where the escape ends that begins there, or that place for none. Several backslashes are one, because each layer of JSON doubles them. */
function escapeEnd(text: string, start: number): number {
  const sign = text.charCodeAt(start);
  if (sign === PERCENT) return hasDigits(text, start + 1, 2) ? start + 3 : start;
  let end = start;
  if (sign === BACKSLASH) {
    while (text.charCodeAt(end) === BACKSLASH) end += 1;
    const letter = text.charCodeAt(end);
    if (letter === LOW_N || letter === LOW_R) return end + 1;
    const digits = (letter | LOW) === LOW_U ? 4 : (letter | LOW) === LOW_X ? 2 : 0;
    return digits > 0 && hasDigits(text, end + 1, digits) ? end + 1 + digits : end;
  }
  while (isLineBreak(text.charCodeAt(end))) end += 1;
  return end;
}

const isLineBreak = (code: number): boolean => code === LINE_FEED || code === RETURN;

/** Returns the code that the digits of an escape name; -1 for one without digits. */
function codeOfEscape(text: string, start: number, end: number): number {
  if (isLineBreak(text.charCodeAt(start))) return -1;
  let from = start + 1;
  if (text.charCodeAt(start) === BACKSLASH) {
    while (text.charCodeAt(from) === BACKSLASH) from += 1;
    from += 1;
  }
  let code = from < end ? 0 : -1;
  for (let at = from; at < end; at += 1) code = code * 16 + hexDigit(text.charCodeAt(at));
  return code;
}

function hasDigits(text: string, from: number, digits: number): boolean {
  for (let at = from; at < from + digits; at += 1) if (hexDigit(text.charCodeAt(at)) < 0) return false;
  return true;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = (code | LOW) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}
