import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPressable, placeIn, type TreePresses, treeMove, treeRows } from './json-tree.ts';

const shown = (value: unknown, presses?: TreePresses): string[] =>
  treeRows(value, presses).map(
    ({ level, name, value: text, note, isOpen }) =>
      `${'  '.repeat(level - 1)}${isOpen === null ? '' : isOpen ? '- ' : '+ '}${[name, text, note].filter(Boolean).join(' ')}`,
  );

/** The presses after one more on a row. */
const press = (value: unknown, id: string, presses: TreePresses = new Map()): TreePresses => {
  const row = treeRows(value, presses).find((candidate) => candidate.id === id);
  if (!row || !isPressable(row)) throw new Error(`There is no row ${id} to press.`);
  return new Map(presses).set(id, (presses.get(id) ?? 0) + 1);
};

describe('treeRows', () => {
  it('shows a frame with its direct fields', () => {
    expect(shown({ final: true, n: 1.5, none: null, text: 'a "b"', usage: { chars: 12 }, list: [] })).toEqual(
      [
        '- 6 keys',
        '  final true',
        '  n 1.5',
        '  none null',
        '  text "a \\"b\\""',
        '  - usage 1 key',
        '    chars 12',
        '  list [] 0 entries',
      ],
    );
  });

  it('folds deep and long values until unfolded', () => {
    const value = { a: { b: { c: 1 } }, many: Array.from({ length: 13 }, (_, at) => at) };
    expect(shown(value)).toEqual(['- 2 keys', '  - a 1 key', '    + b {…} 1 key', '  + many […] 13 entries']);
    expect(shown(value, press(value, '/a/b'))).toContain('      c 1');
    expect(shown(value, press(value, '/a', press(value, '/a')))).toEqual(shown(value));
  });

  it('cuts a long text until unfolded', () => {
    const value = { text: 'many words '.repeat(30) };
    const [, row] = treeRows(value);
    expect(row).toMatchObject({ isOpen: false, whole: null, note: '330 characters' });
    expect(row?.value.length).toBeLessThan(130);
    const [, open] = treeRows(value, press(value, '/text'));
    expect(open).toMatchObject({ isOpen: true, value: '', whole: JSON.stringify(value.text) });
  });

  it('notes the size of base64 and prints it only when unfolded', () => {
    const audio = `${'AAD9/wMA'.repeat(1600).slice(0, -2)}==`;
    const [, row] = treeRows({ audio });
    expect(row).toMatchObject({ isOpen: false, note: '12,800 characters, 9.6 kB in base64' });
    expect(row?.value).toBe('"AAD9/wMAAAD9/wMAAAD9/wMA…');
  });

  it('shows a hundred entries at a time', () => {
    const list = Array.from({ length: 250 }, (_, at) => at);
    const first = treeRows(list);
    expect(first).toHaveLength(102);
    expect(first.at(-1)).toMatchObject({ kind: 'rest', value: 'show 100 more', note: '150 not shown' });
    const second = press(list, '/…');
    expect(treeRows(list, second).at(-1)).toMatchObject({ value: 'show 50 more' });
    expect(treeRows(list, press(list, '/…', second))).toHaveLength(251);
  });

  it('escapes marks that change the direction of text', () => {
    expect(treeRows({ text: 'a\u202eb' })[1]?.value).toBe('"a\\u202eb"');
  });

  it('treats names like __proto__ as plain names', () => {
    const value: unknown = JSON.parse('{"__proto__":{"x":1},"<b>":"</script>","a/b~":2,"":3}');
    expect(shown(value)).toEqual([
      '- 4 keys',
      '  - __proto__ 1 key',
      '    x 1',
      '  <b> "</script>"',
      '  a/b~ 2',
      '  3',
    ]);
    const ids = treeRows(value).map(({ id }) => id);
    expect(ids).toEqual(['', '/__proto__', '/__proto__/x', '/<b>', '/a~1b~0', '/']);
  });

  it('survives any depth, because folded values have no rows', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
    expect(treeRows(deep)).toHaveLength(3);
  });

  it('gives every row an id of its own and the right place among its siblings', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const rows = treeRows(value);
        expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
        for (const row of rows) {
          const siblings = rows.filter(({ parent }) => parent === row.parent);
          expect(siblings[row.place - 1]).toBe(row);
          expect(siblings).toHaveLength(row.siblings);
        }
      }),
    );
  });
});

