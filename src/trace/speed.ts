import { knownSum } from '#lib/statistics/known-sum.ts';
import type { SortedValues } from '#lib/statistics/percentiles.ts';

/** How fast audio arrives and is generated, of live and of recorded turns. */

/** The length of samples in seconds; 0 before the rate is known. */
export const audioSecondsOf = ({
  samples,
  sampleRate,
}: {
  samples: number;
  sampleRate: number | null;
}): number => (sampleRate ? samples / sampleRate : 0);

export interface GapStatistics {
  count: number;
  meanMs: number;
  p95Ms: number;
  longestMs: number;
}

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

/** Returns generation time over audio time; null where the first is unknown or there is no audio. */
export const factorOf = (generationMs: number | null, audioMs: number): number | null =>
  generationMs === null || audioMs <= 0 ? null : generationMs / audioMs;

/** Returns the factor of a turn; null unless the server reported the generation time of every chunk with audio. */
export function realTimeFactor({
  chunks,
  sampleRate,
}: {
  chunks: readonly { samples: number; generationMs: number | null }[];
  sampleRate: number | null;
}): number | null {
  const spoken = chunks.filter(({ samples }) => samples > 0);
  const samples = spoken.reduce((sum, chunk) => sum + chunk.samples, 0);
  const generationMs = spoken.reduce<number | null>((sum, chunk) => knownSum(sum, chunk.generationMs), 0);
  return factorOf(generationMs, audioSecondsOf({ samples, sampleRate }) * 1000);
}
