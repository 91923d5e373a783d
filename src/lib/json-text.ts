/** The one reader of JSON texts with positions: it locates what is wrong with a text, and each value in it. */

export interface JsonLimits {
  /** Lists and objects inside one another. */
  depth: number;
  /** Values of any kind, so that a small text cannot become a large structure. */
  values: number;
}

/** Half-open range of UTF-16 units. */
interface Span {
  from: number;
  to: number;
}

/** Why a text is no JSON, or exceeds a limit. */
export interface JsonProblem {
  /** Of the character that is wrong. */
  offset: number;
  /** The part of the text to mark: the wrong word, or the string with the wrong character up to the end of its line. */
  span: Span;
  /** Of the value that is wrong, such as `log.entries[3]`. */
  path: string;
  expected: string;
  found: string;
}

export interface JsonMember {
  key: string;
  keySpan: Span;
  value: JsonNode;
}

/** A value with its place in the text. Members may have the same key; `JSON.parse` takes the last. */
export type JsonNode =
  | { kind: 'object'; span: Span; members: readonly JsonMember[] }
  | { kind: 'array'; span: Span; items: readonly JsonNode[] }
  | { kind: 'scalar'; span: Span };

/** A problem in words, and the part of the text to mark. */
export interface JsonRemark {
  message: string;
  span: Span;
}

export type JsonTree = { ok: true; root: JsonNode } | { ok: false; problem: JsonRemark };

/** A person's text is at most this deep and has at most so many values. */
const TREE_LIMITS: JsonLimits = { depth: 100, values: 1_000_000 };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERAL = /(?:true|false|null)(?![\w$])/y;
/** A longer word is cut, because it ends up in a message. */
const WORD = /[A-Za-z_$][\w$]{0,39}/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Returns the first place where a text is no JSON or exceeds a limit; null where it is valid. Accepts exactly what
 * `JSON.parse` accepts. `JSON.parse` itself names no place in some browsers, and builds a value of any depth.
 * @param thorough checks inside strings too, which costs time; without it a bad escape or control character passes
 */
export function jsonProblem(text: string, limits: JsonLimits, thorough = false): JsonProblem | null {
  return new Scanner(text, limits, thorough).problem();
}

/** Reads the places of all values of a text. Values themselves are left to `JSON.parse`. */
export function readJsonTree(text: string): JsonTree {
  const scanner = new Scanner(text, TREE_LIMITS, true);
  scanner.buildTree();
  const problem = scanner.problem();
  if (!problem) return { ok: true, root: scanner.root };
  const { span, expected, found } = problem;
  return { ok: false, problem: { message: `expected ${expected}, got ${found}`, span } };
}

/** Returns the node at a dotted path, or the nearest one above it that exists. */
export function nodeAt(root: JsonNode, path: string): JsonNode {
  let node = root;
  for (const step of path === '' ? [] : path.split('.')) {
    const next =
      node.kind === 'object'
        ? node.members.findLast(({ key }) => key === step)?.value
        : node.kind === 'array'
          ? node.items[Number(step)]
          : undefined;
    if (!next) return node;
    node = next;
  }
  return node;
}

/**
 * Returns where the value at this path begins, or the nearest value around it where there is none. The text is JSON.
 * No tree is built, because the text may have hundreds of megabytes.
 */
export function offsetOfPath(text: string, path: readonly PropertyKey[]): number {
  const scanner = new Scanner(text, { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY });
  scanner.lookFor(path);
  scanner.problem();
  return scanner.foundOffset;
}

type Container =
  | { kind: 'object'; span: Span; members: JsonMember[] }
  | { kind: 'array'; span: Span; items: JsonNode[] };

/** One list or object around the place that is being read. */
interface Level {
  isList: boolean;
  /** Null where no tree is built. */
  node: Container | null;
  index: number;
  keyStart: number;
  keyEnd: number;
  /** It lies on the path that is looked for. */
  onPath: boolean;
}

class Scanner {
  foundOffset = 0;
  root: JsonNode = { kind: 'scalar', span: { from: 0, to: 0 } };
  #buildsTree = false;
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

