/** How fast the meter falls: a full scale in this time, as fast as the eye follows. */
const FALL_MS = 350;
/** Quieter than this shows nothing. */
const FLOOR_DB = -48;

/** A peak of 0 to 1 as a share of the meter, on a scale of decibels. */
export function meterShare(peak: number): number {
  if (peak <= 0) return 0;
  const db = 20 * Math.log10(peak);
  return Math.min(1, Math.max(0, 1 - db / FLOOR_DB));
}

/** The meter after `elapsedMs`: up at once, down at a steady rate. */
export const settle = (shown: number, target: number, elapsedMs: number): number =>
  target >= shown ? target : Math.max(target, shown - elapsedMs / FALL_MS);
