import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapJson, nodeAt } from './json-map.ts';

const accepts = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('structure', () => {
  it('accepts every text that JSON.stringify makes, and its root spans it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const map = mapJson(text);
        expect(map.ok && map.root.span).toEqual({ from: 0, to: text.length });
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
        expect(mapJson(damaged).ok).toBe(accepts(damaged));
      }),
      { numRuns: 2000 },
    );
  });

  it('finds every field where its own text stands', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }), (fields) => {
        const text = JSON.stringify(fields, null, 2);
        const map = mapJson(text);
        if (!map.ok || map.root.kind !== 'object') throw new Error('expected an object');
        for (const member of map.root.members) {
          const { from, to } = member.value.span;
          expect(JSON.parse(text.slice(member.keySpan.from, member.keySpan.to))).toBe(member.key);
          expect(JSON.stringify(JSON.parse(text.slice(from, to)))).toBe(JSON.stringify(fields[member.key]));
        }
      }),
    );
  });

  it('refuses a depth that could exhaust the stack', () => {
    expect(mapJson('['.repeat(100_000))).toMatchObject({ ok: false });
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
    ['{"a":"b\n}', 'this text has no closing quote, or a character in it that JSON wants escaped', 5, 7],
  ])('%j', (text, message, from, to) => {
    expect(mapJson(text)).toEqual({ ok: false, problem: { message, span: { from, to } } });
  });
});

describe('paths', () => {
  const text = '{"a": [1, {"b": 22}], "a": [3, {"b": 44}], "c": true}';
  const map = mapJson(text);
  const at = (path: string) => {
    if (!map.ok) throw new Error('expected a map');
    const { from, to } = nodeAt(map.root, path).span;
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
