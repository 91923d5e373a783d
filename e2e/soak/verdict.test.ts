import { expect, it } from 'vitest';
import type { SoakResult } from './soak.ts';
import { verdictsOf } from './verdict.ts';

const underrun = { endpoint: 'murmr', turn: 3, atMs: 0, lengthMs: 89, audioLateMs: 40 };
const heap = { title: 'page', unit: 'MiB', absolute: 2, relative: 0.1, allowed: 2 };
const HELD: SoakResult = {
  samples: [],
  sessions: { name: 'orderly', cases: 5, frames: 50, budget: 50, seconds: 1, findings: [] },
  growth: [{ ...heap, grown: 1.9 }],
  longestStallMs: 0,
  underruns: [],
  errors: [],
  faults: [],
};
const problemsOf = (change: Partial<SoakResult>): string[] =>
  verdictsOf({ ...HELD, ...change }).flatMap(({ problems }) => problems);

it('finds nothing in a soak that held', () => {
  expect(problemsOf({})).toEqual([]);
  expect(verdictsOf(HELD).some(({ isMet }) => isMet === false)).toBe(false);
});

it.each<[string, Partial<SoakResult>, string]>([
  ['growth', { growth: [{ ...heap, grown: 2.2 }] }, 'expected page to grow by at most 2.0 MiB, got 2.2 MiB'],
  [
    'an underrun without an excuse',
    { underruns: [{ underrun, excuse: null }] },
    'expected no underrun, got 89 ms on murmr, turn 3, at 1970-01-01T00:00:00.000Z: its audio came 40 ms after it was due',
  ],
  [
    'an error of the page',
    { errors: ['expected the page to live, got a crash'] },
    'expected the page to live, got a crash',
  ],
  ['a fault of the server', { faults: ['oops'] }, 'expected no fault of the server, got oops'],
])('reports %s', (_, change, problem) => {
  expect(problemsOf(change)).toEqual([problem]);
});

it('reports no underrun with an excuse, and counts it', () => {
  const underruns = [{ underrun, excuse: 'load' as const }];
  expect(problemsOf({ underruns })).toEqual([]);
  const verdicts = verdictsOf({ ...HELD, underruns });
  expect(verdicts.find(({ figure }) => figure.includes('other programs'))?.measured).toBe('1');
});

it('judges no growth that is unknown', () => {
  const [verdict] = verdictsOf({ ...HELD, growth: [{ ...heap, grown: Number.NaN }] });
  expect(verdict).toMatchObject({ measured: 'unknown', isMet: null, problems: [] });
});
