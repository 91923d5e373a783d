import { encodeBase64 } from '#lib/base64.ts';
import { bisect } from '#lib/collections/bisect.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { KEY_MARK, type Span, withMarks } from './named-secrets.ts';

/** A shorter secret could occur in a frame by chance, so it is replaced only in sentences for people. */
const MIN_CHARS_IN_FRAMES = 8;

/** So much of the beginning of a secret is replaced without its end, because servers and close reasons cut long texts. */
const BEGINNING_CHARS = 16;

/** The forms of a secret to look for. Those of a blank one are none. */
export class SecretForms {
  readonly inText: readonly string[];
  /** As UTF-8, one character a byte. */
  readonly inBytes: string;

  constructor(secret: string) {
    // A server may trim a pasted blank. Quotes and backslashes at the edges may be those of the JSON around it.
    const core = /[^\s"\\](?:.*[^\s"\\])?/s.exec(secret)?.[0] ?? '';
    const utf8 = new TextEncoder().encode(core);
    const inJson = quoted(core);
    this.inBytes = textOfCodes(utf8);
    const plain = [core, this.inBytes, this.inBytes.replaceAll(' ', '+'), inJson, quoted(inJson)];
    // In base64 a short secret would match ordinary words.
    const forms = [...plain, ...(core.length < MIN_CHARS_IN_FRAMES ? [] : base64Forms(utf8))];
    this.inText = [...new Set(forms)].filter((form) => form !== '');
  }
}

/**
 * Replaces secrets as they are, in percent-encoding (also in part), in base64, as JSON writes them, and as bytes. A public
 * key must not be passed, because it may be an ordinary word. `docs/recording-format.md` lists the forms that are not found.
 */
export class Redaction {
  readonly #secrets: readonly SecretForms[];

  constructor(...secrets: readonly (string | SecretForms)[]) {
    this.#secrets = secrets
      .map((secret) => (typeof secret === 'string' ? new SecretForms(secret) : secret))
      .filter(({ inText }) => inText.length > 0);
  }

  /** Cleans a frame. Base64 of audio contains a key of 8 letters by chance only once in 32^8 characters. */
  frame(frame: Frame): Frame {
    return typeof frame === 'string' ? this.#replace(frame, MIN_CHARS_IN_FRAMES) : this.#replaceBytes(frame);
  }

  /** Cleans a sentence for people: error message, close reason, address. */
  words(text: string): string {
    return this.#replace(text, 1);
  }

  /** Writes JSON that is cleaned in its strings only, because a short secret may occur in numbers and names. */
  json(what: object): string {
    return cleanJson(what, (text) => this.words(text));
  }

  #replace(text: string, minChars: number): string {
    if (this.#secrets.length === 0) return text;
    const forms = this.#secrets.flatMap(({ inText }) => inText.filter(({ length }) => length >= minChars));
    const spansIn = (searched: string): Span[] => forms.flatMap((form) => placesOf(form, searched));
    const decoded = percentDecoded(text);
    const hidden = decoded ? spansIn(decoded.text).map(decoded.originalOf) : [];
    return withMarks(text, [...spansIn(text), ...hidden], KEY_MARK);
  }

  /** Keeps the length, so that offsets stay valid. */
  #replaceBytes(frame: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const forms = this.#secrets.map(({ inBytes }) => inBytes);
    const text = forms.length === 0 ? '' : textOfCodes(frame);
    const spans = forms.flatMap((form) => (form.length < MIN_CHARS_IN_FRAMES ? [] : placesOf(form, text)));
    if (spans.length === 0) return frame;
    const clean = frame.slice();
    for (const [start, end] of spans) clean.fill(STAR, start, end);
    return clean;
  }
}

/** Writes JSON with its strings cleaned. */
export const cleanJson = (what: object, clean: (text: string) => string): string =>
  JSON.stringify(what, (_, value: unknown) => (typeof value === 'string' ? clean(value) : value));

const STAR = '*'.charCodeAt(0);

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Arguments of one call. Engines accept some ten thousands. */
const CODES_AT_ONCE = 8192;

/** Returns the text of UTF-16 codes, or of bytes (Latin-1). */
function textOfCodes(codes: Uint8Array | Uint16Array): string {
  let text = '';
  for (let at = 0; at < codes.length; at += CODES_AT_ONCE) {
    // A spread would read them one by one.
    text += Reflect.apply(String.fromCharCode, null, codes.subarray(at, at + CODES_AT_ONCE));
  }
  return text;
}

/** Base64 within a longer text has one of three forms, by its offset in a group of three bytes. */
function base64Forms(secret: Uint8Array): string[] {
  const base64 = [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + secret.length + 2);
    padded.set(secret, before);
    // Characters that hold bits of a neighbour too are not the secret's own.
    return encodeBase64(padded).slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + secret.length) * 8) / 6),
    );
  });
  return [...base64, ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

/**
 * Returns the places of a form, or of a beginning of it. Reads each character a fixed number of times, whatever the form and
 * the text repeat: clients choose both. V8 searches in linear time only for short patterns.
 */
function placesOf(form: string, text: string): Span[] {
  const spans: Span[] = [];
  const head = form.slice(0, BEGINNING_CHARS);
  for (let start = text.indexOf(head); start >= 0; ) {
    let length = head.length;
    while (length < form.length && text.charCodeAt(start + length) === form.charCodeAt(length)) length += 1;
    spans.push([start, start + length]);
    start = text.indexOf(head, start + length);
  }
  return spans;
}

const PERCENT = '%'.charCodeAt(0);
const HEX = /^[\da-f]{2}$/i;

/** Returns the text with a character (Latin-1) for each percent escape, and the way back; null without an escape. */
function percentDecoded(original: string): { text: string; originalOf(span: Span): Span } | null {
  if (!original.includes('%')) return null;
  const codes = new Uint16Array(original.length);
  let length = 0;
  /** Places of their characters. */
  const escapes: number[] = [];
  for (let at = 0; at < original.length; at += 1) {
    let code = original.charCodeAt(at);
    const digits = code === PERCENT ? original.slice(at + 1, at + 3) : '';
    if (HEX.test(digits)) {
      code = Number.parseInt(digits, 16);
      escapes.push(length);
      at += 2;
    }
    codes[length] = code;
    length += 1;
  }
  const back = (at: number) => at + 2 * bisect(0, escapes.length, (index) => (escapes[index] ?? at) < at);
  return {
    text: textOfCodes(codes.subarray(0, length)),
    originalOf: ([start, end]) => [back(start), back(end)],
  };
}
