import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gallop, lowerBound } from './sorted.ts';

const times = fc
  .array(fc.integer({ min: 0, max: 100 }), { maxLength: 200 })
  .map((all) => all.sort((a, b) => a - b));

test('both find the first time at or after a moment, from any index', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: -5, max: 105 }), fc.nat(220), (all, ms, start) => {
      const timeOf = (at: number): number => all[at] ?? Number.POSITIVE_INFINITY;
      const from = Math.min(start, all.length);
      const found = all.findIndex((time, at) => at >= from && time >= ms);
      const expected = found < 0 ? all.length : found;
      expect(lowerBound(timeOf, all.length, ms, from)).toBe(expected);
      expect(gallop(timeOf, all.length, ms, from)).toBe(expected);
    }),
  );
});
