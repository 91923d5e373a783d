import { endpointOf } from '#protocol/registry.ts';
import type { TurnView } from '#session/views.ts';
import { CELL, ColumnHead } from '../studio/measures/cells.tsx';
import { MeasuresTable } from '../studio/measures/measures-table.tsx';
import { NotReported, NotReportedNote } from '../studio/measures/not-reported.tsx';
import { cx } from '../ui/cx.ts';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { type DifferenceRow, differenceRows } from './difference-rows.ts';
import { type BySide, nameOf, SIDES, type SideId } from './side.ts';

export function DifferencesTable({ turns }: { turns: BySide<TurnView | null> }) {
  const measures = differenceRows(turns);
  if (measures.groups.length === 0) return null;
  const titleOf = (side: SideId): string => endpointOf(turns[side]?.endpoint ?? null).title;
  const cell = (row: DifferenceRow, side: SideId) => (
    <td className={cx(CELL, row.better === side && 'font-semibold')}>
      {row.unreported.includes(side) ? <NotReported by={titleOf(side)} /> : row[side]}
    </td>
  );
  return (
    <ScrollRegion label="Measures of A and B" className="@container overflow-x-auto">
      <MeasuresTable
        label="Measures of A and B"
        measures={measures}
        columns={5}
        head={
          <>
            {SIDES.map((side, at) => (
              <ColumnHead key={side} hue={at + 1}>
                <span className="text-voice">{nameOf(side)}</span>
              </ColumnHead>
            ))}
            <ColumnHead>B less A</ColumnHead>
            <ColumnHead className="text-left">in words</ColumnHead>
          </>
        }
        cells={(row) => (
          <>
            {cell(row, 'a')}
            {cell(row, 'b')}
            <td className={cx(CELL, 'text-text-muted')}>{row.difference ?? '–'}</td>
            <td className="h-6 border-b border-border pr-4 pl-2 text-12 whitespace-nowrap text-text-muted">
              {row.verdict ?? noVerdict(row)}
            </td>
          </>
        )}
      />
      <NotReportedNote endpoints={SIDES.flatMap((side) => turns[side]?.endpoint ?? [])} />
    </ScrollRegion>
  );
}

function noVerdict({ difference, unreported }: DifferenceRow): string {
  const [side] = unreported;
  if (difference !== null) return 'neither way is better';
  if (!side) return 'unknown for one of them';
  return unreported.length > 1 ? 'reported by neither' : `not reported by ${nameOf(side)}`;
}
