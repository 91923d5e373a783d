import { ENDPOINTS } from '#protocol/registry.ts';
import type { RecordingInfo } from '#recordings/format/record.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { sessionLink } from '../session-client/session-link.ts';
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

/** From a gesture: the recording takes the place of the live session, and is heard. */
export function startReplay(recording: RecordingInfo): void {
  const { id, endpoint, address, durationUs } = recording;
  sessionLink.openReplay(
    { id, name: recordingName(recording), endpoint, address, durationUs },
    recordingsLink.serve(id),
  );
}
