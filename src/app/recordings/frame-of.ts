import type { ShownView } from '#recordings/messages.ts';
import type { Filter } from '#recordings/view/filter.ts';
import type { TurnView } from '#session/views.ts';
import { recordingsLink } from '../recordings-client/recordings-link.ts';
import { ReplayClient } from '../session-client/replay-client.ts';
import type { Selected } from '../session-client/selection.ts';
import type { SessionClient } from '../session-client/session-client.ts';

/** Queries of the recordings worker. */
export interface FrameFinder {
  find(filter: Filter): Promise<Uint32Array>;
  frameAt(turn: number, sample: number): Promise<number | null>;
  /** Number of its first entry in the session; null for a recording of another session. */
  firstNumber: number | null;
}

/**
 * Returns the entry of a selection: the first audio frame of a word or chunk, the first frame of a turn, the player's
 * entry of an underrun. Null where the recording has none.
 * @param turn undefined for a turn of another session
 */
export async function frameOf(
  selected: Selected,
  turn: TurnView | undefined,
  { find, frameAt, firstNumber }: FrameFinder,
): Promise<number | null> {
  switch (selected.kind) {
    case 'frame': {
      const { frame } = selected;
      // An earlier frame is in another recording, or was deleted.
      return frame === null || firstNumber === null || frame < firstNumber ? null : frame - firstNumber;
    }
    case 'turn':
      return (await find({ turns: [selected.turn] }))[0] ?? null;
    case 'underrun': {
      const underruns = await find({ turns: [selected.turn], kinds: ['underrun'], directions: ['player'] });
      return underruns[selected.underrun] ?? null;
    }
    case 'chunk':
      return firstAudioOf(selected.turn, selected.chunk, find);
    case 'word': {
      const chunk = turn?.chunks.find(({ id }) => id === selected.chunk);
      const word = chunk?.words?.[selected.word];
      const samplesPerMs = (turn?.sampleRate ?? 0) / 1000;
      const found =
        chunk && word
          ? await frameAt(selected.turn, chunk.startSample + Math.round(word.startMs * samplesPerMs))
          : null;
      return found ?? firstAudioOf(selected.turn, selected.chunk, find);
    }
  }
}

async function firstAudioOf(turn: number, chunk: number, find: FrameFinder['find']): Promise<number | null> {
  const all = { turns: [turn], chunks: [chunk], directions: ['in'] as const };
  const [audio] = await find({ ...all, kinds: ['audio'] });
  return audio ?? (await find(all))[0] ?? null;
}

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
    find: (filter) => recordingsLink.find(filter),
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
