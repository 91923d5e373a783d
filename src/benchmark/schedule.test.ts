import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ScheduledRun, scheduleRuns } from './schedule.ts';
import { testPlan } from './testing/plans.ts';

const cell = ({ text, configuration, connection }: ScheduledRun): string =>
  `${text} ${configuration} ${connection}`;

const TEXTS = [
  { name: 'One', text: 'One.' },
  { name: 'Two', text: 'Two.' },
];

describe('scheduleRuns', () => {
  it('speaks every text under every configuration on every connection once in each round', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 1, max: 12 }), (seed, runs) => {
        const all = scheduleRuns(testPlan({ texts: TEXTS, connections: 'both', runs, seed }));
        expect(all).toHaveLength(runs * 8);
        for (let round = 0; round < runs; round += 1) {
          expect(new Set(all.filter((run) => run.round === round).map(cell)).size).toBe(8);
        }
        expect(all.map(({ round }) => round)).toEqual(
          [...all.map(({ round }) => round)].sort((a, b) => (a ?? 0) - (b ?? 0)),
        );
      }),
    );
  });

  it('is the same for the same seed and another for another', () => {
    const order = (seed: number): string =>
      scheduleRuns(testPlan({ seed, runs: 20 }))
        .map(cell)
        .join();
    expect(order(7)).toBe(order(7));
    expect(order(7)).not.toBe(order(8));
  });

  it('puts every configuration first about equally often', () => {
    const first = scheduleRuns(testPlan({ runs: 1000, seed: 3 })).filter((_, at) => at % 2 === 0);
    const share = first.filter(({ configuration }) => configuration === 0).length / first.length;
    // Three standard errors around one half.
    expect(Math.abs(share - 0.5)).toBeLessThan(3 * Math.sqrt(0.25 / 1000));
  });

  it('begins with warm-ups of each configuration, which belong to no round', () => {
    const all = scheduleRuns(testPlan({ warmUps: 2, runs: 1, texts: TEXTS }));
    expect(all.slice(0, 4).map(({ round, text, configuration }) => [round, text, configuration])).toEqual([
      [null, 0, 0],
      [null, 0, 1],
      [null, 0, 0],
      [null, 0, 1],
    ]);
    expect(all.slice(4).every(({ round }) => round === 0)).toBe(true);
  });

  it('pauses for half to one and a half times as long as asked, never twice the same', () => {
    const pauses = scheduleRuns(testPlan({ pauseMs: 200, runs: 50 })).map(({ pauseMs }) => pauseMs);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(300);
    expect(new Set(pauses).size).toBe(pauses.length);
  });
});
