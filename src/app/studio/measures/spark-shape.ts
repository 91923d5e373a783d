import type { Point } from '#session/measures/series.ts';

export interface SparkShape {
  /** Of the line through neighbouring turns that both have a figure. */
  path: string;
  dots: readonly { turn: number; x: number; y: number }[];
}

/** A line of figures in a box of that size, its ends and its extremes `inset` px from the edges. */
export function sparkShape(
  points: readonly Point[],
  width: number,
  height: number,
  inset: number,
): SparkShape {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const least = Math.min(...values);
  const span = Math.max(...values) - least;
  const step = points.length > 1 ? (width - 2 * inset) / (points.length - 1) : 0;
  const dots: { turn: number; x: number; y: number }[] = [];
  let path = '';
  let isApart = true;
  points.forEach(({ turn, value }, at) => {
    if (value === null) {
      isApart = true;
      return;
    }
    const x = round(points.length > 1 ? inset + at * step : width / 2);
    // Figures that are all the same lie in the middle.
    const share = span > 0 ? (value - least) / span : 0.5;
    const y = round(height - inset - share * (height - 2 * inset));
    path += `${isApart ? 'M' : 'L'}${x} ${y}`;
    isApart = false;
    dots.push({ turn, x, y });
  });
  return { path, dots };
}

const round = (value: number): number => Math.round(value * 10) / 10;
