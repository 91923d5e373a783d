import type { FoundFinding } from '#recordings/view/check-view.ts';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { ChunkView, Mark, TurnView } from '#session/views.ts';
import { LaneStore } from '../../../session-client/timeline/lane-store.ts';
import { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import { TurnLanes } from '../../../session-client/timeline/turn-lanes.ts';
import { displayList, type TimelineView } from '../geometry/display-list.ts';
import { stackedBlocks } from '../geometry/lane-shape.ts';

/** One sample is one ms, to keep figures readable. */
const RATE = 1000;

/**
 * A turn of 1000 ms of audio whose first text was sent at 0. It has two chunks and is heard from 400 on, with an underrun
 * of 100 ms after the first chunk.
 */
export const twoChunks = (rest: Partial<TurnView> = {}): TurnView =>
  turnView({
    id: 1,
    state: 'ended',
    text: 'One two. Three.',
    textFrames: 2,
    firstTextMs: 0,
    flushedMs: 100,
    endedMs: 900,
    sampleRate: RATE,
    samples: 1000,
    audioFrames: 4,
    heardFromMs: 400,
    heardToMs: 1500,
    played: [
      { sample: 0, count: 600, atMs: 400 },
      { sample: 600, count: 400, atMs: 1100 },
    ],
    underruns: [{ atMs: 1000, atSample: 600, lengthMs: 100 }],
    wait: [
      { name: 'server', ms: 150 },
      { name: 'firstAudioFrame', ms: 50 },
      { name: 'firstSample', ms: 200 },
    ],
    repeatable: true,
    chunks: [
      chunkView({
        id: 0,
        text: 'One two.',
        words: [
          { word: 'One', startMs: 0, endMs: 200, charStart: 0, charEnd: 3 },
          { word: 'two', startMs: 300, endMs: 500, charStart: 4, charEnd: 7 },
        ],
        startedMs: 150,
        firstAudioMs: 200,
        lastAudioMs: 300,
        completedMs: 350,
        heardFromMs: 400,
        heardToMs: 1000,
        audioFrames: 2,
        samples: 600,
      }),
      chunkView({
        id: 1,
        text: 'Three.',
        startedMs: 700,
        firstAudioMs: 1000,
        lastAudioMs: 1080,
        completedMs: 1090,
        heardFromMs: 1100,
        heardToMs: 1500,
        audioFrames: 2,
        startSample: 600,
        samples: 400,
      }),
    ],
    ...rest,
  });

const mark = (kind: Mark['kind'], atMs: number, amount: number, frame?: number): Mark => ({
  kind,
  atMs,
  context: '',
  turn: 1,
  amount,
  ...(frame === undefined ? {} : { frame }),
});

/** The marks of {@link twoChunks}, in order. */
export const twoChunkMarks: readonly Mark[] = [
  mark('text', 0, 8, 3),
  mark('text', 100, 7, 4),
  mark('flush', 100, 0, 5),
  mark('prebufferTarget', 200, 160),
  mark('audio', 200, 300, 8),
  mark('audio', 300, 300, 9),
  mark('audio', 1000, 200, 12),
  mark('audio', 1080, 200, 13),
];

interface Options extends Partial<Omit<TimelineView, 'lanes' | 'marks' | 'blocks'>> {
  turns?: readonly TurnView[];
  events?: readonly Mark[];
  /** Of the contexts that have a block. */
  ids?: readonly string[];
  /** In the sound of turn 1. The first frame of the recording is the session’s number 3. */
  findings?: readonly FoundFinding[];
  /** The block is that of the only context, by default where there is one id. */
  isOnly?: boolean;
}

/** Returns a session of {@link twoChunks} and its display list: one block in full view at 5 s, 1 ms to a pixel. */
export function timelineWorld({
  turns = [twoChunks()],
  events = twoChunkMarks,
  ids = [''],
  findings = [],
  isOnly = ids.length === 1,
  ...rest
}: Options = {}) {
  const lanes = new TurnLanes();
  lanes.update(turns);
  lanes.findings = { byTurn: new Map([[1, findings]]), firstFrame: 3 };
  const marks = new LaneStore();
  marks.append(events);
  const rows = ids.map((id, at) => ({ id, hue: at + 1 }));
  const { blocks } = stackedBlocks(rows, isOnly);
  const view: TimelineView = {
    lanes,
    marks,
    scale: new TimeScale(0, 1, 10_000),
    blocks,
    viewTop: 0,
    viewHeight: 10_000,
    nowMs: 5000,
    listening: 'inTurn',
    pauseMs: 0,
    selected: null,
    ...rest,
  };
  const list = displayList(view);
  const [lane] = list.lanes;
  if (!lane) throw new Error('No block is in view.');
  return { lanes, marks, list, lane };
}

export const oneChunk = (rest: Partial<ChunkView>): ChunkView =>
  chunkView({ text: 'Hello.', audioFrames: 1, samples: 1000, ...rest });

/** Of 1 s of audio, received and not yet heard. */
export const queuedTurn = (id: number, rest: Partial<TurnView> = {}): TurnView =>
  turnView({
    id,
    context: 'anna',
    state: 'ended',
    voice: 1,
    text: 'Hello.',
    textFrames: 1,
    firstTextMs: 0,
    flushedMs: 0,
    endedMs: 400,
    sampleRate: RATE,
    samples: 1000,
    audioFrames: 1,
    chunks: [oneChunk({ startedMs: 100, completedMs: 400 })],
    ...rest,
  });

/** Heard from one moment to another. */
export const heardTurn = (id: number, fromMs: number, toMs: number, rest: Partial<TurnView> = {}): TurnView =>
  queuedTurn(id, {
    heardFromMs: fromMs,
    heardToMs: toMs,
    played: [{ sample: 0, count: Math.min(1000, toMs - fromMs), atMs: fromMs }],
    chunks: [oneChunk({ startedMs: fromMs - 50, completedMs: fromMs, heardFromMs: fromMs, heardToMs: toMs })],
    ...rest,
  });
