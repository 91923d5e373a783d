import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { Mark } from '#session/views.ts';
import { LaneStore } from './lane-store.ts';
import { TimeScale } from './time-scale.ts';

const mark = (atMs: number, rest: Partial<Mark> = {}): Mark => ({
  kind: 'text',
  atMs,
  context: 'anna',
  turn: 1,
  amount: 3,
  ...rest,
});

const times = fc
  .array(fc.integer({ min: 0, max: 5000 }), { maxLength: 300 })
  .map((all) => all.sort((a, b) => a - b));

test('finds the pixels in view with marks as a scan of all marks does', () => {
  fc.assert(
    fc.property(
      times,
      fc.integer({ min: 0, max: 4000 }),
      fc.integer({ min: 1, max: 40 }),
      (all, start, msPerPx) => {
        const store = new LaneStore();
        store.append(all.map((atMs) => mark(atMs)));
        const scale = new TimeScale(start, msPerPx, 100);
        const inView = all.filter((atMs) => atMs >= scale.startMs && atMs < scale.endMs);
        const expected = new Set(inView.map((atMs) => Math.floor(scale.toPx(atMs))));
        expect(store.pixels('anna', 'text', scale)).toEqual([...expected]);
      },
    ),
    // The first moment behind the view, and another one in the same pixel.
    { examples: [[[4992, 4993], 3992, 10]] },
  );
});

test('finds the nearest mark as a scan of all of them does', () => {
  fc.assert(
    fc.property(times, fc.integer({ min: 0, max: 5000 }), (all, ms) => {
      const store = new LaneStore();
      store.append(all.map((atMs) => mark(atMs)));
      const distance = Math.min(...all.map((atMs) => Math.abs(atMs - ms)));
      const found = store.nearest('anna', 'text', ms, 50);
      if (distance > 50) expect(found).toBeNull();
      else expect(Math.abs((found?.atMs ?? Number.NaN) - ms)).toBe(distance);
    }),
  );
});

test('keeps lanes and kinds apart, and every field of a mark', () => {
  const store = new LaneStore();
  store.append([
    mark(10),
    mark(20, { kind: 'audio', amount: 100, turn: 2 }),
    mark(30, { context: 'ben' }),
    mark(40, { context: null, kind: 'connected', turn: null, amount: 0 }),
  ]);
  expect([...store.lanes]).toEqual(['anna', 'ben', null]);
  expect(store.latest('anna', 'text', 5)).toEqual([mark(10)]);
  expect(store.latest('anna', 'audio', 5)).toEqual([mark(20, { kind: 'audio', amount: 100, turn: 2 })]);
  expect(store.nearest(null, 'connected', 41, 2)).toMatchObject({ turn: null, context: null });
  expect(store.latest('cy', 'text', 5)).toEqual([]);
});

test('notifies subscribers only when marks were added', () => {
  const store = new LaneStore();
  const listener = vi.fn();
  const leave = store.subscribe(listener);
  store.append([]);
  store.append([mark(1), mark(2)]);
  expect(listener).toHaveBeenCalledTimes(1);
  leave();
  store.append([mark(3)]);
  expect(listener).toHaveBeenCalledTimes(1);
});
