import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ItemContent,
  numbered,
  type Playlist,
  roomFor,
  withItemChanged,
  withItemMoved,
  withItemRemoved,
  withItems,
} from './playlist.ts';

const item = (text: string): ItemContent => ({
  title: text,
  endpoint: 'kugel-stream',
  text,
  settings: {},
  cast: [],
});
const playlistOf = (...texts: string[]): Playlist =>
  numbered(1, { name: 'Mine', auto: true, pauseMs: 0, loop: false, items: texts.map(item) });
const textsOf = ({ items }: Playlist): string => items.map(({ text }) => text).join('');

describe('edits of a playlist', () => {
  it.each([
    [1, 1, 'bac'],
    [1, 9, 'bca'],
    [3, -1, 'acb'],
    [3, -9, 'cab'],
    [2, 0, 'abc'],
    [1, -1, 'abc'],
    [7, 1, 'abc'],
  ])('moves item %i by %i places', (id, by, order) => {
    expect(textsOf(withItemMoved(playlistOf('a', 'b', 'c'), id, by))).toBe(order);
  });

  it('returns the same playlist where nothing changes', () => {
    const before = playlistOf('a', 'b');
    expect(withItemMoved(before, 1, -1)).toBe(before);
    expect(withItemRemoved(before, 9)).toBe(before);
    expect(withItems(before, [])).toBe(before);
  });

  it('changes one item', () => {
    expect(textsOf(withItemChanged(playlistOf('a', 'b'), 2, { text: 'c' }))).toBe('ac');
  });

  it('adds no more items than a playlist has', () => {
    const full = withItems(
      playlistOf(),
      Array.from({ length: 70 }, () => item('a')),
    );
    expect(full.items).toHaveLength(60);
    expect(roomFor(full, 1)).toContain('at most 60 items');
    expect(roomFor(playlistOf('a'), 1)).toBeNull();
  });

  it('gives every item a number of its own, and loses none', () => {
    const edit = fc.oneof(
      fc.record({ add: fc.constantFrom('x', 'y') }),
      fc.record({ remove: fc.nat(12) }),
      fc.record({ move: fc.nat(12), by: fc.integer({ min: -4, max: 4 }) }),
    );
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 40 }), (edits) => {
        let playlist = playlistOf('a', 'b', 'c');
        for (const one of edits) {
          const { length } = playlist.items;
          if ('add' in one) {
            playlist = withItems(playlist, [item(one.add)]);
            expect(playlist.items).toHaveLength(length + 1);
          } else if ('remove' in one) playlist = withItemRemoved(playlist, one.remove);
          else {
            const before = playlist.items.map(({ id }) => id).toSorted((a, b) => a - b);
            playlist = withItemMoved(playlist, one.move, one.by);
            expect(playlist.items.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual(before);
          }
          expect(new Set(playlist.items.map(({ id }) => id)).size).toBe(playlist.items.length);
        }
      }),
    );
  });
});
