import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance, GROUP_ROWS, groupsFrom, inOrder, type Slot } from './row-slots.ts';

const groupsOf = (slots: readonly Slot[]) => slots.map(({ group }) => group);
const range = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);

describe('groups in view', () => {
  test('cover every shown row for any scroll', () => {
    fc.assert(
      fc.property(fc.nat(5000), fc.integer({ min: 1, max: 200 }), fc.nat(5000), (row, shown, total) => {
        const firstRow = Math.min(row, Math.max(0, total - shown));
        const { first, count } = groupsFrom(firstRow, shown, total);
        expect(first * GROUP_ROWS).toBeLessThanOrEqual(firstRow);
        expect((first + count) * GROUP_ROWS).toBeGreaterThanOrEqual(Math.min(total, firstRow + shown));
        expect(first).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('have the same number at the end and in the middle of a list', () => {
    const middle = groupsFrom(400, 50, 1000);
    const end = groupsFrom(950, 50, 1000);
    expect(end.count).toBe(middle.count);
    expect((end.first + end.count) * GROUP_ROWS).toBe(1000);
  });
});

describe('slots', () => {
  test('start in order', () => {
    expect(groupsOf(advance([], 7, 4))).toEqual([7, 8, 9, 10]);
  });

  test('keep their identity without a scroll', () => {
    const slots = advance([], 7, 4);
    expect(advance(slots, 7, 4)).toBe(slots);
  });

  test('that left the view show the new groups', () => {
    const slots = advance(advance([], 0, 4), 1, 4);
    expect(slots).toEqual([
      { key: 0, group: 4 },
      { key: 1, group: 1 },
      { key: 2, group: 2 },
      { key: 3, group: 3 },
    ]);
    expect(inOrder(slots).map(({ key }) => key)).toEqual([1, 2, 3, 0]);
  });

  test('show each group once, with the same elements, for any scroll', () => {
    const moves = fc.array(fc.tuple(fc.nat(60), fc.boolean()), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(moves, fc.integer({ min: 1, max: 12 }), (tos, count) => {
        let slots = advance([], 0, count);
        for (const [first, rests] of tos) {
          const before = new Map(slots.map(({ key, group }) => [group, key]));
          slots = advance(slots, first, count);
          expect(groupsOf(slots).toSorted((a, b) => a - b)).toEqual(range(first, count));
          expect(new Set(slots.map(({ key }) => key))).toEqual(new Set(range(0, count)));
          for (const { key, group } of slots) expect(before.get(group) ?? key).toBe(key);
          if (rests) slots = inOrder(slots);
          if (rests) expect(groupsOf(slots)).toEqual(range(first, count));
        }
      }),
    );
  });

  test('in order keep their identity', () => {
    const slots = advance([], 3, 5);
    expect(inOrder(slots)).toBe(slots);
  });
});
