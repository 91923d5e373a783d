import { Rewind } from 'lucide-react';
import { ENDPOINTS } from '#protocol/registry.ts';
import type { RecordingInfo } from '#trace/entry.ts';
import { restApiOf } from '#trace/rest-calls.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { useRecordings } from '../recordings-client/recordings-store.ts';
import { useSessionNow, useStudioSessions } from '../session-client/provider.tsx';
import { selectBusy } from '../session-client/session-state.ts';
import type { StudioSessions } from '../session-client/studio-sessions.ts';
import { Button } from '../ui/button.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { recordingName, replayedRecording } from './recording-name.ts';

/** Whether the live session is busy. Another replay may start during a replay. */
export function useIsBusy(): boolean {
  const isReplay = useSessionNow(({ replay }) => replay !== null);
  const isBusy = useSessionNow(selectBusy);
  return isBusy && !isReplay;
}

export function ReplayButton() {
  const sessions = useStudioSessions();
  const isBusy = useIsBusy();
  // Selects the obstacle alone, because a live recording changes many times a second.
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
      <span className="@max-[480px]:sr-only">Replay</span>
    </Button>
  );
}

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

export const BUSY = 'Something is being spoken: wait for its end, or cancel it.';

/** Returns why a recording cannot be replayed now; null where it can. */
export function replayObstacle(
  recording: Pick<RecordingInfo, 'endpoint' | 'entries'> | null,
  isBusy: boolean,
): string | null {
  if (!recording || recording.entries === 0) return 'Nothing has been recorded yet.';
  if (restApiOf(recording.endpoint)) return 'It holds REST calls, which have no session to replay.';
  if (!ENDPOINTS.some(({ id }) => id === recording.endpoint)) {
    return 'It was recorded on an endpoint that this page does not know.';
  }
  return isBusy ? BUSY : null;
}

/** Replays a recording in place of the live session. Needs a gesture. */
function startReplay(sessions: StudioSessions, recording: RecordingInfo): void {
  sessions.openReplay(replayedRecording(recording), recordingsLink.serve(recording.id));
}
