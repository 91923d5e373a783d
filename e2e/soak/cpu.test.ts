import { expect, it } from 'vitest';
import { sharesBetween } from './cpu.ts';

const times = (all: number, busy: number, own: Record<number, number>) => ({
  all,
  busy,
  own: new Map(Object.entries(own).map(([id, ticks]) => [Number(id), ticks])),
});

it.each([
  [
    'the soak and other programs',
    times(1000, 500, { 7: 100, 8: 20 }),
    times(1200, 650, { 7: 150, 8: 30 }),
    0.3,
    0.45,
  ],
  [
    'processes that began, not those that ended',
    times(1000, 500, { 7: 100 }),
    times(1200, 560, { 9: 40 }),
    0.2,
    0.1,
  ],
  // The figures are not read at once.
  [
    'the soak and nobody else, where its ticks exceed those of all',
    times(1000, 500, { 7: 100 }),
    times(1100, 590, { 7: 210 }),
    1,
    0,
  ],
])('divides the CPU time between %s', (_, before, after, own, others) => {
  expect(sharesBetween(before, after)).toEqual({ own, others });
});
