import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonProblem, offsetOfPath } from './json-scanner.ts';

const LIMITS = { depth: 100, values: 10_000 };

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('jsonProblem', () => {
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
        expect(jsonProblem(text, LIMITS, true) === null).toBe(parses(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('says where, what was expected and what was found', () => {
    expect(jsonProblem('{"a":[1,{"b c":tru}]}', LIMITS)).toEqual({
      offset: 15,
      path: 'a[1]["b c"]',
      expected: 'a JSON value',
      found: '"t"',
    });
  });

  it.each([
    ['[1 2]', 3, 'a comma or ]'],
    ['{"a" 1}', 5, 'a colon'],
    ['{a:1}', 1, 'a key in double quotes'],
    ['[1,]', 3, 'a JSON value'],
    ['"x', 0, 'the closing quote of a string'],
    ['{} {}', 3, 'the end'],
    ['', 0, 'a JSON value'],
    ['"\\x"', 1, 'an escape that JSON knows'],
    ['"\n"', 1, 'no control character in a string'],
  ])('%j breaks at %i, where %s is expected', (text, offset, expected) => {
    expect(jsonProblem(text, LIMITS, true)).toMatchObject({ offset, expected });
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
