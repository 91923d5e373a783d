import type { DropReason, HeardRecord } from '../format/player-entry.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import type { TracedFrame, TracedWord, TurnTrace } from './turn-trace.ts';

/**
 * `heard`: all of it. `hearing`: what is before the play head. `waiting`: it will be, unless something comes between.
 * `cut`: its beginning, then it was dropped. `dropped`: nothing of it. `late`: it came when its turn had been dropped
 * already, and was not even taken. `unknown`: the recording does not say; it ends before, had no player, or is of
 * another making. `unreadable`: nothing could be decoded of it.
 */
export type Fate = 'heard' | 'hearing' | 'waiting' | 'cut' | 'dropped' | 'late' | 'unknown' | 'unreadable';

/** A stretch of samples of the turn and when it left the speakers, in microseconds of the recording. */
export interface HeardStretch {
  sample: number;
  count: number;
  fromUs: number;
  toUs: number;
}

/** What became of the samples in one audio frame. Samples are counted from the first of its turn. */
export interface Became {
  index: number;
  turn: number;
  chunk: number | null;
  /** In Hz. */
  sampleRate: number;
  sample: number;
  count: number;
  /** Of the turn, so far. */
  turnSamples: number;
  receivedUs: number;
  fate: Fate;
  /** In the order of hearing; more than one where silence came between. */
  heard: readonly HeardStretch[];
  /** From which sample on it was dropped, and why; null where nothing was. */
  dropped: { sample: number; why: DropReason } | null;
  /** Why nothing could be decoded. */
  problem: string | null;
  /** Its sound with some of what comes before and behind it in the turn. */
  window: { sample: number; samples: Int16Array<ArrayBuffer> };
  /** Words that reach into the window. */
  words: readonly TracedWord[];
}

/** How much is shown on either side of the frame. */
const NEIGHBOUR_SHARE = 0.3;
const MIN_NEIGHBOUR_MS = 60;
const MAX_NEIGHBOUR_MS = 500;

/**
 * @param soFar what has been heard of a turn that is being heard now
 * @param isLive it can still be heard
 */
export function becameOf(
  index: number,
  trace: TurnTrace,
  frames: FrameIndex,
  soFar: HeardRecord | null,
  isLive: boolean,
): Became | null {
  const frame = trace.frame(index);
  const rate = trace.sampleRate;
  if (!frame) return null;
  const record = trace.heard ?? soFar;
  const heard = rate === null || !record ? [] : stretchesOf(frame, record, rate);
  const fate = fateOf(frame, heard, trace.heard, isLive);
  const from = Math.max(
    frame.sample,
    record?.spans.reduce((end, span) => Math.max(end, span.sample + span.count), 0) ?? 0,
  );
  const why = trace.heard?.dropped?.why;
  const isDropped = fate === 'cut' || fate === 'dropped' || fate === 'late';
  const { sample, count } = frame;
  const edge = rate === null ? 0 : neighbourOf(count, rate);
  const start = Math.max(0, sample - edge);
  const end = Math.min(trace.samples, sample + count + edge);
  return {
    index,
    turn: trace.turn,
    chunk: frame.chunk,
    sampleRate: rate ?? 0,
    sample,
    count,
    turnSamples: trace.samples,
    receivedUs: frames.atUs(index),
    fate,
    heard,
    dropped: isDropped && why ? { sample: from, why } : null,
    problem: frame.problem,
    window: { sample: start, samples: trace.slice(start, end) },
    words: trace.words.filter((word) => word.sample < end && word.sample + word.count > start),
  };
}

function fateOf(
  { sample, count, problem }: TracedFrame,
  heard: readonly HeardStretch[],
  record: HeardRecord | null,
  isLive: boolean,
): Fate {
  if (problem !== null) return 'unreadable';
  if (record?.dropped && sample >= record.samples) return 'late';
  const end = Math.max(0, ...heard.map((stretch) => stretch.sample + stretch.count));
  if (count > 0 && end >= sample + count) return 'heard';
  if (record?.dropped) return heard.length > 0 ? 'cut' : 'dropped';
  // Less than a sample of its own, or more than the record knows of.
  if (record && sample + count <= record.samples) return 'heard';
  if (!isLive) return 'unknown';
  return heard.length > 0 ? 'hearing' : 'waiting';
}

function stretchesOf({ sample, count }: TracedFrame, { spans }: HeardRecord, rate: number): HeardStretch[] {
  return spans.flatMap((span) => {
    const from = Math.max(sample, span.sample);
    const to = Math.min(sample + count, span.sample + span.count);
    if (from >= to) return [];
    const at = (place: number): number => Math.round(span.atUs + ((place - span.sample) / rate) * 1e6);
    return [{ sample: from, count: to - from, fromUs: at(from), toUs: at(to) }];
  });
}

const neighbourOf = (count: number, rate: number): number =>
  Math.round(
    Math.min(
      Math.max(count * NEIGHBOUR_SHARE, (rate / 1000) * MIN_NEIGHBOUR_MS),
      (rate / 1000) * MAX_NEIGHBOUR_MS,
    ),
  );
