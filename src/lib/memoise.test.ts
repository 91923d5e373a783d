import { expect, it } from 'vitest';
import { memoiseLast } from './memoise.ts';

it('computes again only when an argument changes its identity', () => {
  let calls = 0;
  const sized = memoiseLast((list: readonly number[], extra: number) => {
    calls += 1;
    return { size: list.length + extra };
  });
  const list = [1, 2];
  const first = sized(list, 1);
  expect(first).toEqual({ size: 3 });
  expect(sized(list, 1)).toBe(first);
  expect(sized([1, 2], 1)).not.toBe(first);
  expect(sized(list, 2)).toEqual({ size: 4 });
  expect(calls).toBe(3);
});
