import type { PublishedWait } from '#protocol/core/endpoint.ts';
import type { WaitSegment } from '#trace/wait.ts';

export type ReferenceBand = ReturnType<typeof referenceBands>[number];

/**
 * Returns published waits on the axis of a measured one, in ms. Leaves out waits that begin at the server's start if the
 * protocol does not report it.
 * @param startMs place of the first text on the axis
 */
export function referenceBands(
  wait: readonly WaitSegment[],
  published: readonly PublishedWait[],
  startMs = 0,
) {
  const serverMs = wait.find(({ name }) => name === 'server')?.ms ?? null;
  return published.flatMap((one) => {
    const sinceTextMs = one.from === 'firstText' ? 0 : serverMs;
    if (sinceTextMs === null) return [];
    const fromMs = startMs + sinceTextMs;
    return [{ published: one, fromMs, leastMs: fromMs + one.leastMs, mostMs: fromMs + one.mostMs }];
  });
}

/** Returns the measured time between the same moments as a published wait; null if unknown. */
export function measuredOf(wait: readonly WaitSegment[], { from }: PublishedWait): number | null {
  const ms = (name: WaitSegment['name']) => wait.find((segment) => segment.name === name)?.ms;
  const firstAudioMs = ms('firstAudioFrame');
  if (firstAudioMs === undefined) return null;
  return from === 'firstText' ? (ms('server') ?? 0) + firstAudioMs : firstAudioMs;
}
