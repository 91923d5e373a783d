import { largest, smallest } from '#lib/collections/arrays.ts';
import { percentile } from '#lib/statistics/percentiles.ts';

/** A figure of one turn; null is unknown. */
export interface TurnFigure {
  turn: number;
  value: number | null;
}

/** One measure over several turns. */
export interface TurnSeries {
  /** In the order of the turns. */
  figures: readonly TurnFigure[];
  /** Of the known values; null where none is known. */
  summary: { count: number; least: number; median: number; most: number } | null;
  /** The value farthest from the median, if it is an outlier by {@link OUTLIER_DEFINITION}. */
  outlier: { turn: number; value: number } | null;
}

/** Among fewer values the rule has no meaning: of four steady values, it named an outlier in 48 of 100 simulations. */
const FEWEST_TURNS = 10;
/** Modified z-score beyond which a value is an outlier (Iglewicz and Hoaglin 1993). */
const MOST_DEVIATIONS = 3.5;
/** Standard deviation of a normal distribution in median absolute deviations. */
const DEVIATION_IN_MEDIANS = 1.4826;
/** Least distance as a share of the median. Without it, very steady values would have outliers by a hair. */
const LEAST_SHARE = 0.2;

export const OUTLIER_DEFINITION = `The turn farthest from the median: more than ${MOST_DEVIATIONS} robust standard deviations away (${DEVIATION_IN_MEDIANS} × the median absolute deviation) and more than ${100 * LEAST_SHARE} % of the median. None is named among fewer than ${FEWEST_TURNS} turns with a figure, where the largest value means nothing.`;

export function turnSeriesOf(figures: readonly TurnFigure[]): TurnSeries {
  const known = figures.filter((figure): figure is { turn: number; value: number } => figure.value !== null);
  if (known.length === 0) return { figures, summary: null, outlier: null };
  const values = known.map(({ value }) => value);
  const median = percentile(values, 0.5);
  const summary = { count: values.length, least: smallest(values), median, most: largest(values) };
  if (values.length < FEWEST_TURNS) return { figures, summary, outlier: null };
  const distance = (value: number): number => Math.abs(value - median);
  // An outlier inflates the standard deviation, but not the median one, so that it cannot hide another.
  const deviation = percentile(values.map(distance), 0.5) * DEVIATION_IN_MEDIANS;
  const farthest = known.reduce((far, figure) =>
    distance(figure.value) > distance(far.value) ? figure : far,
  );
  const isOut =
    distance(farthest.value) > Math.max(MOST_DEVIATIONS * deviation, LEAST_SHARE * Math.abs(median));
  return { figures, summary, outlier: isOut ? farthest : null };
}
