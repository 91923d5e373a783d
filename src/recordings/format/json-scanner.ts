import { pathText } from './import-error.ts';

export interface JsonLimits {
  /** Lists and objects inside one another. */
  depth: number;
  /** Values of any kind, so that a small text cannot become a large structure. */
  values: number;
}

/** Offset in the text, and what was wrong there. */
export interface JsonProblem {
  offset: number;
  path: string;
  expected: string;
  found: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * The first place where a text is no JSON or exceeds a limit; null where it is fine. Browsers say of broken JSON only
 * what they like, and build the whole of it before its depth can be looked at.
 * @param thorough look into strings too, at a price; without it a bad escape or control character goes unseen
 */
export function jsonProblem(text: string, limits: JsonLimits, thorough = false): JsonProblem | null {
  return new Scanner(text, limits, thorough).problem();
}

/** Where the value at this path begins; that of the nearest value around it where there is none. The text is JSON. */
export function offsetOfPath(text: string, path: readonly PropertyKey[]): number {
  const scanner = new Scanner(text, { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY });
  scanner.lookFor(path);
  scanner.problem();
  return scanner.foundOffset;
}

/** One list or object around the place that is being read. */
interface Level {
  isList: boolean;
  index: number;
  keyStart: number;
  keyEnd: number;
  /** It lies on the path that is looked for. */
  onPath: boolean;
}

class Scanner {
  foundOffset = 0;
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #thorough: boolean;
  readonly #levels: Level[] = [];
  #path: readonly PropertyKey[] | null = null;
  #at = 0;
  #values = 0;

  constructor(text: string, limits: JsonLimits, thorough = false) {
    this.#text = text;
    this.#limits = limits;
    this.#thorough = thorough;
  }

  lookFor(path: readonly PropertyKey[]): void {
    this.#path = path;
  }

  problem(): JsonProblem | null {
    for (;;) {
      const problem = this.#value();
      if (problem === 'more') continue;
      if (problem) return problem;
      const end = this.#afterValue();
      if (end !== 'more') return end;
    }
  }

  /** `more`: a list or an object has begun, and its first value is next. */
  #value(): JsonProblem | null | 'more' {
    const code = this.#next();
    this.#values += 1;
    if (this.#values > this.#limits.values) {
      return this.#wrong(`at most ${this.#limits.values} values`, 'more');
    }
    const onPath = this.#path !== null && this.#isOnPath();
    if (onPath) this.foundOffset = this.#at;
    if (code === QUOTE) return this.#string('a string');
    if (code === OPEN_LIST || code === OPEN_OBJECT) return this.#open(code === OPEN_LIST, onPath);
    return this.#skip(NUMBER) || this.#skip(LITERAL) ? null : this.#wrong('a JSON value');
  }

  #open(isList: boolean, onPath: boolean): JsonProblem | null | 'more' {
    if (this.#levels.length >= this.#limits.depth) {
      return this.#wrong(`at most ${this.#limits.depth} lists and objects inside one another`, 'more');
    }
    this.#at += 1;
    this.#levels.push({ isList, index: 0, keyStart: 0, keyEnd: 0, onPath });
    if (this.#next() === (isList ? CLOSE_LIST : CLOSE_OBJECT)) {
      this.#close();
      return null;
    }
    return (isList ? null : this.#key()) ?? 'more';
  }

  #close(): void {
    this.#at += 1;
    this.#levels.pop();
  }

  #key(): JsonProblem | null {
    const level = this.#levels.at(-1);
    // Up to here the key before was the place.
    if (level) level.keyEnd = 0;
    if (this.#next() !== QUOTE) return this.#wrong('a key in double quotes');
    const start = this.#at;
    const problem = this.#string('a key');
    if (problem) return problem;
    if (level) {
      level.keyStart = start;
      level.keyEnd = this.#at;
    }
    if (this.#next() !== COLON) return this.#wrong('a colon');
    this.#at += 1;
    return null;
  }

  /** Up to where the next value begins (`more`), or to the end of the text (null). */
  #afterValue(): JsonProblem | null | 'more' {
    for (;;) {
      const code = this.#next();
      const level = this.#levels.at(-1);
      if (!level) return this.#at >= this.#text.length ? null : this.#wrong('the end');
      if (code === COMMA) {
        this.#at += 1;
        level.index += 1;
        return (level.isList ? null : this.#key()) ?? 'more';
      }
      if (code !== (level.isList ? CLOSE_LIST : CLOSE_OBJECT)) {
        return this.#wrong(`a comma or ${level.isList ? ']' : '}'}`);
      }
      this.#close();
    }
  }

  /** Skips white space. */
  #next(): number {
    const text = this.#text;
    let code = text.charCodeAt(this.#at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      this.#at += 1;
      code = text.charCodeAt(this.#at);
    }
    return code;
  }

  #skip(token: RegExp): boolean {
    token.lastIndex = this.#at;
    if (!token.test(this.#text)) return false;
    this.#at = token.lastIndex;
    return true;
  }

  #string(what: string): JsonProblem | null {
    const start = this.#at;
    const end = endOfString(this.#text, start + 1);
    if (end < 0) return this.#wrong(`the closing quote of ${what}`, 'the end');
    if (this.#thorough) {
      for (let at = start + 1; at < end; at += 1) {
        const code = this.#text.charCodeAt(at);
        if (code >= 0x20 && code !== BACKSLASH) continue;
        this.#at = at;
        if (code < 0x20) return this.#wrong('no control character in a string');
        if (!this.#skip(ESCAPE)) return this.#wrong('an escape that JSON knows');
        at = this.#at - 1;
      }
    }
    this.#at = end + 1;
    return null;
  }

  /** Only where the value's own list or object lies on the path is its key compared. */
  #isOnPath(): boolean {
    const depth = this.#levels.length;
    const level = this.#levels.at(-1);
    if (!level) return true;
    const key = this.#path?.[depth - 1];
    if (!level.onPath || key === undefined) return false;
    return level.isList ? key === level.index : key === this.#keyOf(level);
  }

  #keyOf(level: Level): string {
    const key = this.#text.slice(level.keyStart, level.keyEnd);
    try {
      return String(JSON.parse(key));
    } catch {
      return key;
    }
  }

  #wrong(expected: string, found?: string): JsonProblem {
    // Of a structure that is far too deep the outermost part says enough.
    const path: PropertyKey[] = [];
    for (const level of this.#levels.slice(0, MAX_PATH_LEVELS)) {
      if (level.isList) path.push(level.index);
      else if (level.keyEnd > 0) path.push(this.#keyOf(level));
    }
    return { offset: this.#at, path: pathText(path), expected, found: found ?? this.#found() };
  }

  #found(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(code));
  }
}

const MAX_PATH_LEVELS = 8;

/** The offset of the quote that ends a JSON string whose text begins at `from`; -1 where none does. */
export function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (at - backslashes > from && text.charCodeAt(at - backslashes - 1) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
  return -1;
}