describe('treeMove', () => {
  const rows = treeRows({ a: { b: 1 }, deep: { x: { y: 1 } }, z: 2 });
  const at = (id: string) => rows.find((row) => row.id === id);

  it.each([
    ['', 'ArrowDown', { to: '/a' }],
    ['/a', 'ArrowUp', { to: '' }],
    ['', 'ArrowUp', null],
    ['/z', 'ArrowDown', null],
    ['/a', 'End', { to: '/z' }],
    ['/z', 'Home', { to: '' }],
    ['/a', 'ArrowRight', { to: '/a/b' }],
    ['/a/b', 'ArrowRight', null],
    ['/a/b', 'ArrowLeft', { to: '/a' }],
    ['/a', 'ArrowLeft', { press: at('/a') }],
    ['/deep/x', 'ArrowRight', { press: at('/deep/x') }],
    ['/deep/x', 'ArrowLeft', { to: '/deep' }],
    ['/deep/x', 'Enter', { press: at('/deep/x') }],
    ['/a', ' ', { press: at('/a') }],
    ['/z', 'Enter', null],
    ['/a', 'x', null],
    ['/gone', 'ArrowDown', { to: '' }],
  ])('from %j by %s', (current, key, expected) => {
    expect(treeMove(rows, current, key)).toEqual(expected);
  });
});

describe('marked values', () => {
  const rowsOf = (value: unknown, paths: readonly string[], presses?: TreePresses): string[] =>
    treeRows(
      value,
      presses,
      paths.map((path) => placeIn(value, path).pointer),
    ).map(({ id }) => id);

  it('are in view, and only their holders are unfolded', () => {
    const value = { words: [{ start_ms: 1 }, { start_ms: 2 }], other: [[1]] };
    expect(rowsOf(value, ['words.1.start_ms'])).toContain('/words/1/start_ms');
    expect(rowsOf(value, ['words.1.start_ms'])).not.toContain('/words/0/start_ms');
    expect(rowsOf(value, [])).toEqual(treeRows(value).map(({ id }) => id));
  });

  it('are folded away by a press on a holder', () => {
    const value = { deep: { x: { y: 1 } } };
    expect(rowsOf(value, ['deep.x.y'])).toContain('/deep/x/y');
    expect(rowsOf(value, ['deep.x.y'], new Map([['/deep/x', 1]]))).not.toContain('/deep/x/y');
  });

  it('are the last ones shown of a long list', () => {
    const value = { list: Array.from({ length: 500 }, (_, i) => i) };
    expect(rowsOf(value, ['list.250'])).toContain('/list/250');
    expect(rowsOf(value, ['list.250'])).not.toContain('/list/251');
    expect(rowsOf(value, ['list.250'], new Map([['/list/…', 1]]))).toContain('/list/350');
  });

  it('may be missing', () => {
    expect(() => rowsOf({ a: null }, ['a.b.c', 'd', ''])).not.toThrow();
  });
});

const VALUE = { a: [{ b: 1 }], 'c.d': { e: 2 }, 'f/g~h': 3, length: 4 };

describe('placeIn', () => {
  it.each([
    ['', { pointer: '', isThere: true }],
    ['a.0.b', { pointer: '/a/0/b', isThere: true }],
    ['c.d.e', { pointer: '/c.d/e', isThere: true }],
    ['f/g~h', { pointer: '/f~1g~0h', isThere: true }],
    ['a.1', { pointer: '/a', isThere: false }],
    ['a.0.b.c', { pointer: '/a/0/b', isThere: false }],
    ['toString', { pointer: '', isThere: false }],
    ['missing', { pointer: '', isThere: false }],
  ])('%j', (path, place) => {
    expect(placeIn(VALUE, path)).toEqual(place);
  });

  it('finds every value of any JSON by the names on the way to it, and the tree shows it', () => {
    const name = fc.string({ maxLength: 4 }).filter((text) => text !== '' && !text.includes('.'));
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 2 }, fc.integer(), fc.array(tie('value'), { maxLength: 3 }), tie('object')),
      object: fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    }));
    fc.assert(
      fc.property(json.object, (root) => {
        for (const { id } of treeRows(root)) {
          const steps = id.slice(1).split('/');
          const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
          expect(placeIn(root, path)).toMatchObject({ pointer: id, isThere: true });
          expect(treeRows(root, new Map(), [id]).map((row) => row.id)).toContain(id);
        }
      }),
    );
  });
});
