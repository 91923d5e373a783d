import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeIn } from './json-place.ts';
import { treeRows } from './json-tree.ts';

const VALUE = { a: [{ b: 1 }], 'c.d': { e: 2 }, 'f/g~h': 3, length: 4 };

describe('placeIn', () => {
  it.each([
    ['', { pointer: '', above: [], isThere: true }],
    ['a.0.b', { pointer: '/a/0/b', above: ['', '/a', '/a/0'], isThere: true }],
    ['c.d.e', { pointer: '/c.d/e', above: ['', '/c.d'], isThere: true }],
    ['f/g~h', { pointer: '/f~1g~0h', above: [''], isThere: true }],
    ['a.1', { pointer: '/a', above: [''], isThere: false }],
    ['a.0.b.c', { pointer: '/a/0/b', above: ['', '/a', '/a/0'], isThere: false }],
    ['toString', { pointer: '', above: [], isThere: false }],
    ['missing', { pointer: '', above: [], isThere: false }],
  ])('%j', (path, place) => {
    expect(placeIn(VALUE, path)).toEqual(place);
  });

  it('finds every value of any JSON by the names on the way to it, as the tree names it', () => {
    const name = fc.string({ maxLength: 4 }).filter((text) => text !== '' && !text.includes('.'));
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 2 }, fc.integer(), fc.array(tie('value'), { maxLength: 3 }), tie('object')),
      object: fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    }));
    fc.assert(
      fc.property(json.object, (root) => {
        for (const { id } of treeRows(root)) {
          const path = id
            .slice(1)
            .split('/')
            .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
            .join('.');
          expect(placeIn(root, path)).toMatchObject({ pointer: id, isThere: true });
        }
      }),
    );
  });
});
