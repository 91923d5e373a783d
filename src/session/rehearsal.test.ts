import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '#lib/clock.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { rehearse } from './rehearsal.ts';
import { type Problem, reportedTurn, type SessionUpdate, type TurnView } from './views.ts';

afterEach(() => void vi.unstubAllGlobals());

/** The system's clock, with the delays of its pending timers. */
function watchedClock() {
  const pending = new Set<{ delayMs: number }>();
  const after = (delayMs: number, task: () => void) => {
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
  };
  /** Without the one that waits half a minute for more of a closed context. */
  const delays = () => [...pending].map(({ delayMs }) => delayMs).filter((delayMs) => delayMs < 30_000);
  return { clock: { nowMs: systemClock.nowMs, after }, delays };
}

/** The only turn, as the page would see it. */
function seenTurn() {
  const seen: { turn?: TurnView; problems: Problem[] } = { problems: [] };
  const report = (update: SessionUpdate): void => {
    for (const changed of update.turns ?? []) seen.turn = reportedTurn(seen.turn, structuredClone(changed));
    seen.problems.push(...(update.problems ?? []));
  };
  return { seen, report };
}

const { signal: never } = new AbortController();

describe.for(
  ENDPOINTS.flatMap((endpoint) => [true, false].map((isShared) => ({ endpoint, id: endpoint.id, isShared }))),
)('the rehearsal of $id, memory shared: $isShared', ({ endpoint, isShared }) => {
  it('hears a whole turn without a problem, and does nothing more', async () => {
    vi.stubGlobal('crossOriginIsolated', isShared);
    const { clock, delays } = watchedClock();
    const { seen, report } = seenTurn();
    await rehearse(endpoint, { clock, signal: never, longestMs: 30_000, report });
    const heard = (): number => (seen.turn?.played ?? []).reduce((sum, { count }) => sum + count, 0);
    await expect.poll(heard).toBe(14_400);
    expect(seen.problems).toEqual([]);
    expect(seen.turn).toMatchObject({ state: 'ended', samples: 14_400, wait: expect.anything() });
    expect(seen.turn?.chunks).toMatchObject([{ words: expect.anything(), completedMs: expect.any(Number) }]);
    await expect.poll(delays).toEqual([]);
  });
});

describe.for(ENDPOINTS)('the rehearsal of $id', (endpoint) => {
  it('ends with its signal, at once or in the middle', async () => {
    const { clock, delays } = watchedClock();
    const { seen, report } = seenTurn();
    await rehearse(endpoint, { clock, signal: AbortSignal.abort(), report });
    expect(seen.turn).toBeUndefined();
    const controller = new AbortController();
    await rehearse(endpoint, {
      clock,
      signal: controller.signal,
      longestMs: 30_000,
      report: (update) => {
        report(update);
        if (seen.turn?.samples) controller.abort();
      },
    });
    await expect.poll(delays).toEqual([]);
    expect(seen.turn?.samples).toBeGreaterThan(0);
    expect(seen.turn?.heardToMs === null || seen.turn?.silencedMs !== null).toBe(true);
  });
});
