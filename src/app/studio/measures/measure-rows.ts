import { madeOnce } from '#lib/collections/maps.ts';
import { roundedParts } from '#lib/format.ts';
import { MEASURES, type Measure, type MeasureGroup } from '#session/measures/definitions.ts';
import { turnSeriesOf } from '#session/measures/series.ts';
import { measureOfPart, measuresOf, type TurnMeasures } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';

/** The rows of a table of measures, in the order of the definitions. */
export interface MeasureRows<R> {
  groups: readonly { group: MeasureGroup; rows: readonly R[] }[];
  /** Measures without a figure in any turn. */
  unknown: readonly Measure[];
}

/** Turns that a row sums up at most. */
const LAST_TURNS = 40;

/** Views are immutable, so a turn's measures are computed once for each view. */
const known = new WeakMap<TurnView, TurnMeasures>();

const measuresOnce = (turn: TurnView): TurnMeasures => madeOnce(known, turn, () => measuresOf(turn));

/** Returns the last turns of the same endpoint, of one context or of all (null). */
export function lastTurns(
  turns: readonly TurnView[],
  { endpoint }: Pick<TurnView, 'endpoint'>,
  context: string | null,
): TurnView[] {
  return turns
    .filter((turn) => turn.endpoint === endpoint && (context === null || turn.context === context))
    .slice(-LAST_TURNS);
}

/** Returns the measures of a turn as they are displayed: the parts of the wait add up to its rounded whole. */
export function shownMeasures(turn: TurnView): TurnMeasures {
  const wait = turn.wait ?? [];
  const rounded = roundedParts(wait.map(({ ms }) => ms));
  const parts = wait.map(({ name }, at) => [measureOfPart(name), rounded[at] ?? 0] as const);
  return { ...measuresOnce(turn), ...Object.fromEntries(parts) };
}

/** @param rowOf returns the row of a measure; null where it has no figure */
export function measureRows<R>(rowOf: (measure: Measure) => R | null): MeasureRows<R> {
  const groups = new Map<MeasureGroup, R[]>();
  const unknown: Measure[] = [];
  for (const measure of MEASURES) {
    const row = rowOf(measure);
    if (row === null) unknown.push(measure);
    else madeOnce(groups, measure.group, () => []).push(row);
  }
  return { groups: [...groups].map(([group, rows]) => ({ group, rows })), unknown };
}

/** @param turns compared with the shown one, which is usually among them */
export function turnMeasureRows(shown: TurnView, turns: readonly TurnView[]) {
  const own = shownMeasures(shown);
  const all = turns.map((turn) => ({ turn: turn.id, measures: measuresOnce(turn) }));
  return measureRows((measure) => {
    const series = turnSeriesOf(all.map(({ turn, measures }) => ({ turn, value: measures[measure.id] })));
    const value = own[measure.id];
    return series.summary === null && value === null ? null : { measure, value, series };
  });
}
