import { afterEach, describe, expect, it, vi } from 'vitest';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { rehearse } from './rehearsal.ts';
import { settled, World } from './testing/world.ts';
import { reportedTurn, type SessionUpdate, type TurnView } from './views.ts';

afterEach(() => void vi.unstubAllGlobals());

/** A rehearsal on a driven clock, and its only turn as the page would have it. */
function rehearsal(endpoint: (typeof PAGE_ENDPOINTS)[number], controller = new AbortController()) {
  const world = new World();
  const seen: { turn?: TurnView; problems: unknown[] } = { problems: [] };
  const report = (update: SessionUpdate): void => {
    for (const changed of update.turns ?? []) seen.turn = reportedTurn(seen.turn, structuredClone(changed));
    seen.problems.push(...(update.problems ?? []));
  };
  const heard = () => (seen.turn?.played ?? []).reduce((sum, { count }) => sum + count, 0);
  /** Runs until something holds, with a turn of the event loop for messages in each step. */
  const runUntil = async (holds: () => boolean): Promise<void> => {
    for (let steps = 0; steps < 20_000 && !holds(); steps += 1) {
      await settled();
      world.advance(5);
    }
    expect(holds()).toBe(true);
  };
  const run = async (onReport = () => {}): Promise<void> => {
    let isOver = false;
    const options = { clock: world.environment, signal: controller.signal, longestMs: 60_000 };
    void rehearse(endpoint, {
      ...options,
      report: (update) => {
        report(update);
        onReport();
      },
    }).then(() => {
      isOver = true;
    });
    await runUntil(() => isOver);
  };
  return { world, seen, heard, run, runUntil };
}

describe.each(PAGE_ENDPOINTS)('the rehearsal of $id', (endpoint) => {
  it.each([true, false])(
    'hears a whole turn without a problem and ends, memory shared: %s',
    async (isShared) => {
      vi.stubGlobal('crossOriginIsolated', isShared);
      const { world, seen, heard, run, runUntil } = rehearsal(endpoint);
      await run();
      await runUntil(() => heard() === 14_400);
      expect(seen.problems).toEqual([]);
      expect(seen.turn).toMatchObject({ state: 'ended', samples: 14_400, wait: expect.anything() });
      expect(seen.turn?.chunks).toMatchObject([
        { words: expect.anything(), completedMs: expect.any(Number) },
      ]);
      await runUntil(() => world.timers === 0);
    },
  );

  it.each(['at once', 'in the middle'])('ends %s with its signal', async (when) => {
    const controller = new AbortController();
    if (when === 'at once') controller.abort();
    const { world, seen, run, runUntil } = rehearsal(endpoint, controller);
    await run(() => void (seen.turn?.samples && controller.abort()));
    await runUntil(() => world.timers === 0);
    if (when === 'at once') expect(seen.turn).toBeUndefined();
    else expect(seen.turn).toMatchObject({ samples: expect.any(Number), silencedMs: expect.any(Number) });
  });
});
