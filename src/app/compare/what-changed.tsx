import { GitCompare } from 'lucide-react';
import { useEffect, useState } from 'react';
import { counted } from '#lib/format.ts';
import type { RecordingInfo } from '#record/record.ts';
import { DEFAULT_TOLERANCE_MS, type FirstDifferences } from '#recordings/difference/differences.ts';
import { differenceWords } from '#session/measures/difference-words.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { CELL, ColumnHead, FirstHead, RowHead } from '../studio/measures/cells.tsx';
import { Button } from '../ui/button.tsx';
import { ScrollRegion } from '../ui/scroll-region.tsx';
import type { BySide } from './side.ts';

type Compared = Pick<RecordingInfo, 'id' | 'endpoint'>;

/** The differences of two recordings, once they are requested, because both are read whole. */
export function WhatChanged({ a, b }: BySide<Compared | null>) {
  const [isWanted, setWanted] = useState(false);
  const [found, setFound] = useState<FirstDifferences | null>(null);
  const [idA, idB] = [a?.id, b?.id];
  useEffect(() => {
    if (!isWanted || idA === undefined || idB === undefined) return;
    const abort = new AbortController();
    const unlessAborted = (error: unknown): null => {
      if (abort.signal.aborted) return null;
      throw error;
    };
    recordingsLink
      .query(({ differences }) => differences(idA, idB, abort.signal).catch(unlessAborted), null)
      .then((answer) => {
        if (abort.signal.aborted) return;
        setWanted(false);
        setFound(answer);
      });
    return () => abort.abort();
  }, [isWanted, idA, idB]);
  const obstacle = !a || !b ? 'It takes two recordings' : a.endpoint === b.endpoint ? null : TWO_ENDPOINTS;
  return (
    <section
      aria-label="What changed"
      className="flex flex-col gap-3 rounded-panel border border-border bg-surface p-4"
    >
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <h3 className="text-14 font-semibold">What changed</h3>
        <p aria-live="polite" className="flex-1 text-13 text-text-muted">
          {isWanted ? 'Both recordings are read.' : found && summaryOf(found)}
        </p>
        <Button
          icon={GitCompare}
          onClick={() => setWanted(true)}
          disabledReason={isWanted ? 'Both recordings are read.' : obstacle}
        >
          Show differences
        </Button>
      </div>
      {found && found.rows.length > 0 && <Rows {...found} />}
    </section>
  );
}

const TWO_ENDPOINTS = 'These recordings are of two endpoints, whose messages differ.';

const summaryOf = ({ of, rows, notes }: FirstDifferences): string =>
  [
    of === 0 ? 'A and B do not differ.' : `${counted(of, 'difference')}.`,
    ...(of > rows.length ? [`The first ${rows.length} are listed.`] : []),
    `Times that are closer than ${DEFAULT_TOLERANCE_MS} ms are equal.`,
    ...notes,
  ].join(' ');

const Rows = ({ rows }: FirstDifferences) => (
  <ScrollRegion label="Differences of A and B" className="max-h-96 overflow-auto">
    <table aria-label="Differences of A and B" className="w-full border-separate border-spacing-0">
      <thead>
        <tr>
          <FirstHead>place</FirstHead>
          {['kind', 'what', 'change', 'A', 'B'].map((head) => (
            <ColumnHead key={head} className="text-left">
              {head}
            </ColumnHead>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const { what, change, a, b } = differenceWords(row);
          return (
            <tr key={`${row.place} ${row.what}`}>
              <RowHead className="font-normal whitespace-nowrap">{row.place}</RowHead>
              {[row.kind, what, change, a, b].map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns do not move
                <td key={at} className={`${CELL} text-left`}>
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
