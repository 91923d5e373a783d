import type { Measure } from '#session/measures/definitions.ts';
import { differenceText, measureText } from '#session/measures/measure-text.ts';
import type { TurnMeasures } from '#session/measures/turn-measures.ts';
import { unreportedBy } from '#session/measures/unreported.ts';
import type { TurnView } from '#session/views.ts';
import { type MeasureRows, measureRows, shownMeasures } from '../studio/measures/measure-rows.ts';
import { type BySide, nameOf, SIDES, type SideId } from './side.ts';

export interface DifferenceRow {
  measure: Measure;
  a: string;
  b: string;
  /** B less A, with its sign; null where one of them is unknown. */
  difference: string | null;
  /** The better side and by how much, in words; null where neither way is better or one is unknown. */
  verdict: string | null;
  better: SideId | null;
  /** The sides whose server never reports it. */
  unreported: readonly SideId[];
}

/** Returns a row for every measure that at least one side has, or that neither server reports. */
export function differenceRows(turns: BySide<TurnView | null>): MeasureRows<DifferenceRow> {
  const a = turns.a && shownMeasures(turns.a);
  const b = turns.b && shownMeasures(turns.b);
  return measureRows((measure) => {
    const values = { a: a?.[measure.id] ?? null, b: b?.[measure.id] ?? null };
    const unreported = SIDES.filter((side) => {
      const turn = turns[side];
      return values[side] === null && turn && unreportedBy(turn.endpoint).measures.has(measure.id);
    });
    const hasNone = SIDES.every((side) => values[side] === null);
    if (hasNone && unreported.length < SIDES.length) return null;
    return { ...differenceRow(measure, values.a, values.b), unreported };
  });
}

function differenceRow(
  measure: Measure,
  a: number | null,
  b: number | null,
): Omit<DifferenceRow, 'unreported'> {
  const { better } = measure;
  const row = { measure, a: measureText(measure, a), b: measureText(measure, b) };
  if (a === null || b === null) return { ...row, difference: null, verdict: null, better: null };
  const difference = b - a;
  // Values that read the same have no difference.
  const isSame = row.a === row.b;
  const size = differenceText(measure, isSame ? 0 : difference);
  const sign = difference < 0 ? '−' : '+';
  const shown = isSame ? size : `${sign}${size}`;
  if (better === 'none') return { ...row, difference: shown, verdict: null, better: null };
  if (isSame) return { ...row, difference: shown, verdict: 'the same', better: null };
  const side: SideId = difference < 0 === (better === 'lower') ? 'b' : 'a';
  return { ...row, difference: shown, verdict: `${nameOf(side)} better by ${size}`, better: side };
}

/** Returns a sentence that says which side was heard sooner; null while a wait is unknown. */
export function waitSentence(
  a: Pick<TurnMeasures, 'waitMs'> | null,
  b: Pick<TurnMeasures, 'waitMs'> | null,
): string | null {
  if (a?.waitMs == null || b?.waitMs == null) return null;
  const ms = Math.round(b.waitMs - a.waitMs);
  if (ms === 0) return 'A and B were heard after the same wait.';
  const [sooner, later] = ms > 0 ? ['A', 'B'] : ['B', 'A'];
  return `${sooner} was heard ${Math.abs(ms)} ms sooner than ${later}.`;
}
