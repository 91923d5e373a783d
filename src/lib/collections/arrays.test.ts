import { describe, expect, it } from 'vitest';
import { addAll, largest, smallest } from './arrays.ts';

/** More values than a call takes as arguments. */
const MANY = 1_000_000;

describe('an array of a million values', () => {
  const values = Float64Array.from({ length: MANY }, (_, at) => at);

  it('is appended', () => {
    const all = [-1];
    addAll(all, values);
    expect([all.length, all[0], all.at(-1)]).toEqual([MANY + 1, -1, MANY - 1]);
  });

  it('has a largest and a smallest value', () => {
    expect(largest(values)).toBe(MANY - 1);
    expect(smallest(values)).toBe(0);
  });
});

describe.each([[[]], [[3]], [[3, -7, 5]], [[Number.NaN, 1]]])('%j', (values: number[]) => {
  it('has the same extremes as its arguments', () => {
    expect(largest(values)).toBe(Math.max(...values));
    expect(smallest(values)).toBe(Math.min(...values));
    expect(largest(values, 4)).toBe(Math.max(4, ...values));
    expect(smallest(values, 4)).toBe(Math.min(4, ...values));
  });
});
