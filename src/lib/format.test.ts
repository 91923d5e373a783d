import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytes,
  count,
  counted,
  milliseconds,
  money,
  roughDuration,
  roundedParts,
  seconds,
} from './format.ts';

describe('figures', () => {
  it.each([
    ['312 ms', milliseconds(311.6)],
    ['12.4 s', milliseconds(12_400)],
    ['3.4 ms', milliseconds(3.44)],
    ['4 ms', milliseconds(4.04)],
    ['10 ms', milliseconds(9.96)],
    ['0 ms', milliseconds(-0.04)],
    ['−41 ms', milliseconds(-41.2)],
    ['−12.4 s', milliseconds(-12_400)],
    ['unknown', milliseconds(null)],
    ['5.40 s', seconds(5.4)],
    ['12:05 min', seconds(725)],
    ['unknown', seconds(null)],
    ['1 s', roughDuration(400)],
    ['40 s', roughDuration(40_000)],
    ['2 min', roughDuration(125_000)],
    ['2 h 10 min', roughDuration(7_800_000)],
    ['€0.0049', money(0.49, 'EUR')],
    ['€0.0980', money(9.8, 'EUR')],
    ['€0.49', money(49, 'EUR')],
    ['€0.00', money(0, 'EUR')],
    ['12.30 CHF', money(1230, 'CHF')],
    ['unknown', money(null, 'EUR')],
    ['1 turn', counted(1, 'turn')],
    ['1,240 turns', counted(1240, 'turn')],
    ['4.2 kB', bytes(4200)],
    ['1.0 MB', bytes(999_960)],
    ['10.7 GB', bytes(10 * 2 ** 30)],
    ['not plausible', milliseconds(-1e300)],
    ['not plausible', seconds(1.38e305)],
    ['not plausible', seconds(Number.NaN)],
    ['not plausible', money(1e20, 'EUR')],
    ['not plausible', count(Number.POSITIVE_INFINITY)],
    ['not plausible turns', counted(1e300, 'turn')],
    ['not plausible', bytes(Number.POSITIVE_INFINITY)],
  ])('%s', (expected, actual) => {
    expect(actual).toBe(expected);
  });
});

describe('roundedParts', () => {
  it('adds up to the rounded whole, each part at most one off', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 5000, noNaN: true }), { maxLength: 8 }), (parts) => {
        const rounded = roundedParts(parts);
        const whole = parts.reduce((sum, part) => sum + part, 0);
        expect(rounded.reduce((sum, part) => sum + part, 0)).toBe(Math.round(whole));
        for (const [at, part] of parts.entries()) {
          expect(Math.abs((rounded[at] ?? Number.NaN) - part)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
