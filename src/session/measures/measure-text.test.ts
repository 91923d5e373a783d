import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MEASURES, measureOf } from './definitions.ts';
import { differenceText, measureRangeText, measureText, rtfText } from './measure-text.ts';

const ms = measureOf('waitMs');
const times = measureOf('underruns');
const ratio = measureOf('rtf');
const pace = measureOf('charactersPerSecond');
const wire = measureOf('wireBytesPerSecond');

describe('measures as text', () => {
  it.each([
    ['312 ms', measureText(ms, 311.6)],
    ['3.4 ms', measureText(ms, 3.44)],
    ['4 ms', measureText(ms, 4.04)],
    ['10 ms', measureText(ms, 9.96)],
    ['1851 ms', measureText(ms, 1851)],
    ['12.4 s', measureText(ms, 12_400)],
    ['0 ms', measureText(ms, -0.04)],
    ['−41 ms', measureText(ms, -41.2)],
    ['−12.4 s', measureText(ms, -12_400)],
    ['3', measureText(times, 3)],
    ['0.5', measureText(times, 0.5)],
    ['0.034', measureText(ratio, 0.0341)],
    ['0.15', measureText(ratio, 0.15)],
    ['1.20', measureText(ratio, 1.2)],
    ['15.2 chars/s', measureText(pace, 15.21)],
    ['−1.2 chars/s', measureText(pace, -1.2)],
    ['64.1 kB/s', measureText(wire, 64_103.7)],
    ['−18.4 LUFS', measureText(measureOf('loudness'), -18.43)],
    ['unknown', measureText(wire, null)],
    ['58 to 1851 ms', measureRangeText(ms, 58, 1851)],
    ['900 ms to 12.4 s', measureRangeText(ms, 900, 12_400)],
    ['−20 to 35 ms', measureRangeText(ms, -20, 35)],
    ['0 to 3', measureRangeText(times, 0, 3)],
    ['58 ms', measureRangeText(ms, 58.1, 58.2)],
    ['34 ms', differenceText(ms, -34)],
    ['1 time', differenceText(times, -1)],
    ['0.034', rtfText(34, 1000)],
    ['1.20', rtfText(1200, 1000)],
    ['–', rtfText(100, 0)],
    ['–', rtfText(null, 1000)],
  ])('%s', (expected, actual) => {
    expect(actual).toBe(expected);
  });

  const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });

  it('shows a negative value as the positive one with a true minus, and only the unknown as unknown', () => {
    fc.assert(
      fc.property(fc.constantFrom(...MEASURES), value, (measure, size) => {
        const [below, above] = [measureText(measure, -Math.abs(size)), measureText(measure, Math.abs(size))];
        expect([above, `−${above}`]).toContain(below);
        expect(below).toMatch(/^−?\d[^-]*$/);
        expect(measureText(measure, null)).toBe('unknown');
      }),
    );
  });

  it('keeps the order of values within one unit word', () => {
    const unitOf = (text: string) => text.replace(/^[−\d.,]+/, '');
    const figureOf = (text: string) => Number.parseFloat(text.replace('−', '-').replaceAll(',', ''));
    fc.assert(
      fc.property(fc.constantFrom(...MEASURES), value, value, (measure, a, b) => {
        const [low, high] = [measureText(measure, Math.min(a, b)), measureText(measure, Math.max(a, b))];
        if (unitOf(low) === unitOf(high)) expect(figureOf(low)).toBeLessThanOrEqual(figureOf(high));
      }),
    );
  });
});
