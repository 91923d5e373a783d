/** A figure that must not grow, over the last half of a soak. */
export interface Tolerance {
  title: string;
  unit: string;
  /** Growth that is noise, in the unit. */
  absolute: number;
  /** Growth that is noise, as a share of the mean. */
  relative: number;
}

export interface Growth extends Tolerance {
  /** By the least-squares line through the last half; NaN for fewer than two samples. */
  grown: number;
  allowed: number;
}

/** How far a line through the last half of these samples rises from its first to its last moment. */
export function growthOf(tolerance: Tolerance, samples: readonly { atMs: number; value: number }[]): Growth {
  const half = samples.slice(Math.floor(samples.length / 2));
  const mean = meanOf(half.map(({ value }) => value));
  const middleMs = meanOf(half.map(({ atMs }) => atMs));
  const spread = half.reduce((sum, { atMs }) => sum + (atMs - middleMs) ** 2, 0);
  const covariance = half.reduce((sum, { atMs, value }) => sum + (atMs - middleMs) * (value - mean), 0);
  const spanMs = (half.at(-1)?.atMs ?? 0) - (half[0]?.atMs ?? 0);
  const grown = (covariance / spread) * spanMs;
  return { ...tolerance, grown, allowed: Math.max(tolerance.absolute, tolerance.relative * mean) };
}

/** NaN for no values. */
export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
