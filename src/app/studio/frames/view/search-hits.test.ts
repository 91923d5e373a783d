import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SearchHits } from './search-hits.ts';

const hitsOf = (...indexes: number[]): SearchHits => {
  const hits = new SearchHits();
  hits.add(Uint32Array.from(indexes));
  return hits;
};

it.each<[number, 1 | -1, number[]]>([
  [0, 1, [3, 8, 20]],
  [3, 1, [8, 20, 3]],
  [9, 1, [20, 3, 8]],
  [20, 1, [3, 8, 20]],
  [-1, 1, [3, 8, 20]],
  [8, -1, [3, 20, 8]],
  [3, -1, [20, 8, 3]],
  [25, -1, [20, 8, 3]],
])('from %d by %d: %j', (index, step, expected) => {
  expect(hitsOf(3, 8, 20).around(index, step, 10)).toEqual(expected);
});

it('returns nothing without a hit', () => {
  expect(new SearchHits().around(5, 1, 10)).toEqual([]);
});

it('contains its hits, including later ones', () => {
  const hits = hitsOf(3, 8);
  hits.add(Uint32Array.of(20));
  expect([3, 4, 8, 20, 21].map((index) => hits.has(index))).toEqual([true, false, true, true, false]);
  expect(hits.placeOf(20)).toBe(3);
  expect(hits.placeOf(4)).toBeNull();
  hits.clear();
  expect(hits.length).toBe(0);
});

it('samples one hit of each part that has one', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(9999), { maxLength: 300 }),
      fc.integer({ min: 1, max: 50 }),
      (indexes, parts) => {
        const sorted = indexes.toSorted((a, b) => a - b);
        const partOf = (index: number): number => Math.floor((index / 10_000) * parts);
        const sample = hitsOf(...sorted).sample(10_000, parts);
        expect(sample.map(partOf)).toEqual([...new Set(sorted.map(partOf))]);
      },
    ),
  );
});