  buildTree(): void {
    this.#buildsTree = true;
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
    if (code === OPEN_LIST || code === OPEN_OBJECT) return this.#open(code === OPEN_LIST, onPath);
    const from = this.#at;
    if (code === QUOTE) {
      const problem = this.#string();
      if (problem) return problem;
    } else if (!this.#skip(NUMBER) && !this.#skip(LITERAL)) return this.#wrong('a value');
    if (this.#buildsTree) this.#attach({ kind: 'scalar', span: { from, to: this.#at } });
    return null;
  }

  #attach(node: JsonNode): void {
    const level = this.#levels.at(-1);
    if (!level?.node) this.root = node;
    else if (level.node.kind === 'array') level.node.items.push(node);
    else {
      const keySpan = { from: level.keyStart, to: level.keyEnd };
      level.node.members.push({ key: this.#keyOf(level), keySpan, value: node });
    }
  }

  #open(isList: boolean, onPath: boolean): JsonProblem | null | 'more' {
    if (this.#levels.length >= this.#limits.depth) {
      return this.#wrong(`at most ${this.#limits.depth} lists and objects inside one another`, 'more');
    }
    const span = { from: this.#at, to: this.#at };
    const node: Container = isList
      ? { kind: 'array', span, items: [] }
      : { kind: 'object', span, members: [] };
    if (this.#buildsTree) this.#attach(node);
    this.#at += 1;
    this.#levels.push({
      isList,
      node: this.#buildsTree ? node : null,
      index: 0,
      keyStart: 0,
      keyEnd: 0,
      onPath,
    });
    if (this.#next() === (isList ? CLOSE_LIST : CLOSE_OBJECT)) {
      this.#close();
      return null;
    }
    return (isList ? null : this.#key()) ?? 'more';
  }

  #close(): void {
    this.#at += 1;
    const node = this.#levels.pop()?.node;
    if (node) node.span.to = this.#at;
  }

  #key(): JsonProblem | null {
    const level = this.#levels.at(-1);
    // Up to here the key before was the place.
    if (level) level.keyEnd = 0;
    if (this.#next() !== QUOTE) return this.#wrong('a field name in double quotes');
    const start = this.#at;
    const problem = this.#string();
    if (problem) return problem;
    if (level) {
      level.keyStart = start;
      level.keyEnd = this.#at;
    }
    if (this.#next() !== COLON) return this.#wrong('a colon after the field name');
    this.#at += 1;
    return null;
  }

  /** Up to where the next value begins (`more`), or to the end of the text (null). */
  #afterValue(): JsonProblem | null | 'more' {
    for (;;) {
      const code = this.#next();
      const level = this.#levels.at(-1);
      if (!level) return this.#at >= this.#text.length ? null : this.#wrong('nothing more');
      if (code === COMMA) {
        this.#at += 1;
        level.index += 1;
        return (level.isList ? null : this.#key()) ?? 'more';
      }
      if (code !== (level.isList ? CLOSE_LIST : CLOSE_OBJECT)) {
        return this.#wrong(`a comma or a closing ${level.isList ? 'bracket' : 'brace'}`);
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

  #string(): JsonProblem | null {
    const start = this.#at;
    const end = endOfString(this.#text, start + 1);
    if (end < 0 && !this.#thorough) return this.#wrongString(start, 'a closing quote', 'the end');
    if (this.#thorough) {
      for (let at = start + 1; at < (end < 0 ? this.#text.length : end); at += 1) {
        const code = this.#text.charCodeAt(at);
        if (code >= 0x20 && code !== BACKSLASH) continue;
        this.#at = at;
        if (code < 0x20) return this.#wrongString(start, 'a closing quote, or an escape for this character');
        if (!this.#skip(ESCAPE)) return this.#wrongString(start, 'an escape that JSON knows');
        at = this.#at - 1;
      }
      this.#at = start;
      if (end < 0) return this.#wrongString(start, 'a closing quote', 'the end');
    }
    this.#at = end + 1;
    return null;
  }

  #wrongString(start: number, expected: string, found?: string): JsonProblem {
    const lineEnd = this.#text.indexOf('\n', start);
    const span = { from: start, to: lineEnd < 0 ? this.#text.length : lineEnd };
    return { ...this.#wrong(expected, found), span };
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
    const word = this.#found();
    return {
      offset: this.#at,
      span: { from: this.#at, to: this.#at + word.length },
      path: pathText(path),
      expected,
      found: found ?? (word === '' ? 'the end' : word.length === 1 ? `“${readableCharacter(word)}”` : word),
    };
  }

  /** The word or character at this place; empty at the end. */
  #found(): string {
    WORD.lastIndex = this.#at;
    const code = this.#text.codePointAt(this.#at);
    return WORD.exec(this.#text)?.[0] ?? (code === undefined ? '' : String.fromCodePoint(code));
  }
}

/** A control character as JSON escapes it. */
const readableCharacter = (character: string): string =>
  character < ' ' ? JSON.stringify(character).slice(1, -1) : character;

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

/** A path as people write it: `log.entries[3].request.url`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (PLAIN_KEY.test(String(key))) text += text === '' ? String(key) : `.${String(key)}`;
    else text += `[${JSON.stringify(shortened(String(key)))}]`;
  }
  return text;
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]{0,79}$/;
const MAX_KEY_CHARS = 40;

const shortened = (key: string): string =>
  key.length > MAX_KEY_CHARS ? `${key.slice(0, MAX_KEY_CHARS)}…` : key;
