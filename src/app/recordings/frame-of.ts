import type { ShownView } from '#recordings/recordings-view.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { ReplayClient } from '../session-client/replay-client.ts';
import type { Selected } from '../session-client/selection.ts';
import type { SessionClient } from '../session-client/session-client.ts';
import { frameOf } from './selected-frame.ts';

/** The recording of a replay; null for the live one. */
const recordingOf = (client: SessionClient): string | null =>
  client instanceof ReplayClient ? client.view.recording.id : null;

/** Whether the frames of this session are shown, and not those of another. */
export function hasFramesOf(
  client: SessionClient,
  shown: Pick<ShownView, 'recording' | 'isLive'> = recordingsLink.shown,
): boolean {
  const recording = recordingOf(client);
  return recording === null ? shown.isLive : shown.recording?.id === recording;
}

/** Returns the entry in the recording of the session, and shows that recording. */
export function frameOfSession(client: SessionClient, selected: Selected): Promise<number | null> {
  const recording = recordingOf(client);
  if (!hasFramesOf(client)) recordingsLink.order(({ show }) => show(recording));
  return frameOf(selected, client.state.turns.get(selected.turn ?? -1), {
    find: (filter) => recordingsLink.query(({ find }) => find(filter), []),
    frameAt: (turn, sample) => recordingsLink.query(({ frameAt }) => frameAt(turn, sample), null),
    firstNumber: recording === null ? recordingsLink.shown.firstNumber : 0,
  });
}

/** Returns the number of a shown entry in the session, which the other panels use; null in an older recording. */
export function numberOf(client: SessionClient, index: number): number | null {
  if (!hasFramesOf(client)) return null;
  const firstNumber = recordingOf(client) === null ? recordingsLink.shown.firstNumber : 0;
  return firstNumber === null ? null : firstNumber + index;
}
