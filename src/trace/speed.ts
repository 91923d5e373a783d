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

/** Null unless the server reported the generation time of every chunk with audio. */
export function realTimeFactor({
  chunks,
  sampleRate,
}: {
  chunks: readonly { samples: number; generationMs: number | null }[];
  sampleRate: number | null;
}): number | null {
  if (sampleRate === null) return null;
  const spoken = chunks.filter(({ samples }) => samples > 0);
  const samples = spoken.reduce((sum, chunk) => sum + chunk.samples, 0);
  if (samples === 0 || spoken.some(({ generationMs }) => generationMs === null)) return null;
  const generationMs = spoken.reduce((sum, chunk) => sum + (chunk.generationMs ?? 0), 0);
  return (generationMs * sampleRate) / (samples * 1000);
}
