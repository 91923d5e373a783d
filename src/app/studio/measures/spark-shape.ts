import { largest, smallest } from '#lib/collections/arrays.ts';
import type { TurnFigure } from '#session/measures/series.ts';

/** Lays figures out as a line in px. The path breaks where a turn has no figure. */
export function sparkShape(figures: readonly TurnFigure[], width: number, height: number, inset: number) {
  const values = figures.flatMap(({ value }) => (value === null ? [] : [value]));
  const least = smallest(values);
  const span = largest(values) - least;
  const step = figures.length > 1 ? (width - 2 * inset) / (figures.length - 1) : 0;
  const dots: { turn: number; x: number; y: number }[] = [];
  let path = '';
  let isApart = true;
  figures.forEach(({ turn, value }, at) => {
    if (value === null) {
      isApart = true;
      return;
    }
    const x = round(figures.length > 1 ? inset + at * step : width / 2);
    // A flat line is drawn in the middle.
    const share = span > 0 ? (value - least) / span : 0.5;
    const y = round(height - inset - share * (height - 2 * inset));
    path += `${isApart ? 'M' : 'L'}${x} ${y}`;
    isApart = false;
    dots.push({ turn, x, y });
  });
  return { path, dots };
}

const round = (value: number): number => Math.round(value * 10) / 10;
