import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonLimits } from './json-limits.ts';
import {
  lineAndColumn,
  nodeAt,
  offsetOfPath,
  readJson,
  readJsonTree,
  spanOf,
  topFieldsOf,
} from './json-text.ts';

const LIMITS = { depth: 100, values: 10_000 };

function jsonProblem(text: string, limits: JsonLimits = LIMITS) {
  const reading = readJson(text, limits);
  return reading.ok ? null : reading.problem;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const rootOf = (text: string) => {
  const tree = readJsonTree(text);
  if (!tree.ok) throw new Error('expected a tree');
  return tree.root;
};

describe('a text', () => {
  it('is refused exactly where it is no JSON', () => {
    const put = fc.constantFrom('', ...'"{}[],:\\01e.- t\n\t\u0001', '\\u12');
    const damaged = fc.tuple(fc.json(), fc.nat(), fc.nat(2), put).map(([text, at, gone, added]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + added + text.slice(from + gone);
    });
    fc.assert(
      fc.property(fc.oneof({ weight: 3, arbitrary: damaged }, fc.json(), fc.string()), (text) => {
        expect(jsonProblem(text) === null).toBe(parses(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('says where, what was expected and what was found', () => {
    expect(jsonProblem('{"a":[1,{"b c":tru}]}')).toEqual({
      offset: 15,
      span: { from: 15, to: 18 },
      path: 'a[1]["b c"]',
      expected: 'a value',
      found: 'tru',
    });
  });

  it.each([
    ['[1,]', 3, 'a value'],
    ['"x', 0, 'a closing quote'],
    ['[{}, "x" "y"]', 9, 'a comma or a closing bracket'],
    ['{"a": {} "b"}', 9, 'a comma or a closing brace'],
    ['[1 // one\n]', 3, 'a comma or a closing bracket'],
    ['[1.]', 2, 'a comma or a closing bracket'],
    ['-', 0, 'a value'],
    ['"\\x"', 1, 'an escape that JSON knows'],
    ['"\n"', 1, 'a closing quote, or an escape for this character'],
  ])('%j breaks at %i, where %s is expected', (text, offset, expected) => {
    expect(jsonProblem(text)).toMatchObject({ offset, expected });
  });

  it.each([
    ['', 'expected a value, got the end', 0, 0],
    ['{', 'expected a field name in double quotes, got the end', 1, 1],
    ['{"a":1,}', 'expected a field name in double quotes, got “}”', 7, 8],
    ['{a:1}', 'expected a field name in double quotes, got “a”', 1, 2],
    ['{"a" 1}', 'expected a colon after the field name, got “1”', 5, 6],
    ['{"a":1 "b":2}', 'expected a comma or a closing brace, got “"”', 7, 8],
    ['{"a":True}', 'expected a value, got True', 5, 9],
    ['{"a":[1 2]}', 'expected a comma or a closing bracket, got “2”', 8, 9],
    ['{"a":1} x', 'expected nothing more, got “x”', 8, 9],
    ['{"a":"b\n}', 'expected a closing quote, or an escape for this character, got “\\n”', 5, 7],
    ['{"a":"b}', 'expected a closing quote, got the end', 5, 8],
    ['{"a":"\\x"}', 'expected an escape that JSON knows, got “\\”', 5, 10],
  ])('%j is refused in words', (text, message, from, to) => {
    expect(readJsonTree(text)).toEqual({ ok: false, problem: { message, span: { from, to } } });
  });

  it('names a word that is out of place, cut to a length that fits into a message', () => {
    expect(jsonProblem(`[${'a'.repeat(100_000)}]`)).toMatchObject({ found: 'a'.repeat(40) });
    expect(jsonProblem('["a", truely]')).toMatchObject({ offset: 6, found: 'truely' });
  });

  it('counts depth and values while reading, not afterwards', () => {
    const limits = { depth: 10, values: 100 };
    expect(jsonProblem('['.repeat(1_000_000), limits)).toMatchObject({ offset: 10 });
    expect(jsonProblem(`[${'0,'.repeat(1_000_000)}`, limits)?.offset).toBeLessThan(300);
    expect(readJsonTree('['.repeat(100_000))).toMatchObject({ ok: false });
  });
});

describe('places', () => {
  function* walk(value: unknown, path: PropertyKey[] = []): Generator<[PropertyKey[], unknown]> {
    yield [path, value];
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      yield* walk(item, [...path, Array.isArray(value) ? Number(key) : key]);
    }
  }

  it('offsetOfPath finds the value at every path, or the one around it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        for (const [path, value] of walk(JSON.parse(text))) {
          expect(text[offsetOfPath(text, path)], `${path.join('.')} in ${text}`).toBe(
            JSON.stringify(value)[0],
          );
        }
      }),
    );
    expect(offsetOfPath('{"a": {"b": 1}}', ['a', 'c'])).toBe(6);
  });

  it('a tree spans its text, and has every field at its own text', () => {
    const fields = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1 });
    fc.assert(
      fc.property(fields, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const root = rootOf(text);
        expect(spanOf(root)).toEqual({ from: 0, to: text.length });
        for (const member of root.children ?? []) {
          const [name = '', field = ''] = (member.children ?? []).map((node) => {
            const { from, to } = spanOf(node);
            return text.slice(from, to);
          });
          expect(JSON.stringify(JSON.parse(field))).toBe(JSON.stringify(value[JSON.parse(name)]));
        }
        expect(topFieldsOf(root).map(({ key }) => key)).toEqual(Object.keys(value));
      }),
    );
  });

  const text = '{"a": [1, {"b": 22}], "a": [3, {"b": 44}], "c": true}';
  it.each([
    ['', text],
    ['c', 'true'],
    ['a.0', '3'],
    ['a.1.b', '44'],
    ['a.7', '[3, {"b": 44}]'],
    ['missing', text],
    ['c.deeper', 'true'],
  ])('%j leads to the value, or to the nearest one above', (path, expected) => {
    const { from, to } = spanOf(nodeAt(rootOf(text), path));
    expect(text.slice(from, to)).toBe(expected);
  });

  it.each([
    ['', 0, 1, 1],
    ['ab', 2, 1, 3],
    ['ab\ncd', 3, 2, 1],
    ['ab\ncd', 4, 2, 2],
    ['ab\n', 2, 1, 3],
  ])('%j at %d is in this line and column', (of, at, line, column) => {
    expect(lineAndColumn(of, at)).toEqual({ line, column });
  });
});
