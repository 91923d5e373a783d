import { roundedParts } from '#lib/format.ts';
import { MEASURES, type Measure, type MeasureGroup } from '#session/measures/definitions.ts';
import { type Series, seriesOf } from '#session/measures/series.ts';
import { measureOfPart, measuresOf, type TurnMeasures } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';

/** One measure: of the turn in question, and over the last turns. */
export interface MeasureRow {
  measure: Measure;
  value: number | null;
  series: Series;
}

export interface MeasureRows {
  groups: readonly { group: MeasureGroup; rows: readonly MeasureRow[] }[];
  /** Of which none of the turns has a figure. */
  unknown: readonly Measure[];
}

/** So many of the last turns are looked at. */
export const LAST_TURNS = 40;

/** A turn that has not changed has the same figures, so each is worked out once. */
const known = new WeakMap<TurnView, TurnMeasures>();

function measuresOnce(turn: TurnView): TurnMeasures {
  let measures = known.get(turn);
  if (!measures) {
    measures = measuresOf(turn);
    known.set(turn, measures);
  }
  return measures;
}

/** The last turns like that one: of the same endpoint, and of one context or of all (null). */
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

/** In whole ms that add up to the whole, as the strip has them. */
function roundedWait({ wait }: TurnView): Partial<TurnMeasures> {
  if (wait === null) return {};
  const rounded = roundedParts(wait.map(({ ms }) => ms));
  return Object.fromEntries(wait.map(({ name }, at) => [measureOfPart(name), rounded[at] ?? 0]));
}

/** @param turns those to compare with, the shown one mostly among them */
export function measureRows(shown: TurnView, turns: readonly TurnView[]): MeasureRows {
  const own = { ...measuresOnce(shown), ...roundedWait(shown) };
  const all = turns.map((turn) => ({ turn: turn.id, measures: measuresOnce(turn) }));
  const groups = new Map<MeasureGroup, MeasureRow[]>();
  const unknown: Measure[] = [];
  for (const measure of MEASURES) {
    const series = seriesOf(all.map(({ turn, measures }) => ({ turn, value: measures[measure.id] })));
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
