import { Download } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { RecordingInfo } from '#recordings/format/record.ts';
import { later } from '../../browser/later.ts';
import { useRecordings } from '../../recordings-client/recordings-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { recordingName } from '../recording-name.ts';

const ExportDialog = later(() => import('./export-dialog.tsx').then((module) => module.ExportDialog));

/** Files of the recording that is shown. */
export function ExportButton() {
  const isNone = useRecordings((state) => state.shown.recording === null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        size="small"
        icon={Download}
        label="Export"
        aria-haspopup="dialog"
        disabled={isNone}
        onClick={() => setOpen(true)}
      />
      {open && <OpenedOfShown onClose={() => setOpen(false)} />}
    </>
  );
}

/** A recording that goes on changes many times a second: of no concern to a button. */
function OpenedOfShown({ onClose }: { onClose: () => void }) {
  const recording = useRecordings((state) => state.shown.recording);
  return recording && <Opened recording={recording} onClose={onClose} />;
}

/** Files of one of the recordings in a list. */
export function ExportIconButton({ recording }: { recording: RecordingInfo }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        size="small"
        icon={Download}
        label={`Export ${recordingName(recording)}`}
        onClick={() => setOpen(true)}
      />
      {open && <Opened recording={recording} onClose={() => setOpen(false)} />}
    </>
  );
}

function Opened({ recording, onClose }: { recording: RecordingInfo; onClose: () => void }) {
  return (
    <Suspense fallback={null}>
      <ExportDialog open onOpenChange={(open) => !open && onClose()} recording={recording} />
    </Suspense>
  );
}
