import { expect } from 'vitest';
import type { Endpoint, PageEndpointId } from '#protocol/core/endpoint.ts';
import { reportedTurn, type SessionUpdate, type TurnView } from '../views.ts';
import { warmUpSession } from '../warm-up.ts';
import { settled, World } from './world.ts';

/** A warm-up on a driven clock, and its only turn as the page would have it. */
export function driveWarmUp(endpoint: Endpoint<PageEndpointId>, controller = new AbortController()) {
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
    void warmUpSession(endpoint, {
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
