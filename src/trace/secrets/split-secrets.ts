import { groupBy } from '#lib/collections/maps.ts';
import { grown, shorterBeginnings } from '#lib/text/beginnings.ts';
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
  readonly #shorter: Uint32Array;

  constructor(secret: string) {
    this.secret = secret;
    this.#shorter = shorterBeginnings(secret);
  }

  /** Returns the lengths of the proper beginnings of the secret at the end of a piece of the text, longest first. */
  lengthsAtEnd(text: string, start: number, end: number): number[] {
    let length = 0;
    for (let at = Math.max(start, end - this.secret.length + 1); at < end; at += 1) {
      length = grown(this.secret, this.#shorter, length, text.charCodeAt(at));
    }
    const lengths: number[] = [];
    for (; length > 0; length = this.#shorter[length - 1] ?? 0) lengths.push(length);
    return lengths;
  }
}

/** The secrets of one client. */
export class SplitPatterns {
  readonly all: readonly SplitPattern[];
  /** Ends of all beginnings: of one character, and of more by the last two. Made once there is a text. */
  #firsts: Set<number> | null = null;
  readonly #pairs = new Set<number>();

  constructor(all: readonly SplitPattern[]) {
    this.all = all;
  }

  /** Whether a piece may end with a beginning of a secret. Almost every one ends with two characters that none has. */
  mayEnd(text: string, start: number, end: number): boolean {
    if (end === start) return false;
    const firsts = this.#firsts ?? this.#readEnds();
    return (
      firsts.has(text.charCodeAt(end - 1)) || (end - start > 1 && this.#pairs.has(pairAt(text, end - 2)))
    );
  }

  #readEnds(): Set<number> {
    this.#firsts = new Set(this.all.map(({ secret }) => secret.charCodeAt(0)));
    for (const { secret } of this.all) {
      for (let at = 1; at < secret.length; at += 1) this.#pairs.add(pairAt(secret, at - 1));
    }
    return this.#firsts;
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
  readonly #patterns: SplitPatterns;
  #open: readonly Begun[] = [];

  constructor(patterns: SplitPatterns) {
    this.#patterns = patterns;
  }

  /**
   * Returns the parts of secrets in the next text. A secret continues at its beginning, or in a string of JSON that has the
   * same field: a single character of a secret is also the beginning of other strings.
   * @param quote the end of a piece of the text
   */
  next(text: string, quote: string): Span[] {
    const found: Span[] = [];
    const before = groupBy(this.#open, ({ pattern, length }) => pattern.secret.charCodeAt(length));
    const open: Begun[] = [];
    // A field is the two pieces before: its name and a colon.
    let fieldStart = 0;
    const begin = (pattern: SplitPattern, length: number, start: number): void => {
      if (open.length < MAX_OPEN) open.push({ pattern, length, field: fieldBefore(text, fieldStart, start) });
    };
    let lastStart = 0;
    for (let start = 0; start <= text.length; ) {
      const at = text.indexOf(quote, start);
      const end = at < 0 ? text.length : at;
      // Almost every piece begins with a character that continues none.
      const continued = before.size > 0 && end > start ? before.get(text.charCodeAt(start)) : undefined;
      for (const { pattern, length, field } of continued ?? []) {
        const more = Math.min(pattern.secret.length - length, end - start);
        const isContinued = text.startsWith(pattern.secret.slice(length, length + more), start);
        if (!isContinued || field !== fieldBefore(text, fieldStart, start)) continue;
        if (length + more >= MIN_CHARS) found.push([start, start + more]);
        if (length + more < pattern.secret.length) begin(pattern, length + more, start);
      }
      // Once no more is followed, a short beginning means nothing.
      const isWanted = open.length < MAX_OPEN || end - start >= MIN_CHARS;
      const isEnd = isWanted && this.#patterns.mayEnd(text, start, end);
      let longest = 0;
      for (const pattern of isEnd ? this.#patterns.all : []) {
        for (const length of pattern.lengthsAtEnd(text, start, end)) {
          longest = Math.max(longest, length);
          if (open.length >= MAX_OPEN) break;
          begin(pattern, length, start);
        }
      }
      // The longest one covers the others.
      if (longest >= MIN_CHARS) found.push([end - longest, end]);
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
