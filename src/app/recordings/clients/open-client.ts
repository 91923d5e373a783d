import { ENDPOINTS } from '#protocol/registry.ts';
import { recordingsLink } from '../../recordings-client/recordings-link.ts';
import type { StudioSessions } from '../../session-client/studio-sessions.ts';
import { showPanel } from '../../stores/view-store.ts';
import { replayedRecording } from '../recording-name.ts';

/** Shows a client's frames, and its session in place of the live one where this page has followed it from the start. */
export async function openClient(sessions: StudioSessions, client: string): Promise<void> {
  const opened = await recordingsLink.query((calls) => calls.openClient(client), null);
  if (!opened) return;
  const { recording, follows } = opened;
  const { id, endpoint } = recording;
  recordingsLink.order(({ show }) => show(id));
  if (!follows || !ENDPOINTS.some((one) => one.id === endpoint)) {
    // Only the frames panel shows a recording that is not replayed.
    showPanel('frames');
    return;
  }
  sessions.openReplay({ ...replayedRecording(recording), follows }, recordingsLink.serve(id, follows));
}
