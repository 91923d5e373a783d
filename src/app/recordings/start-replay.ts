import { ENDPOINTS } from '#protocol/registry.ts';
import type { RecordingInfo } from '#recordings/format/record.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import type { StudioSessions } from '../session-client/studio-sessions.ts';
import { recordingName } from './recording-name.ts';

/** Why a recording cannot be replayed now; null where it can. */
export function replayObstacle(
  recording: Pick<RecordingInfo, 'endpoint' | 'entries'> | null,
  isBusy: boolean,
): string | null {
  if (!recording || recording.entries === 0) return 'Nothing has been recorded yet.';
  if (!ENDPOINTS.some(({ id }) => id === recording.endpoint)) {
    return 'It was recorded on an endpoint that this page does not know.';
  }
  return isBusy ? 'Something is being spoken: wait for its end, or cancel it.' : null;
}

/** Replays a recording in place of the live session. Needs a gesture. */
export function startReplay(sessions: StudioSessions, recording: RecordingInfo): void {
  const { id, endpoint, address, durationUs } = recording;
  sessions.openReplay(
    { id, name: recordingName(recording), endpoint, address, durationUs },
    recordingsLink.serve(id),
  );
}
