import { Rewind } from 'lucide-react';
import type { RecordingInfo } from '#recordings/format/record.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import { useReplay } from '../session-client/replay-store.ts';
import { selectBusy, useSession } from '../session-client/session-store.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { recordingName } from './recording-name.ts';
import { replayObstacle, startReplay } from './start-replay.ts';

/** A replay that goes on may be left for another at any time. */
function useIsBusy(): boolean {
  const isReplay = useReplay(({ replay }) => replay !== null);
  const isBusy = useSession(selectBusy);
  return isBusy && !isReplay;
}

/** Replays the recording that is shown. */
export function ReplayButton() {
  const isBusy = useIsBusy();
  // Only what is wrong with it: a recording that goes on changes many times a second.
  const obstacle = useRecordings((state) => replayObstacle(state.shown.recording, isBusy));
  return (
    <Button
      variant="ghost"
      size="small"
      icon={Rewind}
      disabledReason={obstacle}
      onClick={() => {
        const { recording } = useRecordings.getState().shown;
        if (recording) startReplay(recording);
      }}
    >
      <span className="@max-[960px]:sr-only">Replay</span>
    </Button>
  );
}

/** Replays a recording of the list; `onReplay` is told behind it. */
export function ReplayIcon({ recording, onReplay }: { recording: RecordingInfo; onReplay: () => void }) {
  const obstacle = replayObstacle(recording, useIsBusy());
  const name = recordingName(recording);
  return (
    <IconButton
      size="small"
      icon={Rewind}
      label={obstacle === null ? `Replay ${name}` : `Replay ${name}: ${obstacle}`}
      aria-disabled={obstacle !== null || undefined}
      className="aria-disabled:opacity-40"
      onClick={() => {
        if (obstacle !== null) return;
        startReplay(recording);
        onReplay();
      }}
    />
  );
}
