import { largest } from '#lib/collections/arrays.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import { textOfCodes } from './code-units.ts';
import { decodedText } from './decoded-text.ts';
import { addSpans } from './find-spans.ts';
import { isSecretName, KEY_MARK, MAY_NAME_SECRET, withoutNamedSecrets } from './named-secrets.ts';
import { folded, MIN_CHARS_IN_FRAMES, SecretForms } from './secret-forms.ts';
import { type Span, withMarks } from './spans.ts';
import { SplitPatterns, SplitSecrets } from './split-secrets.ts';

/** So many secrets are looked for in a text of any length. A client has one, a form or a login two. */
const ALWAYS_SOUGHT = 2;
/** Characters of a text times the forms of more secrets: some 50 ms of search. */
const MAX_WORK = 48 * 2 ** 20;
/** The beginnings of a form at the ends of strings cost more than its places. */
const SPLIT_WORK = 4;

/**
 * Replaces secrets in every form that comes up by itself: plain, in lower or upper case, escaped for an address, JSON or
 * Python (also in part and in layers), in base64 and hex (also with line breaks), as bytes of UTF-8, and split over
 * texts. A public key must not be passed, because it may be an ordinary word. A text in which the search for many secrets
 * would take too long is replaced as a whole.
 */
export class Redaction {
  readonly #secrets: readonly SecretForms[];
  readonly #split: SplitPatterns;
  readonly #maxBytes: number;
  /** For each character of a text; 0 for few secrets. */
  readonly #work: number;

  constructor(...secrets: readonly (string | SecretForms)[]) {
    this.#secrets = secrets
      .map((secret) => (typeof secret === 'string' ? new SecretForms(secret) : secret))
      .filter(({ plain }) => plain.length > 0);
    this.#split = new SplitPatterns(this.#secrets.flatMap(({ split }) => split));
    this.#maxBytes = largest(
      this.#split.all.map(({ secret }) => secret.length),
      0,
    );
    const forms = this.#secrets.map(
      ({ plain, exact, split }) => plain.length + exact.length + SPLIT_WORK * split.length,
    );
    this.#work = forms.length > ALWAYS_SOUGHT ? forms.reduce((sum, each) => sum + each) : 0;
  }

  /** Cleans a frame. Base64 of audio contains a key of 8 letters by chance only once in 32^8 characters. */
  frame(frame: Frame): Frame {
    return this.stream()(frame);
  }

  /** Returns a cleaner for the frames of one direction in order, which also finds secrets that continue in the next frame. */
  stream(): (frame: Frame) => Frame {
    const texts = new SplitSecrets(this.#split);
    const binaries = new SplitSecrets(this.#split);
    return (frame) =>
      typeof frame === 'string'
        ? this.#replace(frame, MIN_CHARS_IN_FRAMES, texts)
        : this.#replaceBytes(frame, binaries);
  }

  /** Cleans a sentence for people: error message, close reason, address. */
  words(text: string): string {
    return this.#replace(text, 1, new SplitSecrets(this.#split));
  }

  /** Writes JSON that is cleaned in its strings only, because a short secret may occur in numbers and names. */
  json(what: object): string {
    return cleanJson(what, (text) => this.words(text));
  }

  #replace(text: string, minChars: number, split: SplitSecrets): string {
    if (this.#secrets.length === 0) return text;
    if (this.#work * text.length > MAX_WORK) return KEY_MARK;
    const low = folded(text);
    const plain = this.#spansIn(text, low, minChars);
    const decoded = decodedText(text);
    const lowDecoded = decoded ? folded(decoded.text) : low;
    const hidden = decoded ? this.#spansIn(decoded.text, lowDecoded, minChars) : [];
    const found = [...hidden, ...split.next(lowDecoded, QUOTE)];
    const spans = [...plain, ...(decoded ? found.map(decoded.originalOf) : found)];
    if (spans.length === 0) return text;
    const isJson = JSON_START.test(text);
    const whole = spans.map((span): Span => {
      const [start, end] = isJson ? insideQuotes(text, span) : span;
      return [startOfEscape(text, start), end];
    });
    return withMarks(text, whole, KEY_MARK);
  }

  #spansIn(text: string, low: string, minChars: number): Span[] {
    const spans: Span[] = [];
    for (const { plain, exact } of this.#secrets) {
      for (const form of plain) if (form.length >= minChars) addSpans(spans, low, form);
      for (const form of exact) if (form.length >= minChars) addSpans(spans, text, form);
    }
    return spans;
  }

  /** Keeps the length, so that offsets stay valid. */
  #replaceBytes(frame: Uint8Array<ArrayBuffer>, split: SplitSecrets): Uint8Array<ArrayBuffer> {
    const spans = this.#splitInBytes(frame, split);
    const low = this.#secrets.length === 0 ? '' : folded(textOfCodes(frame));
    for (const { bytes } of this.#secrets) if (bytes !== null) addSpans(spans, low, bytes);
    if (spans.length === 0) return frame;
    const clean = frame.slice();
    for (const [start, end] of spans) clean.fill(STAR, start, end);
    return clean;
  }

  /** Only the ends of a frame can be parts of a secret. */
  #splitInBytes(frame: Uint8Array, split: SplitSecrets): Span[] {
    const max = this.#maxBytes;
    const tail = Math.max(max, frame.length - max);
    const ends = textOfCodes(frame.subarray(0, max)) + textOfCodes(frame.subarray(tail));
    const toFrame = (at: number): number => (at > max ? at - max + tail : at);
    const found = split.next(folded(ends), NO_EDGE);
    return found.map(([start, end]): Span => [toFrame(start), toFrame(end)]);
  }
}

