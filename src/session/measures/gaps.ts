import type { SortedValues } from '#lib/statistics/percentiles.ts';
import type { GapStatistics } from '../views.ts';

/** Returns null for fewer than two audio frames. */
export const gapStatistics = (gapsMs: SortedValues): GapStatistics | null =>
  gapsMs.count === 0
    ? null
    : {
        count: gapsMs.count,
        meanMs: gapsMs.mean,
        p95Ms: gapsMs.percentile(0.95),
        longestMs: gapsMs.largest,
      };
