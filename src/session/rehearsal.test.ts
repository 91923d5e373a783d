import { describe, expect, it } from 'vitest';
import { systemClock } from '#lib/clock.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { rehearse } from './rehearsal.ts';
import { type Problem, reportedTurn, type TurnView } from './views.ts';

describe.for(ENDPOINTS)('the rehearsal of $id', (endpoint) => {
  it('hears a whole turn without a problem, and does nothing more', async () => {
    const pending = new Set<{ delayMs: number }>();
    const clock = {
      nowMs: systemClock.nowMs,
      after: (delayMs: number, task: () => void) => {
        const timer = { delayMs };
        pending.add(timer);
        const callOff = systemClock.after(delayMs, () => {
          pending.delete(timer);
          task();
        });
        return () => {
          pending.delete(timer);
          callOff();
        };
      },
    };
    let turn: TurnView | undefined;
    const problems: Problem[] = [];
    await rehearse(endpoint, clock, (update) => {
      for (const changed of update.turns ?? []) turn = reportedTurn(turn, structuredClone(changed));
      problems.push(...(update.problems ?? []));
    });
    expect(problems).toEqual([]);
    expect(turn).toMatchObject({ state: 'ended', samples: 14_400, wait: expect.anything() });
    expect(turn?.chunks).toMatchObject([{ words: expect.anything(), completedMs: expect.any(Number) }]);
    const heardTo = (): number => (turn?.played ?? []).reduce((_, { sample, count }) => sample + count, 0);
    await expect.poll(heardTo).toBe(14_400);
    // The ring of a closed context waits half a minute for more of it.
    await expect.poll(() => [...pending].filter(({ delayMs }) => delayMs < 30_000)).toEqual([]);
  });
});
