import { roundedParts } from '#lib/format.ts';
import { MEASURES, type Measure, type MeasureGroup } from '#session/measures/definitions.ts';
import { type TurnSeries, turnSeriesOf } from '#session/measures/series.ts';
import { measureOfPart, measuresOf, type TurnMeasures } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';

/** One measure: of the shown turn, and over the last turns. */
export interface TurnMeasureRow {
  measure: Measure;
  value: number | null;
  series: TurnSeries;
}

export interface TurnMeasureRows {
  groups: readonly { group: MeasureGroup; rows: readonly TurnMeasureRow[] }[];
  /** Measures of which no turn has a figure. */
  unknown: readonly Measure[];
}

/** Turns that a row sums up at most. */
export const LAST_TURNS = 40;

/** Views are immutable, so a turn's measures are computed once for each view. */
const known = new WeakMap<TurnView, TurnMeasures>();

function measuresOnce(turn: TurnView): TurnMeasures {
  let measures = known.get(turn);
  if (!measures) {
    measures = measuresOf(turn);
    known.set(turn, measures);
  }
  return measures;
}

/** Returns the last turns of the same endpoint, of one context or of all (null). */
export function lastTurns(
  turns: readonly TurnView[],
  { endpoint }: Pick<TurnView, 'endpoint'>,
  context: string | null,
): TurnView[] {
  const last: TurnView[] = [];
  for (let at = turns.length - 1; at >= 0 && last.length < LAST_TURNS; at -= 1) {
    const turn = turns[at];
    if (!turn || turn.endpoint !== endpoint) continue;
    if (context === null || turn.context === context) last.push(turn);
  }
  return last.reverse();
}

/** Parts of the wait in whole ms that add up to the rounded whole, as the wait strip shows them. */
function roundedWait({ wait }: TurnView): Partial<TurnMeasures> {
  if (wait === null) return {};
  const rounded = roundedParts(wait.map(({ ms }) => ms));
  return Object.fromEntries(wait.map(({ name }, at) => [measureOfPart(name), rounded[at] ?? 0]));
}

/** @param turns compared with the shown one, which is usually among them */
export function turnMeasureRows(shown: TurnView, turns: readonly TurnView[]): TurnMeasureRows {
  const own = { ...measuresOnce(shown), ...roundedWait(shown) };
  const all = turns.map((turn) => ({ turn: turn.id, measures: measuresOnce(turn) }));
  const groups = new Map<MeasureGroup, TurnMeasureRow[]>();
  const unknown: Measure[] = [];
  for (const measure of MEASURES) {
    const series = turnSeriesOf(all.map(({ turn, measures }) => ({ turn, value: measures[measure.id] })));
    const value = own[measure.id];
    if (series.summary === null && value === null) {
      unknown.push(measure);
      continue;
    }
    const rows = groups.get(measure.group) ?? [];
    rows.push({ measure, value, series });
    groups.set(measure.group, rows);
  }
  return { groups: [...groups].map(([group, rows]) => ({ group, rows })), unknown };
}
