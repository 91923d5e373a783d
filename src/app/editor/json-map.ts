import type { TextRange } from '#text/script.ts';

/** Where the parts of a JSON text stand, and what is wrong with it, in words and at an exact place. */

interface JsonMember {
  key: string;
  keySpan: TextRange;
  value: JsonNode;
}

export type JsonNode =
  | { kind: 'object'; span: TextRange; members: readonly JsonMember[] }
  | { kind: 'array'; span: TextRange; items: readonly JsonNode[] }
  | { kind: 'scalar'; span: TextRange };

export interface JsonProblem {
  message: string;
  span: TextRange;
}

export type JsonMap = { ok: true; root: JsonNode } | { ok: false; problem: JsonProblem };

/** Nesting beyond this is refused, so that no text can exhaust the stack; settings are two levels deep. */
const MAX_DEPTH = 100;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// `Cc` holds a few more characters than JSON forbids raw in a string, DEL and C1, so those are let in again.
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const BLANK = /[ \t\n\r]*/y;
const WORD = /[A-Za-z_$][\w$]*/y;

class Refusal extends Error {
  readonly problem: JsonProblem;
  constructor(problem: JsonProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * Reads the structure of a JSON text. It accepts exactly what `JSON.parse` accepts, up to 100 levels deep; values
 * themselves are left to `JSON.parse`.
 */
export function mapJson(text: string): JsonMap {
  let at = 0;

  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    return found ? found[0] : null;
  };
  const skipBlank = () => {
    at += match(BLANK)?.length ?? 0;
  };
  const refuse = (expected: string): never => {
    const found =
      at >= text.length ? 'the end' : (match(WORD) ?? String.fromCodePoint(text.codePointAt(at) ?? 0));
    const to = at >= text.length ? at : at + found.length;
    throw new Refusal({
      message: `expected ${expected}, got ${at >= text.length || found.length > 1 ? found : `“${found}”`}`,
      span: { from: at, to },
    });
  };
  const string = (expected: string): { value: string; span: TextRange } => {
    const found = match(STRING);
    if (found === null) {
      if (text[at] === '"') {
        const line = text.indexOf('\n', at);
        throw new Refusal({
          message: 'this text has no closing quote, or a character in it that JSON wants escaped',
          span: { from: at, to: line < 0 ? text.length : line },
        });
      }
      return refuse(expected);
    }
    const span = { from: at, to: at + found.length };
    at = span.to;
    return { value: String(JSON.parse(found)), span };
  };

  const object = (depth: number): JsonNode => {
    const from = at;
    at += 1;
    const members: JsonMember[] = [];
    skipBlank();
    if (text[at] === '}') {
      at += 1;
      return { kind: 'object', span: { from, to: at }, members };
    }
    for (;;) {
      skipBlank();
      const key = string('a field name in double quotes');
      skipBlank();
      if (text[at] !== ':') refuse('a colon after the field name');
      at += 1;
      members.push({ key: key.value, keySpan: key.span, value: value(depth + 1) });
      skipBlank();
      if (text[at] === '}') break;
      if (text[at] !== ',') refuse('a comma or a closing brace');
      at += 1;
    }
    at += 1;
    return { kind: 'object', span: { from, to: at }, members };
  };

  const array = (depth: number): JsonNode => {
    const from = at;
    at += 1;
    const items: JsonNode[] = [];
    skipBlank();
    if (text[at] === ']') {
      at += 1;
      return { kind: 'array', span: { from, to: at }, items };
    }
    for (;;) {
      items.push(value(depth + 1));
      skipBlank();
      if (text[at] === ']') break;
      if (text[at] !== ',') refuse('a comma or a closing bracket');
      at += 1;
    }
    at += 1;
    return { kind: 'array', span: { from, to: at }, items };
  };

  const value = (depth: number): JsonNode => {
    skipBlank();
    if (depth > MAX_DEPTH) refuse(`at most ${MAX_DEPTH} levels`);
    const first = text[at];
    if (first === '{') return object(depth);
    if (first === '[') return array(depth);
    if (first === '"') return { kind: 'scalar', span: string('a value').span };
    const word = match(WORD);
    const literal = word === 'true' || word === 'false' || word === 'null' ? word : match(NUMBER);
    if (literal === null) return refuse('a value');
    const from = at;
    at += literal.length;
    return { kind: 'scalar', span: { from, to: at } };
  };

  try {
    const root = value(0);
    skipBlank();
    if (at < text.length) refuse('nothing more');
    return { ok: true, root };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, problem: error.problem };
    throw error;
  }
}

/**
 * The node at a dotted path, or the nearest one above it that is there. Of a field written twice the last one is
 * meant, as `JSON.parse` takes it.
 */
export function nodeAt(root: JsonNode, path: string): JsonNode {
  let node = root;
  for (const step of path === '' ? [] : path.split('.')) {
    const next =
      node.kind === 'object'
        ? node.members.findLast((member) => member.key === step)?.value
        : node.kind === 'array'
          ? node.items[Number(step)]
          : undefined;
    if (!next) return node;
    node = next;
  }
  return node;
}
