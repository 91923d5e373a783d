import type { StoredRecording } from '#recordings/store/database.ts';
import type { ReplayedRecording } from '#session/replay/replay-view.ts';
import type { RecordingInfo } from '#trace/entry.ts';

/** Returns the user's name of the recording, or its start time, and which part of a long session it is. */
export const recordingName = ({
  name,
  startedAtMs,
  part,
}: Pick<StoredRecording, 'name' | 'startedAtMs' | 'part'>): string =>
  (name.trim() === '' ? startOf(startedAtMs) : name) + (part === undefined ? '' : `, part ${part}`);

/** Returns the part of a recording that a replay needs. */
export function replayedRecording(recording: RecordingInfo): ReplayedRecording {
  const { id, endpoint, address, durationUs } = recording;
  return { id, name: recordingName(recording), endpoint, address, durationUs };
}

/** `21 Nov 2026, 13:02:23` in local time. */
export const startOf = (startedAtMs: number): string =>
  new Date(startedAtMs).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
