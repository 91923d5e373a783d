import type { Span } from './spans.ts';

/** More layers of escapes than this are left, because only a hostile text has them. */
const MAX_LAYERS = 5;

/** Every escape and every line break contains one of these. */
const SIGNS = ['\\', '%', '&', '\n', '\r'];

/**
 * Matches one character: in UTF-8 bytes (`%C3%BC`, `\xc3\xbc`), as a code of JSON, JavaScript or HTML, as an entity, or as
 * a letter behind a backslash. Otherwise matches what is dropped: line breaks and backslashes.
 */
const ESCAPE = new RegExp(
  [
    String.raw`((?:%|\\+x)(?:[c-f][0-9a-f](?:(?:%|\\+x)[89ab][0-9a-f]){1,3}|[0-9a-f]{2}))`,
    String.raw`\\+u([0-9a-f]{4})`,
    String.raw`(?:\\+u\{|&#x)([0-9a-f]{1,6})[};]`,
    '&#([0-9]{1,7});',
    '&(amp|lt|gt|quot|apos);',
    String.raw`\\+([bft])`,
    String.raw`\\+[nr]?|[\r\n]+`,
  ].join('|'),
  'gi',
);

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const LETTERS: Readonly<Record<string, string>> = { b: '\b', f: '\f', t: '\t' };

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

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
  while (layers.length < MAX_LAYERS && SIGNS.some((sign) => text.includes(sign))) {
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
    let text = '';
    let from = 0;
    ESCAPE.lastIndex = 0;
    for (let match = ESCAPE.exec(original); match; match = ESCAPE.exec(original)) {
      const characters = charactersOf(match);
      text += original.slice(from, match.index) + characters;
      from = ESCAPE.lastIndex;
      this.#places.push(text.length - characters.length);
      this.#lengths.push(characters.length);
      this.#starts.push(match.index);
      this.#ends.push(from);
    }
    this.text = text + original.slice(from);
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

function charactersOf([, bytes, unit, point, decimal, entity, letter]: RegExpExecArray): string {
  if (bytes !== undefined) {
    const codes = Array.from(bytes.matchAll(/[0-9a-f]{2}/gi), ([pair]) => Number.parseInt(pair, 16));
    // A single byte above ASCII is a character of Latin-1.
    return codes.length === 1 ? String.fromCharCode(...codes) : decoder.decode(Uint8Array.from(codes));
  }
  const code = Number(decimal ?? `0x${unit ?? point ?? ''}`);
  if (code <= 0x10ffff) return String.fromCodePoint(code);
  return ENTITIES[entity?.toLowerCase() ?? ''] ?? LETTERS[letter ?? ''] ?? '';
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
