import { measuresOf } from '#session/measures/turn-measures.ts';
import type { TurnView } from '#session/views.ts';
import { cx } from '../ui/cx.ts';
import { Defined } from '../ui/defined.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import { differenceRows } from './difference-rows.ts';
import { nameOf, type SideId } from './side.ts';

const CELL = 'h-8 px-2 text-right font-mono whitespace-nowrap wide:px-3';
const HEAD = 'h-8 px-2 font-medium whitespace-nowrap text-text-subtle wide:px-3';

/** Every measure of both sides, with the difference and the better side in words. */
export function DifferencesTable({ turns }: { turns: Readonly<Record<SideId, TurnView | null>> }) {
  const rows = differenceRows(turns.a && measuresOf(turns.a), turns.b && measuresOf(turns.b));
  if (rows.length === 0) return null;
  return (
    <ScrollRegion label="Measures of A and B" className="overflow-x-auto">
      <table aria-label="Measures of A and B" className="w-full text-12">
        <thead>
          <tr>
            <th scope="col" className={cx(HEAD, 'text-left')}>
              Measure
            </th>
            <th scope="col" data-voice="1" className={cx(HEAD, 'text-right')}>
              <span className="text-voice">{nameOf('a')}</span>
            </th>
            <th scope="col" data-voice="2" className={cx(HEAD, 'text-right')}>
              <span className="text-voice">{nameOf('b')}</span>
            </th>
            <th scope="col" className={cx(HEAD, 'text-right')}>
              B less A
            </th>
            <th scope="col" className={cx(HEAD, 'text-left')}>
              In words
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ measure, a, b, difference, verdict, better }) => (
            <tr key={measure.id} className="border-t border-border hover:bg-hover">
              <th
                scope="row"
                className="h-8 px-2 text-left font-normal whitespace-nowrap text-text-muted wide:px-3"
              >
                <Defined definition={measure.definition}>{measure.title}</Defined>
              </th>
              <td className={cx(CELL, better === 'a' && 'font-semibold')}>{a}</td>
              <td className={cx(CELL, better === 'b' && 'font-semibold')}>{b}</td>
              <td className={cx(CELL, 'text-text-muted')}>{difference ?? '–'}</td>
              <td className="h-8 px-2 whitespace-nowrap text-text-muted wide:px-3">
                {verdict ?? (difference === null ? 'unknown for one of them' : 'neither way is better')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
