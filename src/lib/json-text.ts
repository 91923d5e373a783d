import { getLocation, type JSONPath, type JSONVisitor, type Node, parseTree, visit } from 'jsonc-parser';
import { excerptOf } from './format.ts';
import { endOfString, type JsonLimits, jsonExcess, TYPED_LIMITS } from './json-limits.ts';

/** JSON texts with positions. The page's first load contains no positions, only `json-limits.ts`. */

/** Half-open range of UTF-16 units. */
interface Span {
  from: number;
  to: number;
}

/** The fault of a text that is no JSON, or that exceeds a limit. */
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

export type JsonReading = { ok: true; value: unknown } | { ok: false; problem: JsonProblem };

/** A value with the places of its parts, or a problem in words and the part of the text to mark. */
type JsonTree =
  | { ok: true; value: unknown; root: Node }
  | { ok: false; problem: { message: string; span: Span } };

/** Parses a JSON text of limited size, or locates its first fault. */
export function readJson(text: string, limits: JsonLimits): JsonReading {
  const excess = jsonExcess(text, limits);
  if (excess) return { ok: false, problem: problemAt(text, excess.offset, excess.expected) };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, problem: syntaxProblem(text) };
  }
}

/** A control character, or an escape that JSON does not have. */
const BAD_IN_STRING = /[^ -\uffff]|\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})/g;

function syntaxProblem(text: string): JsonProblem {
  const start = firstErrorAt(text);
  if (text[start] !== '"') return problemAt(text, start);
  const end = endOfString(text, start + 1);
  BAD_IN_STRING.lastIndex = start + 1;
  const bad = BAD_IN_STRING.exec(text)?.index ?? text.length;
  // The string is sound, so that its place is the fault.
  if (end >= 0 && bad >= end) return problemAt(text, start);
  const lineEnd = text.indexOf('\n', start);
  const span = { from: start, to: lineEnd < 0 ? text.length : lineEnd };
  const { path } = problemAt(text, start);
  if (bad === text.length) {
    return { offset: start, span, path, expected: 'a closing quote', found: 'the end' };
  }
  const expected =
    text[bad] === '\\' ? 'an escape that JSON knows' : 'a closing quote, or an escape for this character';
  return { offset: bad, span, path, expected, found: foundWord(wordAt(text, bad)) };
}

function firstErrorAt(text: string): number {
  const stop = new Error();
  let at = text.length;
  const onError: JSONVisitor['onError'] = (_, offset) => {
    at = offset;
    throw stop;
  };
  try {
    visit(text, { onError }, { disallowComments: true });
  } catch (error) {
    if (error !== stop) throw error;
  }
  // The library reports a number without its last digits as a whole.
  UNFINISHED_NUMBER.lastIndex = at;
  return UNFINISHED_NUMBER.test(text) ? UNFINISHED_NUMBER.lastIndex : at;
}

const UNFINISHED_NUMBER = /-?(?:0|[1-9]\d*)(?=\.(?!\d)|(?:\.\d+)?[eE](?![+-]?\d))/y;

/** A deep structure is identified by its outermost levels. */
const MAX_PATH_LEVELS = 8;

/** Derives path and expectation from the valid text before the problem. */
function problemAt(text: string, offset: number, excess?: string): JsonProblem {
  const before = text.slice(0, offset);
  const { path, isAtPropertyKey } = getLocation(before, offset);
  // An empty step is an object whose next key is missing.
  const steps = isAtPropertyKey && path.at(-1) === '' ? path.slice(0, -1) : path;
  const word = wordAt(text, offset);
  return {
    offset,
    span: { from: offset, to: offset + word.length },
    path: pathText(steps.slice(0, MAX_PATH_LEVELS)),
    expected: excess ?? expectedAfter(before.trimEnd().at(-1) ?? '', path.at(-1), isAtPropertyKey),
    found: excess === undefined ? foundWord(word) : 'more',
  };
}

