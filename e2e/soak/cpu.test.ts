import { expect, it } from 'vitest';
import { sharesBetween } from './cpu.ts';

const times = (all: number, busy: number, own: Record<number, number>) => ({
  all,
  busy,
  own: new Map(Object.entries(own).map(([id, ticks]) => [Number(id), ticks])),
});

it('divides the CPU time between the soak and other programs', () => {
  expect(sharesBetween(times(1000, 500, { 7: 100, 8: 20 }), times(1200, 650, { 7: 150, 8: 30 }))).toEqual({
    own: 0.3,
    others: 0.45,
  });
});

it('counts processes that began meanwhile, and those that ended not', () => {
  expect(sharesBetween(times(1000, 500, { 7: 100 }), times(1200, 560, { 9: 40 }))).toEqual({
    own: 0.2,
    others: 0.1,
  });
});

it('is never below 0 or above 1, because the figures are not read at once', () => {
  expect(sharesBetween(times(1000, 500, { 7: 100 }), times(1100, 590, { 7: 210 }))).toEqual({
    own: 1,
    others: 0,
  });
});
