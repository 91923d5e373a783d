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

function jsonProblem(text: string, limits: JsonLimits) {
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

describe('readJson', () => {
  it('finds fault with exactly what is no JSON', () => {
    const nearly = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.nat(2),
        fc.constantFrom('', '"', '{', ']', ',', ':', '\\', '0', '-', 'e', ' ', '\n', '\\u12'),
      )
      .map(([text, at, gone, put]) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + put + text.slice(from + gone);
      });
    fc.assert(
      fc.property(fc.oneof(fc.json(), nearly, fc.string()), (text) => {
        expect(jsonProblem(text, LIMITS) === null).toBe(parses(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('says where, what was expected and what was found', () => {
    expect(jsonProblem('{"a":[1,{"b c":tru}]}', LIMITS)).toEqual({
      offset: 15,
      span: { from: 15, to: 18 },
      path: 'a[1]["b c"]',
      expected: 'a value',
      found: 'tru',
    });
  });

  it.each([
    ['[1 2]', 3, 'a comma or a closing bracket'],
    ['{"a" 1}', 5, 'a colon after the field name'],
    ['{a:1}', 1, 'a field name in double quotes'],
    ['[1,]', 3, 'a value'],
    ['"x', 0, 'a closing quote'],
    ['{} {}', 3, 'nothing more'],
    ['[{}, "x" "y"]', 9, 'a comma or a closing bracket'],
    ['{"a": {} "b"}', 9, 'a comma or a closing brace'],
    ['[1 // one\n]', 3, 'a comma or a closing bracket'],
    ['[1.]', 2, 'a comma or a closing bracket'],
    ['-', 0, 'a value'],
    ['', 0, 'a value'],
    ['"\\x"', 1, 'an escape that JSON knows'],
    ['"\n"', 1, 'a closing quote, or an escape for this character'],
  ])('%j breaks at %i, where %s is expected', (text, offset, expected) => {
    expect(jsonProblem(text, LIMITS)).toMatchObject({ offset, expected });
  });

  it('names a word that is out of place, cut to a length that fits into a message', () => {
    expect(jsonProblem(`[${'a'.repeat(1_000_000)}]`, LIMITS)).toMatchObject({ found: 'a'.repeat(40) });
    expect(jsonProblem('["a", truely]', LIMITS)).toMatchObject({ offset: 6, found: 'truely' });
  });

  it('counts depth and values while reading, not afterwards', () => {
    expect(jsonProblem('['.repeat(1_000_000), { depth: 10, values: 100 })).toMatchObject({ offset: 10 });
    expect(jsonProblem(`[${'0,'.repeat(1_000_000)}`, { depth: 10, values: 100 })?.offset).toBeLessThan(300);
  });
});

describe('offsetOfPath', () => {
  it('finds the value at every path', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        for (const [path, value] of walk(JSON.parse(text))) {
          const at = offsetOfPath(text, path);
          const rest = text.slice(at);
          expect(rest.startsWith(JSON.stringify(value).slice(0, 1)), `${path.join('.')} in ${text}`).toBe(
            true,
          );
        }
      }),
    );
  });

  it('gives the value around a path that is not there', () => {
    expect(offsetOfPath('{"a": {"b": 1}}', ['a', 'c'])).toBe(6);
  });
});

function* walk(value: unknown, path: PropertyKey[] = []): Generator<[PropertyKey[], unknown]> {
  yield [path, value];
  if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* walk(item, [...path, i]);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* walk(item, [...path, key]);
  }
}

describe('the tree of a text', () => {
  it('accepts every text that JSON.stringify makes, and its root spans it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const map = readJsonTree(text);
        expect(map.ok && spanOf(map.root)).toEqual({ from: 0, to: text.length });
      }),
    );
  });

  it('accepts exactly what JSON.parse accepts, also after a character is lost, doubled or replaced', () => {
    const damage = fc.record({
      value: fc.jsonValue({ maxDepth: 3 }),
      at: fc.nat(),
      how: fc.constantFrom('drop', 'double', 'replace'),
      by: fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '\\',
        '1',
        'e',
        '.',
        '-',
        't',
        ' ',
        '\n',
        '\t',
        '\u0001',
      ),
    });
    fc.assert(
      fc.property(damage, ({ value, at, how, by }) => {
        const text = JSON.stringify(value, null, 1);
        const place = at % text.length;
        const middle = how === 'drop' ? '' : how === 'double' ? `${text[place]}${text[place]}` : by;
        const damaged = text.slice(0, place) + middle + text.slice(place + 1);
        expect(readJsonTree(damaged).ok).toBe(parses(damaged));
      }),
      { numRuns: 2000 },
    );
  });

  it('finds every field at its own text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }), (fields) => {
        const text = JSON.stringify(fields, null, 2);
        const map = readJsonTree(text);
        if (!map.ok) throw new Error('expected a tree');
        for (const member of map.root.children ?? []) {
          const [name, value] = (member.children ?? []).map((node) => {
            const { from, to } = spanOf(node);
            return text.slice(from, to);
          });
          const key: string = JSON.parse(name ?? '');
          expect(JSON.stringify(JSON.parse(value ?? ''))).toBe(JSON.stringify(fields[key]));
        }
        expect(topFieldsOf(map.root).map(({ key }) => key)).toEqual(Object.keys(fields));
      }),
    );
  });

  it('refuses a depth that could exhaust the stack', () => {
    expect(readJsonTree('['.repeat(100_000))).toMatchObject({ ok: false });
  });
});

describe('what is wrong, in words and at its place', () => {
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
  ])('%j', (text, message, from, to) => {
    expect(readJsonTree(text)).toEqual({ ok: false, problem: { message, span: { from, to } } });
  });
});

describe('paths', () => {
  const text = '{"a": [1, {"b": 22}], "a": [3, {"b": 44}], "c": true}';
  const map = readJsonTree(text);
  const at = (path: string) => {
    if (!map.ok) throw new Error('expected a map');
    const { from, to } = spanOf(nodeAt(map.root, path));
    return text.slice(from, to);
  };

  it.each([
    ['', text],
    ['c', 'true'],
    ['a.0', '3'],
    ['a.1.b', '44'],
    ['a.7', '[3, {"b": 44}]'],
    ['missing', text],
    ['c.deeper', 'true'],
  ])('%j leads to the value, or to the nearest one above', (path, expected) => {
    expect(at(path)).toBe(expected);
  });
});

it('counts lines from 1', () => {
  expect([
    lineAndColumn('a\nb', 0).line,
    lineAndColumn('a\nb', 1).line,
    lineAndColumn('a\nb', 2).line,
  ]).toEqual([1, 1, 2]);
});

describe('lineAndColumn', () => {
  it.each([
    ['', 0, 1, 1],
    ['ab', 2, 1, 3],
    ['ab\ncd', 3, 2, 1],
    ['ab\ncd', 4, 2, 2],
    ['ab\n', 2, 1, 3],
  ])('%j at %d', (text, at, line, column) => {
    expect(lineAndColumn(text, at)).toEqual({ line, column });
  });
});
