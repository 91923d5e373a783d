import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepEqual, keepSame } from './deep-equal.ts';

/** Text that two values share exactly when they are deeply equal: fields sorted, undefined fields left out. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${Array.from(value, canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return `${typeof value} ${JSON.stringify(String(value))}`;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields
    .map(([key, field]) => `${JSON.stringify(key)}:${canonical(field)}`)
    .sort()
    .join()}}`;
}

/** Few distinct leaves and keys, so that random values are often equal. */
const leaf = fc.constantFrom<unknown>(undefined, null, true, false, 0, 1, Number.NaN, '', '0', 'a');
const key = fc.constantFrom('a', 'b', 'constructor', '__proto__', '0');
const { data } = fc.letrec<{ data: unknown }>((tie) => ({
  data: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.array(tie('data'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('data')), { maxLength: 3 }).map(Object.fromEntries),
  ),
}));

describe('deepEqual', () => {
  it('agrees with a comparison of canonical texts', () => {
    fc.assert(
      fc.property(data, data, (a, b) => {
        expect(deepEqual(a, b)).toBe(canonical(a) === canonical(b));
        expect(deepEqual(b, a)).toBe(deepEqual(a, b));
      }),
      { numRuns: 2000 },
    );
  });

  it('finds a copy equal and a copy with one more field different, in any order of the fields', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(deepEqual(value, structuredClone(reversed))).toBe(true);
        expect(deepEqual(value, { ...value, 'one more field': 1 })).toBe('one more field' in value);
      }),
    );
  });

  it.each([
    [[1, 2], [2, 1], false],
    [{ a: 1 }, { a: '1' }, false],
    [{ a: 1, b: undefined }, { a: 1 }, true],
    [{ a: undefined }, { b: undefined }, true],
    [[undefined], [], false],
    [[], {}, false],
    [null, {}, false],
    [Number.NaN, Number.NaN, true],
    [{}, { constructor: Object }, false],
  ])('compares %j and %j: %s', (a, b, equal) => {
    expect(deepEqual(a, b)).toBe(equal);
  });
});

describe('keepSame', () => {
  it('returns the previous object where nothing changed, else the new one', () => {
    const before = { a: [1, { b: 2 }] };
    const changed = { a: [1, { b: 3 }] };
    expect(keepSame(structuredClone(before), before)).toBe(before);
    expect(keepSame(changed, before)).toBe(changed);
    expect(keepSame(changed, undefined)).toBe(changed);
  });
});
