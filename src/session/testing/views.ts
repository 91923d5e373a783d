import { emptyChunk } from '#trace/chunks.ts';
import { NO_IMPAIRMENTS } from '../replay/impairments.ts';
import type { ReplayView } from '../replay/replay-view.ts';
import type { ChunkView, TurnReport, TurnView } from '../views.ts';

/** Returns a chunk without events, changed by the given fields. */
export const chunkView = (change: Partial<ChunkView> = {}): ChunkView => ({
  ...emptyChunk(0, 0),
  heardFromMs: null,
  heardToMs: null,
  ...change,
});

/** Returns a turn without events, changed by the given fields. */
export const turnView = (change: Partial<TurnView> = {}): TurnView => ({
  id: 1,
  endpoint: 'kugel-stream',
  context: '',
  state: 'receiving',
  origin: 'whole',
  voice: null,
  text: '',
  cutChars: 0,
  textFrames: 0,
  firstTextMs: null,
  flushedMs: null,
  endedMs: null,
  sampleRate: null,
  samples: 0,
  audioFrames: 0,
  audioBytes: 0,
  decodeMs: 0,
  lateFrames: 0,
  chunks: [],
  heardFromMs: null,
  heardToMs: null,
  silencedMs: null,
  pausedMs: null,
  played: [],
  wait: null,
  gaps: null,
  neededFloorMs: null,
  leastMarginMs: null,
  bargeIn: null,
  underruns: [],
  usage: 'pending',
  billing: 'turn',
  reconnectMs: null,
  repeatable: false,
  loudness: null,
  answer: null,
  line: null,
  held: false,
  isLeftOut: false,
  turnTaking: null,
  ...change,
});

/** Returns the replay of a recording of one second at its begin, changed by the given fields. */
export const replayView = (change: Partial<ReplayView> = {}): ReplayView => ({
  recording: { id: 'r1', name: 'One', endpoint: 'murmr', address: '', durationUs: 1_000_000 },
  run: 1,
  state: 'playing',
  isPaused: false,
  followed: null,
  positionMs: 0,
  atMs: 0,
  speed: 1,
  impairments: NO_IMPAIRMENTS,
  index: -1,
  missing: 0,
  problem: null,
  ...change,
});

/** Returns the first report of a turn. */
export const turnReport = ({ chunks, ...turn }: TurnView): TurnReport => ({
  ...turn,
  chunkCount: chunks.length,
  changedChunks: chunks.map((chunk, at) => ({ at, chunk })),
});
