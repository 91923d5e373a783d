import fc from 'fast-check';
import { expect, test } from 'vitest';
import { speechLevel } from './speech-level.ts';

const RATE = 8000;
const STRETCH = 160;
const constant = (length: number, value: number): Int16Array => new Int16Array(length).fill(value);

test('of a constant it is its share of full scale', () => {
  expect(speechLevel([constant(1600, 8192)], RATE)).toBeCloseTo(0.25, 10);
});

test('of a sine it is its peak over the root of two', () => {
  const sine = Int16Array.from({ length: RATE }, (_, at) =>
    Math.round(16_384 * Math.sin((2 * Math.PI * 200 * at) / RATE)),
  );
  expect(speechLevel([sine], RATE)).toBeCloseTo(0.5 / Math.SQRT2, 4);
});

test('pauses count for nothing', () => {
  const speech = constant(10 * STRETCH, 4096);
  const pause = constant(50 * STRETCH, 3);
  expect(speechLevel([pause, speech, pause, speech], RATE)).toBe(speechLevel([speech, speech], RATE));
});

test('silence has none', () => {
  expect(speechLevel([constant(RATE, 20)], RATE)).toBeNull();
  expect(speechLevel([], RATE)).toBeNull();
});

test('it does not matter where blocks end', () => {
  const samples = fc.int16Array({ minLength: 1, maxLength: 2000 });
  fc.assert(
    fc.property(samples, fc.array(fc.nat(2000), { maxLength: 8 }), (whole, cuts) => {
      const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
      const blocks = at.slice(1).map((end, index) => whole.subarray(at[index], end));
      expect(speechLevel(blocks, RATE)).toBe(speechLevel([whole], RATE));
    }),
  );
});
