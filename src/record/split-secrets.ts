import type { Span } from './spans.ts';

/** A shorter beginning of a secret could occur by chance, so it is replaced only together with its rest. */
const MIN_CHARS = 8;

/** More beginnings at the ends of strings of one text are not followed, because only a hostile text has them. */
const MAX_OPEN = 32;

/** A longer name is no field's. */
const MAX_FIELD_CHARS = 64;

/** A longer secret is no key, and costs too much to follow. */
export const MAX_SPLIT_CHARS = 4096;

/** Finds a beginning of a secret at the end of a text, in time linear in the shorter of the two (Knuth, Morris, Pratt). */
export class SplitPattern {
  readonly secret: string;
  /** Characters that follow one another, by their codes. */
  readonly #pairs = new Set<number>();
  /** For each beginning of the secret, the length of the longest shorter one at its end. */
  readonly #shorter: Uint16Array;

  constructor(secret: string) {
    this.secret = secret;
    this.#shorter = new Uint16Array(secret.length);
    for (let at = 1; at < secret.length; at += 1) {
      this.#pairs.add(pairAt(secret, at - 1));
      this.#shorter[at] = this.#grown(this.#shorter[at - 1] ?? 0, secret.charCodeAt(at));
    }
  }

  /** Returns the lengths of the proper beginnings of the secret at the end of a piece of the text, longest first. */
  lengthsAtEnd(text: string, start: number, end: number): number[] {
    if (end === start) return [];
    // Almost every text ends with two characters that do not follow one another in the secret.
    const isFirst = text.charCodeAt(end - 1) === this.secret.charCodeAt(0);
    if (!isFirst && !this.#pairs.has(pairAt(text, end - 2))) return [];
    let length = 0;
    for (let at = Math.max(start, end - this.secret.length + 1); at < end; at += 1) {
      length = this.#grown(length, text.charCodeAt(at));
    }
    const lengths: number[] = [];
    for (; length > 0; length = this.#shorter[length - 1] ?? 0) lengths.push(length);
    return lengths;
  }

  #grown(length: number, code: number): number {
    let known = length;
    while (known > 0 && this.secret.charCodeAt(known) !== code) known = this.#shorter[known - 1] ?? 0;
    return this.secret.charCodeAt(known) === code ? known + 1 : 0;
  }
}

/** A piece of a text ended with so many characters of a secret. */
interface Begun {
  readonly pattern: SplitPattern;
  readonly length: number;
  /** Text before the piece. */
  readonly field: string;
}

/** Finds secrets that one text begins and the next ones continue. */
export class SplitSecrets {
  readonly #patterns: readonly SplitPattern[];
  #open: readonly Begun[] = [];

  constructor(patterns: readonly SplitPattern[]) {
    this.#patterns = patterns;
  }

  /**
   * Returns the parts of secrets in the next text. A secret continues at its beginning, or in a string of JSON that has the
   * same field: a single character of a secret is also the beginning of other strings.
   * @param quote the end of a piece of the text
   */
  next(text: string, quote: string): Span[] {
    const found: Span[] = [];
    const before = this.#open;
    const open: Begun[] = [];
    // A field is the two pieces before: its name and a colon.
    let fieldStart = 0;
    const begin = (pattern: SplitPattern, length: number, start: number, span: Span): void => {
      if (length >= MIN_CHARS) found.push(span);
      if (open.length < MAX_OPEN) open.push({ pattern, length, field: fieldBefore(text, fieldStart, start) });
    };
    let lastStart = 0;
    for (let start = 0; start <= text.length; ) {
      const at = text.indexOf(quote, start);
      const end = at < 0 ? text.length : at;
      for (const begun of before) {
        const { pattern, length, field } = begun;
        const more = Math.min(pattern.secret.length - length, end - start);
        const isContinued = more > 0 && text.startsWith(pattern.secret.slice(length, length + more), start);
        if (!isContinued || field !== fieldBefore(text, fieldStart, start)) continue;
        if (length + more === pattern.secret.length) found.push([start, start + more]);
        else begin(pattern, length + more, start, [start, end]);
      }
      for (const pattern of this.#patterns) {
        for (const length of pattern.lengthsAtEnd(text, start, end)) {
          begin(pattern, length, start, [end - length, end]);
        }
      }
      fieldStart = lastStart;
      lastStart = start;
      start = end + 1;
    }
    this.#open = open;
    return found;
  }
}

const fieldBefore = (text: string, from: number, to: number): string =>
  text.slice(Math.max(from, to - MAX_FIELD_CHARS), to);

const pairAt = (text: string, at: number): number => text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
