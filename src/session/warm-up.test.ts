import { afterEach, describe, expect, it, vi } from 'vitest';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { driveWarmUp } from './testing/warm-up.ts';

afterEach(() => void vi.unstubAllGlobals());

describe.each(PAGE_ENDPOINTS)('the warm-up of $id', (endpoint) => {
  it.each([true, false])(
    'hears a whole turn without a problem and ends, memory shared: %s',
    async (isShared) => {
      vi.stubGlobal('crossOriginIsolated', isShared);
      const { world, seen, heard, run, runUntil } = driveWarmUp(endpoint);
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
    const { world, seen, run, runUntil } = driveWarmUp(endpoint, controller);
    await run(() => void (seen.turn?.samples && controller.abort()));
    await runUntil(() => world.timers === 0);
    if (when === 'at once') expect(seen.turn).toBeUndefined();
    else expect(seen.turn).toMatchObject({ samples: expect.any(Number), silencedMs: expect.any(Number) });
  });
});
