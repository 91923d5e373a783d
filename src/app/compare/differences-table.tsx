import type { TurnView } from '#session/views.ts';
import { CELL, ColumnHead } from '../studio/measures/cells.tsx';
import { MeasuresTable } from '../studio/measures/measures-table.tsx';
import { cx } from '../ui/cx.ts';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { differenceRows } from './difference-rows.ts';
import { type BySide, nameOf, SIDES } from './side.ts';

export function DifferencesTable({ turns }: { turns: BySide<TurnView | null> }) {
  const measures = differenceRows(turns);
  if (measures.groups.length === 0) return null;
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
        cells={({ a, b, difference, verdict, better }) => (
          <>
            <td className={cx(CELL, better === 'a' && 'font-semibold')}>{a}</td>
            <td className={cx(CELL, better === 'b' && 'font-semibold')}>{b}</td>
            <td className={cx(CELL, 'text-text-muted')}>{difference ?? '–'}</td>
            <td className="h-6 border-b border-border pr-4 pl-2 text-12 whitespace-nowrap text-text-muted">
              {verdict ?? (difference === null ? 'unknown for one of them' : 'neither way is better')}
            </td>
          </>
        )}
      />
    </ScrollRegion>
  );
}
