import { GitCompare } from 'lucide-react';
import { useState } from 'react';
import { counted } from '#lib/format.ts';
import { DEFAULT_TOLERANCE_MS, type Differences } from '#recordings/difference/differences.ts';
import { differenceWords } from '#session/measures/difference-words.ts';
import type { RecordingInfo } from '#trace/entry.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { Button } from '../ui/button.tsx';
import { FieldsTable } from './fields-table.tsx';
import type { BySide } from './side.ts';

/** More rows would slow the page down; the command lists all of them. */
const MAX_ROWS = 500;

/** The differences of two recordings, once they are requested, because both are read whole. */
export function WhatChanged({ a, b }: BySide<Pick<RecordingInfo, 'id' | 'endpoint'> | null>) {
  const [{ words, rows }, setShown] = useState({
    words: '',
    rows: [] as ReturnType<typeof differenceWords>[],
  });
  const show = async () => {
    if (!a || !b) return;
    setShown({ words: 'Both recordings are being read.', rows: [] });
    const found = await recordingsLink.query(({ differences }) => differences(a.id, b.id), null);
    const rows = found?.rows.slice(0, MAX_ROWS).map(differenceWords) ?? [];
    setShown({ words: found ? summaryOf(found) : '', rows });
  };
  const obstacle = !a || !b ? 'It takes two recordings' : a.endpoint === b.endpoint ? null : TWO_ENDPOINTS;
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
        <Button icon={GitCompare} onClick={() => void show()} disabledReason={obstacle}>
          Show differences
        </Button>
      </div>
      <FieldsTable label="Differences of A and B" rows={rows} />
    </section>
  );
}

const TWO_ENDPOINTS = 'These recordings are of two endpoints, whose messages differ.';

const summaryOf = ({ rows, notes }: Differences): string =>
  [
    rows.length === 0 ? 'A and B do not differ.' : `${counted(rows.length, 'difference')}.`,
    ...(rows.length > MAX_ROWS ? [`The first ${MAX_ROWS} are listed.`] : []),
    `Times that are closer than ${DEFAULT_TOLERANCE_MS} ms are equal.`,
    ...notes,
  ].join(' ');