/** Writes JSON with its strings cleaned. */
export const cleanJson = (what: object, clean: (text: string) => string): string =>
  JSON.stringify(what, (_, value: unknown) => (typeof value === 'string' ? clean(value) : value));

const JSON_START = /^\s*[{["]/;

/**
 * Returns the part of a secret in JSON without quotes at its edges and backslashes at its end. They may delimit the
 * string, or belong to an escape behind the secret, and would leave no JSON.
 */
function insideQuotes(text: string, span: Span): Span {
  let [start, end] = span;
  for (let at = start; at < end && (text[at] === '"' || text[at] === '\\'); at += 1) {
    if (text[at] === '"') start = at + 1;
  }
  while (end > start && (text[end - 1] === '"' || text[end - 1] === '\\')) end -= 1;
  return start < end ? [start, end] : span;
}

/** Characters that JSON may write as a backslash and a plain character. */
const ESCAPED = '/bfnrtu';

/** Returns where the escape of a character begins. A backslash that lost its character would be no JSON. */
function startOfEscape(text: string, at: number): number {
  if (!ESCAPED.includes(text.charAt(at))) return at;
  let from = at;
  while (text[from - 1] === '\\') from -= 1;
  return (at - from) % 2 === 0 ? at : at - 1;
}

/** Ends the strings of a JSON text. */
const QUOTE = '"';
/** A character that no byte decodes to, because binary frames have no strings that end. */
const NO_EDGE = '\uffff';

/**
 * Replaces named secrets in a frame or an address.
 * @param typed a person may have written it, so values of secret fields are replaced of any type
 */
export function withoutSecretFields(text: string, typed: boolean): string {
  const clean = withoutNamedSecrets(text);
  if (!typed || !clean.trimStart().startsWith('{') || !MAY_NAME_SECRET.test(clean)) return clean;
  const read = fieldsOf(clean);
  // Other readers of the frame share its fields.
  const fields = read && (JSON.parse(clean) as object);
  return fields && hideFields(fields) ? JSON.stringify(fields) : clean;
}

const STAR = '*'.charCodeAt(0);

/** Deeper than any frame. Deeper values are replaced as a whole. */
const MAX_DEPTH = 64;

/** Replaces the values of secret fields in place. Returns whether there were any. */
function hideFields(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  // The items of a list have no names.
  if (Array.isArray(value) && depth < MAX_DEPTH) {
    let hasHidden = false;
    for (const item of value) if (hideFields(item, depth + 1)) hasHidden = true;
    return hasHidden;
  }
  let hasHidden = false;
  for (const [name, field] of Object.entries(value)) {
    const isHidden = depth >= MAX_DEPTH ? typeof field === 'object' && field !== null : isSecretName(name);
    const isEmpty = field === null || field === '' || field === KEY_MARK || typeof field === 'boolean';
    if (isHidden && !isEmpty) {
      // Plain assignment would set the prototype where the name is `__proto__`.
      Object.defineProperty(value, name, { value: KEY_MARK, enumerable: true });
      hasHidden = true;
    } else if (hideFields(field, depth + 1)) hasHidden = true;
  }
  return hasHidden;
}
