import { GitCompare } from 'lucide-react';
import { useState } from 'react';
import { counted } from '#lib/format.ts';
import type { RecordingInfo } from '#record/record.ts';
import { DEFAULT_TOLERANCE_MS, type FirstDifferences } from '#recordings/difference/differences.ts';
import { DIFFERENCE_COLUMNS, differenceWords } from '#session/measures/difference-words.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { CELL, ColumnHead, FirstHead, RowHead } from '../studio/measures/cells.tsx';
import { Button } from '../ui/button.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import type { BySide } from './side.ts';

/** The differences of two recordings, once they are requested, because both are read whole. */
export function WhatChanged({ a, b }: BySide<Pick<RecordingInfo, 'id' | 'endpoint'> | null>) {
  const [found, setFound] = useState<FirstDifferences | 'reading' | null>(null);
  const show = async () => {
    if (!a || !b) return;
    setFound('reading');
    setFound(await recordingsLink.query(({ differences }) => differences(a.id, b.id), null));
  };
  const obstacle = !a || !b ? 'It takes two recordings' : a.endpoint === b.endpoint ? null : TWO_ENDPOINTS;
  const words = found === 'reading' ? READING : found && summaryOf(found);
  return (
    <section
      aria-label="What changed"
      className="flex flex-col gap-3 rounded-panel border border-border bg-surface p-4"
    >
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <h3 className="text-14 font-semibold">What changed</h3>
        <p aria-live="polite" className="flex-1 text-13 text-text-muted">
          {words}
        </p>
        <Button
          icon={GitCompare}
          onClick={() => void show()}
          disabledReason={found === 'reading' ? READING : obstacle}
        >
          Show differences
        </Button>
      </div>
      {found && found !== 'reading' && found.rows.length > 0 && <DifferencesOfRecordings {...found} />}
    </section>
  );
}

const READING = 'Both recordings are being read.';
const TWO_ENDPOINTS = 'These recordings are of two endpoints, whose messages differ.';

const summaryOf = ({ of, rows, notes }: FirstDifferences): string =>
  [
    of === 0 ? 'A and B do not differ.' : `${counted(of, 'difference')}.`,
    ...(of > rows.length ? [`The first ${rows.length} are listed.`] : []),
    `Times that are closer than ${DEFAULT_TOLERANCE_MS} ms are equal.`,
    ...notes,
  ].join(' ');

const DifferencesOfRecordings = ({ rows }: FirstDifferences) => (
  <ScrollRegion label="Differences of A and B" className="max-h-96 overflow-auto">
    <table aria-label="Differences of A and B" className="w-full border-separate border-spacing-0">
      <thead>
        <tr>
          <FirstHead>{DIFFERENCE_COLUMNS[0]}</FirstHead>
          {DIFFERENCE_COLUMNS.slice(1).map((head) => (
            <ColumnHead key={head} className="text-left">
              {head}
            </ColumnHead>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const { place, ...cells } = differenceWords(row);
          return (
            <tr key={`${place} ${row.what}`}>
              <RowHead className="font-normal whitespace-nowrap">{place}</RowHead>
              {Object.entries(cells).map(([name, cell]) => (
                <td key={name} className={`${CELL} text-left`}>
                  {cell}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  </ScrollRegion>
);
