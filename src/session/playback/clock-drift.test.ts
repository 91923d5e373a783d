import { expect, test } from 'vitest';
import { ClockDrift } from './clock-drift.ts';

const EVERY_S = 0.5;

/** Anchors of an audio clock that runs `rate` times as fast as the wall clock, some of them late. */
const anchors = (count: number, rate: number, offsetMs = 0) =>
  Array.from({ length: count }, (_, at) => ({
    contextTimeS: at * EVERY_S * rate,
    wallMs: 1_000_000 + offsetMs + at * EVERY_S * 1000 + (at % 3) * 5,
    outputLatencyMs: 0,
  }));

const driftOf = (clock: ClockDrift, all: ReturnType<typeof anchors>) =>
  all.reduce<number | null>((_, anchor) => clock.anchor(anchor), null);

test.each([
  ['a clock that agrees', 1, 0],
  ['one that is fast by 100 ppm', 1.0001, 1.2],
  ['one that is slow by 100 ppm', 0.9999, -1.2],
])('%s', (_, rate, expected) => {
  // 12 s between the first that count and the last.
  const drift = driftOf(new ClockDrift(), anchors(41, rate));
  expect(drift).not.toBeNull();
  expect(Math.abs((drift ?? 0) - expected)).toBeLessThan(0.1);
});

test('nothing is said before there is enough to compare', () => {
  expect(driftOf(new ClockDrift(), anchors(15, 1))).toBeNull();
});

test('a clock that stood still, or another one, begins anew', () => {
  const clock = new ClockDrift();
  driftOf(clock, anchors(30, 1));
  expect(driftOf(clock, anchors(15, 1, 400))).toBeNull();
  expect(driftOf(clock, anchors(30, 1, 400))).toBe(0);
  clock.reset();
  expect(driftOf(clock, anchors(3, 1))).toBeNull();
});