function expectedAfter(last: string, level: string | number | undefined, isAtKey: boolean): string {
  const isField = typeof level === 'string' && isAtKey;
  if (last === '{' || (last === ',' && isField)) return 'a field name in double quotes';
  if (last === '"' && isField) return 'a colon after the field name';
  if (['', '[', ':', ','].includes(last)) return 'a value';
  return level === undefined
    ? 'nothing more'
    : `a comma or a closing ${typeof level === 'number' ? 'bracket' : 'brace'}`;
}

/** A longer word is cut, because it ends up in a message. */
const WORD = /[A-Za-z_$][\w$]{0,39}/y;

/** The word or character at this place; empty at the end. */
function wordAt(text: string, at: number): string {
  WORD.lastIndex = at;
  const code = text.codePointAt(at);
  return WORD.exec(text)?.[0] ?? (code === undefined ? '' : String.fromCodePoint(code));
}

function foundWord(word: string): string {
  if (word.length !== 1) return word === '' ? 'the end' : word;
  return `“${word < ' ' ? JSON.stringify(word).slice(1, -1) : word}”`;
}

/** Returns the tree of a typed text. Values themselves are left to `JSON.parse`. */
export function readJsonTree(text: string): JsonTree {
  const reading = readJson(text, TYPED_LIMITS);
  if (reading.ok) return { ok: true, value: reading.value, root: parseTree(text) as Node };
  const { span, expected, found } = reading.problem;
  return { ok: false, problem: { message: `expected ${expected}, got ${found}`, span } };
}

export const spanOf = ({ offset, length }: Node): Span => ({ from: offset, to: offset + length });

/** The fields of an object with the places of their names; repeated ones too, of which `JSON.parse` takes the last. */
export const topFieldsOf = (root: Node): { key: string; span: Span }[] =>
  (root.type === 'object' ? (root.children ?? []) : []).flatMap(({ children: [name] = [] }) =>
    name ? [{ key: String(name.value), span: spanOf(name) }] : [],
  );

/** Returns the node at a dotted path, or the nearest one above it that exists. */
export function nodeAt(root: Node, path: string): Node {
  let node = root;
  for (const step of path === '' ? [] : path.split('.')) {
    const isNamed = ({ children }: Node) => children?.[0]?.value === step;
    const next =
      node.type === 'object'
        ? node.children?.findLast(isNamed)?.children?.[1]
        : node.children?.[Number(step)];
    if (!next) return node;
    node = next;
  }
  return node;
}

/** Returns where the value at this path begins, or the nearest one around it. Builds no tree, to save memory. */
export function offsetOfPath(text: string, path: readonly PropertyKey[]): number {
  let found = 0;
  const meet = (offset: number, pathOf: () => JSONPath): boolean => {
    const here = pathOf();
    const isOnPath = here.every((key, level) => key === path[level]);
    if (isOnPath) found = offset;
    return isOnPath;
  };
  const onBegin: JSONVisitor['onObjectBegin'] = (offset, _length, _line, _column, pathOf) =>
    meet(offset, pathOf);
  visit(text, {
    onObjectBegin: onBegin,
    onArrayBegin: onBegin,
    // Without these the library never leaves a value that it skips.
    onObjectEnd: () => undefined,
    onArrayEnd: () => undefined,
    onLiteralValue: (_value, offset, _length, _line, _column, pathOf) => void meet(offset, pathOf),
  });
  return found;
}

/** Line and column of an offset, both counted from 1. */
export function lineAndColumn(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    lineStart = at + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/** A path as people write it: `log.entries[3].request.url`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (PLAIN_KEY.test(String(key))) text += text === '' ? String(key) : `.${String(key)}`;
    else text += `[${JSON.stringify(excerptOf(String(key), MAX_KEY_CHARS))}]`;
  }
  return text;
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]{0,79}$/;
const MAX_KEY_CHARS = 40;
