import { largest } from '#lib/collections/arrays.ts';
import type { PlayedRange } from '#player/played-ranges.ts';
import { type DropReason, type HeardRecord, playedRangesOf } from '#trace/player-entry.ts';
import type { RecordedTurn, TurnFrame } from '#trace/recorded-speech.ts';

/**
 * `heard`: all of it. `hearing`: the part before the playhead. `waiting`: not yet, but it will be unless it is dropped.
 * `cut`: its beginning was heard, the rest dropped. `dropped`: nothing was heard. `late`: it arrived after its turn had
 * been dropped, and was not decoded. `unknown`: the recording does not say, because it ends before, had no player, or
 * comes from another program. `unreadable`: nothing could be decoded.
 */
export type FrameOutcomeKind =
  | 'heard'
  | 'hearing'
  | 'waiting'
  | 'cut'
  | 'dropped'
  | 'late'
  | 'unknown'
  | 'unreadable';

/** The outcome of one audio frame. Samples are counted from the first of its turn. */
export interface FrameOutcome extends TurnFrame {
  turn: number;
  /** In Hz. */
  sampleRate: number;
  /** Received of the turn so far. */
  turnSamples: number;
  kind: FrameOutcomeKind;
  /** In the order of hearing, at ms of the recording; more than one where silence came between. */
  played: readonly PlayedRange[];
  /** The sample from which on the turn was dropped, and why; null where nothing of the frame was. */
  dropped: { sample: number; why: DropReason } | null;
  /** Its samples, with some neighbours on either side. */
  window: { sample: number; samples: Int16Array<ArrayBuffer> };
  /** Words that reach into the window. */
  words: readonly PlacedWord[];
}

/** A word with its place in the turn's audio. */
interface PlacedWord {
  chunk: number;
  /** Its place in the chunk, counted from 0. */
  word: number;
  text: string;
  sample: number;
  count: number;
}

/** The share of the frame that is shown on either side of it. */
const NEIGHBOUR_SHARE = 0.3;
const MIN_NEIGHBOUR_MS = 60;
const MAX_NEIGHBOUR_MS = 500;

/**
 * Returns the outcome of an audio frame of a turn; null for a frame that is not in it.
 * @param index of its entry
 * @param soFar the played ranges of a turn that is being heard now
 * @param isLive the turn can still be heard
 */
export function frameOutcomeOf(
  index: number,
  turn: RecordedTurn,
  soFar: HeardRecord | null,
  isLive: boolean,
): FrameOutcome | null {
  const frame = turn.frames.find((one) => one.index === index);
  if (!frame) return null;
  const { heard, sound, samples } = turn;
  const { audio } = sound;
  const record = heard ?? soFar;
  const ofTurn = record && playedRangesOf(record);
  const played = ofTurn?.within(frame.sample, frame.count) ?? [];
  const kind = kindOf(frame, played, heard, isLive);
  const from = Math.max(frame.sample, ofTurn?.end ?? 0);
  const why = heard?.dropped?.why;
  const isDropped = kind === 'cut' || kind === 'dropped' || kind === 'late';
  const { sample, count } = frame;
  const edge = audio ? neighbourOf(count, audio.sampleRate) : 0;
  const start = Math.max(0, sample - edge);
  const end = Math.min(samples, sample + count + edge);
  return {
    ...frame,
    turn: turn.id,
    sampleRate: audio?.sampleRate ?? 0,
    turnSamples: samples,
    kind,
    played,
    dropped: isDropped && why ? { sample: from, why } : null,
    window: { sample: start, samples: audio?.slice(start, end) ?? new Int16Array() },
    words: wordsOf(turn).filter((word) => word.sample < end && word.sample + word.count > start),
  };
}

function wordsOf({ chunks, sound }: RecordedTurn): readonly PlacedWord[] {
  const { audio } = sound;
  if (!audio) return [];
  return chunks.flatMap(({ id: chunk, words, startSample, samples }) => {
    if (samples === 0) return [];
    const at = (ms: number): number => startSample + Math.round((ms * audio.sampleRate) / 1000);
    return (words ?? []).map(({ word: text, startMs, endMs }, word) => ({
      chunk,
      word,
      text,
      sample: at(startMs),
      count: Math.max(0, at(endMs) - at(startMs)),
    }));
  });
}

function kindOf(
  { sample, count, problem }: TurnFrame,
  played: readonly PlayedRange[],
  record: HeardRecord | null,
  isLive: boolean,
): FrameOutcomeKind {
  if (problem !== null) return 'unreadable';
  if (record?.dropped && sample >= record.samples) return 'late';
  const end = largest(
    played.map((range) => range.sample + range.count),
    0,
  );
  if (count > 0 && end >= sample + count) return 'heard';
  if (record?.dropped) return played.length > 0 ? 'cut' : 'dropped';
  // The frame has less than a whole sample, or the record covers more than its ranges show.
  if (record && sample + count <= record.samples) return 'heard';
  if (!isLive) return 'unknown';
  return played.length > 0 ? 'hearing' : 'waiting';
}

const neighbourOf = (count: number, rate: number): number =>
  Math.round(
    Math.min(
      Math.max(count * NEIGHBOUR_SHARE, (rate / 1000) * MIN_NEIGHBOUR_MS),
      (rate / 1000) * MAX_NEIGHBOUR_MS,
    ),
  );
