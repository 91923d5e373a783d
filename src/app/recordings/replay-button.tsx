import { Rewind } from 'lucide-react';
import type { RecordingInfo } from '#recordings/format/record.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import { useSession, useStudioSessions } from '../session-client/provider.tsx';
import { selectBusy } from '../session-client/session-state.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { recordingName } from './recording-name.ts';
import { replayObstacle, startReplay } from './start-replay.ts';

/** A replay that goes on may be left for another at any time. */
function useIsBusy(): boolean {
  const isReplay = useSession(({ replay }) => replay !== null);
  const isBusy = useSession(selectBusy);
  return isBusy && !isReplay;
}

/** Replays the recording that is shown. */
export function ReplayButton() {
  const sessions = useStudioSessions();
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
        if (recording) startReplay(sessions, recording);
      }}
    >
      <span className="@max-[960px]:sr-only">Replay</span>
    </Button>
  );
}

/** Replays a recording of the list, then calls `onReplay`. */
export function ReplayIcon({ recording, onReplay }: { recording: RecordingInfo; onReplay: () => void }) {
  const sessions = useStudioSessions();
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
        startReplay(sessions, recording);
        onReplay();
      }}
    />
  );
}
