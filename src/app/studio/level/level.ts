/** The meter falls from full scale within this time, as fast as the eye follows. */
const FALL_MS = 350;
/** Quieter sound is not shown. */
const FLOOR_DB = -48;

/** Returns a peak of 0 to 1 as a share of the meter, on a scale of decibels. */
export function meterShare(peak: number): number {
  if (peak <= 0) return 0;
  const db = 20 * Math.log10(peak);
  return Math.min(1, Math.max(0, 1 - db / FLOOR_DB));
}

/** Returns the meter after `elapsedMs`: up at once, down at a steady rate. */
export const settle = (shown: number, target: number, elapsedMs: number): number =>
  target >= shown ? target : Math.max(target, shown - elapsedMs / FALL_MS);
