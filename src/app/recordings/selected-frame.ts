import type { Filter } from '#recordings/view/filter.ts';
import type { TurnView } from '#session/views.ts';
import type { Selected } from '../session-client/selection.ts';

/** Queries of the recordings worker. */
interface FrameFinder {
  find(filter: Filter): Promise<readonly number[]>;
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
