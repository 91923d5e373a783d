import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../statistics/random.ts';
import { FEATURES } from './sound-frames.ts';
import { warp } from './warp.ts';

const rowsOf = (seed: number, count: number): Float32Array => {
  const random = seededRandom(seed);
  return Float32Array.from({ length: count * FEATURES }, random);
};
/** Each row as often as `times` says. */
const repeated = (rows: Float32Array, times: readonly number[]): Float32Array =>
  Float32Array.from(
    times.flatMap((count, row) =>
      Array.from({ length: count }, () => [...rows.subarray(row * FEATURES, (row + 1) * FEATURES)]).flat(),
    ),
  );

describe('a warp', () => {
  it('matches each row to itself, where both sides are the same', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 60 }), fc.boolean(), (seed, count, isOpen) => {
        const rows = rowsOf(seed, count);
        const { first, last, reached } = warp(rows, rows, { half: 20, isOpen });
        expect(reached).toBe(count);
        expect([...first]).toEqual(Array.from({ length: count }, (_, at) => at));
        expect([...last]).toEqual([...first]);
      }),
    );
  });

  it('matches a row to all of its repetitions', () => {
    const times = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(fc.nat(), times, (seed, counts) => {
        const rows = rowsOf(seed, counts.length);
        const { first, last } = warp(rows, repeated(rows, counts), { half: 200, isOpen: false });
        let from = 0;
        for (const [row, count] of counts.entries()) {
          expect([first[row], last[row]]).toEqual([from, from + count - 1]);
          from += count;
        }
      }),
    );
  });

  it('says how far a sound has come that has not ended', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 40 }), (seed, heard) => {
        const rows = rowsOf(seed, 40);
        const { reached } = warp(rows, rows.subarray(0, heard * FEATURES), { half: 20, isOpen: true });
        expect(reached).toBe(heard);
      }),
    );
  });

  it('is monotone within both sides for any two sounds', () => {
    const count = fc.integer({ min: 0, max: 80 });
    fc.assert(
      fc.property(
        count,
        count,
        fc.integer({ min: 1, max: 90 }),
        fc.boolean(),
        (rows, columns, half, isOpen) => {
          const { first, last, reached } = warp(rowsOf(1, rows), rowsOf(2, columns), { half, isOpen });
          expect(reached).toBeLessThanOrEqual(rows);
          for (let row = 0; row < reached; row += 1) {
            expect(first[row]).toBeGreaterThanOrEqual(last[row - 1] ?? 0);
            expect(last[row]).toBeGreaterThanOrEqual(first[row] ?? 0);
            expect(last[row]).toBeLessThan(columns);
          }
        },
      ),
    );
  });
});
