import { useState, useSyncExternalStore } from 'react';
import { milliseconds, seconds } from '#lib/format.ts';
import type { Problem } from '#session/views.ts';
import type { TimelineState } from '../../session-client/timeline/timeline-state.ts';
import { Button } from '../../ui/button.tsx';
import { ScrollRegion } from '../../ui/scroll-region.tsx';
import type { TimelineSpeaker } from './geometry/figures.ts';
import { tableRows } from './geometry/table-rows.ts';

interface TimelineTableProps {
  rows: readonly TimelineSpeaker[];
  state: TimelineState;
  originMs: number;
  problems: readonly Problem[];
}

const STEP = 200;
const CELL = 'border-b border-border px-2 text-right font-mono text-12 whitespace-nowrap';
const HEAD = 'sticky top-0 z-1 border-b border-border bg-surface px-2 text-12 font-normal text-text-subtle';

const COLUMNS = [
  ['speaker', 'pl-5 text-left'],
  ['what', 'text-left'],
  ['from', 'text-right'],
  ['to', 'text-right'],
  ['length', 'text-right'],
  ['detail', 'pr-5 text-left'],
] as const;

const at = (ms: number | null, originMs: number): string =>
  ms === null ? '–' : seconds((ms - originMs) / 1000);

/** Begins the view at a row, below the head. */
const intoView = (row: HTMLElement | null): void => row?.scrollIntoView({ block: 'start' });

export function TimelineTable({ rows, state, originMs, problems }: TimelineTableProps) {
  const [most, setMost] = useState(STEP);
  const { lanes, marks } = state;
  useSyncExternalStore(lanes.subscribe, () => lanes.revision);
  const all = tableRows(rows, { lanes, marks, problems }, most);
  // Later turns move nothing.
  const [firstKey] = useState(
    () => all.rows.find(({ fromMs }) => fromMs !== null && fromMs >= originMs)?.key ?? null,
  );
  return (
    <ScrollRegion label="Timeline rows" className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]">
      {all.hasMore && (
        <Button variant="ghost" size="small" className="m-2" onClick={() => setMost(most + STEP)}>
          Show earlier
        </Button>
      )}
      <table aria-label="Timeline" className="w-full border-separate border-spacing-0">
        <thead>
          <tr className="h-7">
            {COLUMNS.map(([name, look]) => (
              <th key={name} scope="col" className={`${HEAD} ${look}`}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {all.rows.map((row) => (
            <tr
              key={row.key}
              ref={row.key === firstKey ? intoView : null}
              className="h-6 scroll-mt-7 hover:bg-hover"
              data-voice={row.hue ?? undefined}
            >
              <th
                scope="row"
                className="border-b border-border px-2 pl-5 text-left text-12 font-medium whitespace-nowrap text-text-muted in-data-voice:text-voice"
              >
                {row.speaker}
              </th>
              <td className="border-b border-border px-2 text-12 whitespace-nowrap">{row.what}</td>
              <td className={CELL}>{at(row.fromMs, originMs)}</td>
              <td className={CELL}>{at(row.toMs, originMs)}</td>
              <td className={CELL}>{row.toMs === null ? '–' : milliseconds(row.toMs - row.fromMs)}</td>
              <td
                className="max-w-0 w-2/5 min-w-36 truncate border-b border-border px-2 pr-5 text-12"
                title={row.detail}
              >
                {row.detail}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
