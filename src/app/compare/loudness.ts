import type { SideId } from './side.ts';

/**
 * Returns gains that equalise two levels. Only the louder one is turned down, so that nothing clips. Both gains are 1 where
 * a level is unknown.
 */
export function matchingGains(
  levels: Readonly<Record<SideId, number | null>>,
): Readonly<Record<SideId, number>> {
  const { a, b } = levels;
  if (a === null || b === null) return { a: 1, b: 1 };
  const quieter = Math.min(a, b);
  return { a: quieter / a, b: quieter / b };
}

/** Returns the reduction by a gain, as in `3.2 dB`. */
export const reductionText = (gain: number): string => `${Math.abs(20 * Math.log10(gain)).toFixed(1)} dB`;
