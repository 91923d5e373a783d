import { largest } from '#lib/collections/arrays.ts';
/** Layout of the dot plot in px: a row for each series, a dot for each run, one axis for all. */

export interface DotPlot {
  widthPx: number;
  heightPx: number;
  ticks: readonly { x: number; value: number }[];
  /** A linear axis would press everything but a long tail to one edge. */
  isLogarithmic: boolean;
  rows: readonly { topPx: number; dots: readonly Dot[]; failures: readonly Dot[] }[];
  /** Centre of the failures' column, right of the axis; null if there are none. */
  failuresX: number | null;
  xOf(value: number): number;
}

export interface Dot {
  x: number;
  y: number;
}

const AXIS_PX = 24;
export const ROW_PX = 68;
export const NAME_PX = 20;
const SIDE_PX = 12;
const FAILURES_PX = 56;
export const DOT_PX = 5;
/** The axis is logarithmic if the largest value exceeds so many medians. */
const LONG_TAIL = 8;
const TICK_EVERY_PX = 70;

export function dotPlot(
  rows: readonly { values: readonly number[]; failures: number }[],
  widthPx: number,
): DotPlot {
  const all = rows.flatMap(({ values }) => values).sort((a, b) => a - b);
  const hasFailures = rows.some(({ failures }) => failures > 0);
  const rightPx = widthPx - SIDE_PX - (hasFailures ? FAILURES_PX : 0);
  const axis = axisOf(all, SIDE_PX, Math.max(SIDE_PX + 1, rightPx));
  const failuresX = hasFailures ? widthPx - FAILURES_PX / 2 - SIDE_PX / 2 : null;
  return {
    widthPx,
    heightPx: rows.length * ROW_PX + AXIS_PX,
    ticks: axis.ticks,
    isLogarithmic: axis.isLogarithmic,
    rows: rows.map(({ values, failures }, row) => {
      const y = row * ROW_PX + NAME_PX + (ROW_PX - NAME_PX) / 2;
      return {
        topPx: row * ROW_PX,
        dots: swarm(
          values.map((value) => axis.xOf(value)),
          y,
        ),
        failures: failuresX === null ? [] : swarm(new Array<number>(failures).fill(failuresX), y),
      };
    }),
    failuresX,
    xOf: axis.xOf,
  };
}

/** @param sorted every value, ascending */
function axisOf(sorted: readonly number[], leftPx: number, rightPx: number) {
  const least = sorted[0] ?? 0;
  const most = sorted.at(-1) ?? 1;
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const isLogarithmic = least > 0 && most > LONG_TAIL * middle;
  const along = (part: number): number => leftPx + part * (rightPx - leftPx);
  const ticksWanted = Math.max(2, Math.floor((rightPx - leftPx) / TICK_EVERY_PX));
  if (isLogarithmic) {
    const [from, to] = [Math.log(least), Math.log(most)];
    const xOf = (value: number): number => along((Math.log(value) - from) / (to - from));
    const ticks = logarithmicTicks(least, most, ticksWanted).map((value) => ({ value, x: xOf(value) }));
    return { isLogarithmic, xOf, ticks };
  }
  // A single value is centred on an axis as long as its own size.
  const spread = most - least || Math.abs(most) || 1;
  const from = least === most ? least - spread / 2 : least;
  const xOf = (value: number): number => along((value - from) / spread);
  const ticks = linearTicks(from, from + spread, ticksWanted).map((value) => ({ value, x: xOf(value) }));
  return { isLogarithmic, xOf, ticks };
}

/** Returns round values within the range: 1, 2 or 5 times a power of ten apart. */
function linearTicks(from: number, to: number, wanted: number): number[] {
  const rough = (to - from) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step);
  // Multiples of the step, so that rounding errors do not add up.
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

function logarithmicTicks(least: number, most: number, wanted: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power += 1) {
    for (const factor of [1, 2, 5]) ticks.push(Number((factor * 10 ** power).toPrecision(12)));
  }
  const within = ticks.filter((tick) => tick >= least && tick <= most);
  const every = Math.ceil(within.length / (wanted + 1));
  return within.filter((_, at) => at % every === 0);
}

/** Moves dots that would overlap up and down alternately. A row that would grow too thick is compressed, never cut. */
function swarm(xs: readonly number[], y: number): Dot[] {
  const inColumn = new Map<number, number>();
  const levels = xs.map((x) => {
    const column = Math.round(x / DOT_PX);
    const level = inColumn.get(column) ?? 0;
    inColumn.set(column, level + 1);
    return level;
  });
  const highest = largest(inColumn.values(), 0);
  const room = (ROW_PX - NAME_PX) / 2 - DOT_PX;
  const step = Math.min(DOT_PX, (2 * room) / Math.max(1, highest));
  return xs.map((x, at) => {
    const level = levels[at] ?? 0;
    const away = Math.ceil(level / 2) * step;
    return { x: round(x), y: round(y + (level % 2 === 1 ? -away : away)) };
  });
}

const round = (px: number): number => Math.round(px * 10) / 10;

/** One path for thousands of dots: points that are stroked with round ends. */
export const dotsPath = (dots: readonly Dot[]): string => dots.map(({ x, y }) => `M${x} ${y}h0`).join('');

export const crossesPath = (dots: readonly Dot[]): string =>
  dots.map(({ x, y }) => `M${x - 2.5} ${y - 2.5}l5 5m0-5l-5 5`).join('');
