import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signTest } from './binomial.ts';

// Sums of binomial coefficients by hand: 2 · (C(n,0) + … + C(n,k)) / 2^n.
test.each([
  [0, 0, 1],
  [1, 0, 1],
  [5, 0, 2 / 32],
  [6, 0, 2 / 64],
  [0, 6, 2 / 64],
  [7, 1, 18 / 256],
  [8, 2, 112 / 1024],
  [3, 3, 1],
])('a split of %i to %i has p = %d', (a, b, p) => {
  expect(signTest(a, b)).toBeCloseTo(p, 12);
});

test('it is a probability, the same both ways, and falls as the split grows uneven', () => {
  const counts = fc.integer({ min: 0, max: 60 });
  fc.assert(
    fc.property(counts, counts, (a, b) => {
      const p = signTest(a, b);
      expect(p).toBeGreaterThan(0);
      expect(p).toBeLessThanOrEqual(1);
      expect(p).toBe(signTest(b, a));
      const [more, fewer] = [Math.max(a, b), Math.min(a, b)];
      if (fewer > 0) expect(signTest(more + 1, fewer - 1)).toBeLessThanOrEqual(p);
    }),
  );
});
