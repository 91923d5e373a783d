import { Download } from 'lucide-react';
import { useState } from 'react';
import type { RecordingInfo } from '#trace/entry.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { later } from '../../ui/later.tsx';
import { recordingName } from '../recording-name.ts';

const ExportDialog = later({ name: 'The export', when: 'shown' }, () =>
  import('./export-dialog.tsx').then((module) => module.ExportDialog),
);

/** Exports a recording of the list; without one, the shown recording. */
export function ExportButton({ recording }: { recording?: RecordingInfo }) {
  const isNone = useRecordings((state) => !recording && state.shown.recording === null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        size="small"
        icon={Download}
        label={recording ? `Export ${recordingName(recording)}` : 'Export'}
        aria-haspopup="dialog"
        disabled={isNone}
        onClick={() => setOpen(true)}
      />
      {open && <Opened recording={recording} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Subscribes to the shown recording, which changes many times a second while it is live. */
function Opened({ recording, onClose }: { recording: RecordingInfo | undefined; onClose: () => void }) {
  const shown = useRecordings((state) => state.shown.recording);
  const exported = recording ?? shown;
  return exported && <ExportDialog recording={exported} onClose={onClose} />;
}
