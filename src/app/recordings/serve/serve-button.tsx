import { RadioTower } from 'lucide-react';
import { useState } from 'react';
import type { StoredRecording } from '#recordings/store/database.ts';
import { HAS_LOCAL_SERVER, NO_LOCAL_SERVER } from '../../browser/local-server.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { later } from '../../ui/later.tsx';
import { recordingName } from '../recording-name.ts';

const ServeDialog = later({ name: 'The form that serves a recording', when: 'shown' }, () =>
  import('./serve-dialog.tsx').then((module) => module.ServeDialog),
);

/** @param onSpeak the page speaks to the recording from now on */
export function ServeButton({ recording, onSpeak }: { recording: StoredRecording; onSpeak: () => void }) {
  const [open, setOpen] = useState(false);
  const isServed = useSettings(({ served }) => served.some((one) => one.recording === recording.id));
  const name = recordingName(recording);
  return (
    <>
      <IconButton
        size="small"
        icon={RadioTower}
        label={HAS_LOCAL_SERVER ? `Serve ${name}` : `Serve ${name}: ${NO_LOCAL_SERVER}`}
        aria-haspopup="dialog"
        aria-pressed={isServed}
        disabled={!HAS_LOCAL_SERVER}
        onClick={() => setOpen(true)}
      />
      {open && <ServeDialog recording={recording} onClose={() => setOpen(false)} onSpeak={onSpeak} />}
    </>
  );
}
