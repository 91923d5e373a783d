import { percentile } from '#lib/statistics/percentiles.ts';

/** A figure of one turn; null where it is unknown. */
export interface Point {
  turn: number;
  value: number | null;
}

/** One measure over several turns. */
export interface Series {
  /** In the order of the turns. */
  points: readonly Point[];
  /** Of the values that are known; null where none is. */
  summary: { count: number; least: number; median: number; most: number } | null;
  /** The one that stands out most; null where none does. */
  outlier: { turn: number; value: number } | null;
}

/** Fewer values than this have no outlier. */
const FEWEST = 4;
/** So many standard deviations from the median, estimated from the median deviation so that an outlier hides no other. */
const DEVIATIONS = 3;
/** The standard deviation of a normal distribution in median deviations. */
const DEVIATION_IN_MEDIANS = 1.4826;
/** And by this share of the median, or steady figures would have outliers by a hair. */
const SHARE = 0.2;

export function seriesOf(points: readonly Point[]): Series {
  const known = points.filter((point): point is { turn: number; value: number } => point.value !== null);
  if (known.length === 0) return { points, summary: null, outlier: null };
  const values = known.map(({ value }) => value);
  const median = percentile(values, 0.5);
  const summary = { count: values.length, least: Math.min(...values), median, most: Math.max(...values) };
  const distance = (value: number): number => Math.abs(value - median);
  const deviation = percentile(values.map(distance), 0.5) * DEVIATION_IN_MEDIANS;
  const farthest = known.reduce((far, point) => (distance(point.value) > distance(far.value) ? point : far));
  const isOut =
    values.length >= FEWEST &&
    distance(farthest.value) > Math.max(DEVIATIONS * deviation, SHARE * Math.abs(median));
  return { points, summary, outlier: isOut ? farthest : null };
}
