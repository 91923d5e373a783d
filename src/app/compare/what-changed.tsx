import { GitCompare } from 'lucide-react';
import { useEffect, useState } from 'react';
import { counted } from '#lib/format.ts';
import { DEFAULT_TOLERANCE_MS, type Differences } from '#recordings/difference/differences.ts';
import { differenceWords } from '#session/measures/difference-words.ts';
import { recordingName } from '../recordings/recording-name.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import { FieldsTable } from '../studio/measures/fields-table.tsx';
import { Button } from '../ui/button.tsx';
import { TitledField } from '../ui/fields/rows.tsx';
import { Select } from '../ui/select.tsx';
import { type BySide, nameOf, SIDES } from './side.ts';

/** More rows would slow the page down; the command lists all of them. */
const MAX_ROWS = 500;

/** The differences of two recordings: of sessions of this page, of other clients, or of files. */
export function WhatChanged() {
  const list = useRecordings((state) => state.list);
  const [chosen, setChosen] = useState<BySide<string | null>>({ a: null, b: null });
  useEffect(() => recordingsLink.order(({ refresh }) => refresh()), []);
  const recordings = (list ?? []).filter(({ entries }) => entries > 0);
  // The newest, and the one before it of the same endpoint.
  const newest = recordings.find(({ id }) => id === chosen.b) ?? recordings[0];
  const before = recordings.find(({ id, endpoint }) => id !== newest?.id && endpoint === newest?.endpoint);
  const pick = { a: recordings.find(({ id }) => id === chosen.a) ?? before, b: newest };
  const idsOf = `${pick.a?.id} ${pick.b?.id}`;
  const [shown, setShown] = useState({
    of: '',
    words: '',
    rows: [] as ReturnType<typeof differenceWords>[],
  });
  // Both are read whole, so they are read on request.
  const show = async ({ a, b } = pick) => {
    if (!a || !b) return;
    setShown({ of: idsOf, words: 'Both recordings are being read.', rows: [] });
    const found = await recordingsLink.query(({ differences }) => differences(a.id, b.id), null);
    const rows = found?.rows.slice(0, MAX_ROWS).map(differenceWords) ?? [];
    setShown((now) => (now.of === idsOf ? { of: idsOf, words: found ? summaryOf(found) : '', rows } : now));
  };
  const obstacle =
    !pick.a || !pick.b
      ? 'It takes two recordings of one endpoint'
      : pick.a.endpoint === pick.b.endpoint
        ? null
        : 'These recordings are of two endpoints, whose messages differ.';
  const { words, rows } = shown.of === idsOf ? shown : { words: '', rows: [] };
  const hint =
    pick.a && pick.b
      ? (obstacle ?? 'Show differences lists what both sessions sent, received and measured differently.')
      : 'Each visit to the studio is recorded. Speak there and reload the page, or open files under Frames, Recordings.';
  return (
    <section
      aria-label="What changed"
      className="flex flex-col gap-4 rounded-panel border border-border bg-surface p-4"
    >
      <div className="flex flex-col gap-4 wide:flex-row">
        {SIDES.map((side) => (
          <TitledField key={side} title={`Recording ${nameOf(side)}`} className="flex-1">
            <Select
              label={`Recording ${nameOf(side)}`}
              value={pick[side]?.id ?? null}
              onChange={(id) => setChosen({ ...chosen, [side]: id })}
              placeholder="No recording yet"
              options={recordings.map((recording) => ({
                value: recording.id,
                label: recordingName(recording),
                hint: recording.endpoint,
              }))}
            />
          </TitledField>
        ))}
      </div>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <p aria-live="polite" className="flex-1 text-13 text-text-muted max-wide:basis-full">
          {words || hint}
        </p>
        <Button variant="filled" icon={GitCompare} onClick={() => void show()} disabledReason={obstacle}>
          Show differences
        </Button>
      </div>
      <FieldsTable label="Differences of A and B" rows={rows} />
    </section>
  );
}

const summaryOf = ({ rows, notes }: Differences): string =>
  [
    rows.length === 0 ? 'A and B do not differ.' : `${counted(rows.length, 'difference')}.`,
    ...(rows.length > MAX_ROWS ? [`The first ${MAX_ROWS} are listed.`] : []),
    `Times that are closer than ${DEFAULT_TOLERANCE_MS} ms are equal.`,
    ...notes,
  ].join(' ');
