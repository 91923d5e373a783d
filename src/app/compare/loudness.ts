import type { SideId } from './side.ts';

/**
 * Gains that make two levels the same: the quieter one is left alone and the louder one turned down, so that nothing is
 * ever clipped. Where a level is unknown nothing is changed.
 */
export function matchingGains(
  levels: Readonly<Record<SideId, number | null>>,
): Readonly<Record<SideId, number>> {
  const { a, b } = levels;
  if (a === null || b === null) return { a: 1, b: 1 };
  const quieter = Math.min(a, b);
  return { a: quieter / a, b: quieter / b };
}

/** `3.2 dB` for what a gain takes away. */
export const reductionText = (gain: number): string => `${Math.abs(20 * Math.log10(gain)).toFixed(1)} dB`;
