import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { EnvelopeStore } from './envelope-store.ts';

const part = fc.record({
  from: fc.integer({ min: 0, max: 2000 }),
  peaks: fc.uint8Array({ minLength: 1, maxLength: 900 }),
});

test('finds the highest peak of any range as a scan does, also where peaks were replaced', () => {
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 0, max: 3200 }),
      fc.integer({ min: 0, max: 3200 }),
      (parts, a, b) => {
        const store = new EnvelopeStore();
        const all: number[] = [];
        for (const { from, peaks } of parts) {
          store.take([{ turn: 1, from, peaks }]);
          peaks.forEach((peak, at) => {
            all[from + at] = peak;
          });
        }
        const [from, to] = [Math.min(a, b), Math.max(a, b)];
        const expected = Math.max(0, ...Array.from(all.slice(from, to), (peak) => peak ?? 0));
        expect(store.highest(1, from * 10, to * 10)).toBeCloseTo(expected / 255, 10);
      },
    ),
  );
});

test('finds peaks before a gap after the gap has added levels', () => {
  const store = new EnvelopeStore();
  store.take([{ turn: 1, from: 0, peaks: Uint8Array.of(1, 0) }]);
  store.take([{ turn: 1, from: 16, peaks: Uint8Array.of(0) }]);
  expect(store.highest(1, 0, 160)).toBeCloseTo(1 / 255, 10);
});

test('an unknown turn is silent, and only new peaks reach the listeners', () => {
  const store = new EnvelopeStore();
  const listener = vi.fn();
  store.subscribe(listener);
  expect(store.highest(7, 0, 1e9)).toBe(0);
  store.take([]);
  expect(listener).not.toHaveBeenCalled();
  store.take([{ turn: 7, from: 0, peaks: Uint8Array.of(255) }]);
  expect(listener).toHaveBeenCalledOnce();
  expect([store.highest(7, 3, 4), store.highest(7, 10, 20)]).toEqual([1, 0]);
});
