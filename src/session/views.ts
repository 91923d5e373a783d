import type { PlayedRange } from '#player/played-ranges.ts';
import type { CloseMeaning, Endpoint, EndpointId } from '#protocol/core/endpoint.ts';
import type { Usage } from '#protocol/core/speech-event.ts';
import type { Chunk } from '#trace/chunks.ts';
import type { GapStatistics } from '#trace/speed.ts';
import type { TurnState } from '#trace/turn-state.ts';
import type { TextOrigin } from '#trace/user-actions.ts';
import type { WaitSegment } from '#trace/wait.ts';
import type { EnvelopePart } from './playback/envelopes.ts';

/**
 * Reported once per animation frame, and when a sound begins. Times `…Ms` are wall clock. Samples count from the start of
 * a turn.
 */

export type ConnectionState = 'idle' | 'connecting' | 'open' | 'closing' | 'closed' | 'failed' | 'retrying';

export interface Traffic {
  framesSent: number;
  framesReceived: number;
  bytesSent: number;
  bytesReceived: number;
}

export interface ConnectionView extends Traffic {
  state: ConnectionState;
  /** When the state began. */
  sinceMs: number;
  /** From `new WebSocket` to open: DNS, TCP, TLS and upgrade together. */
  handshakeMs: number | null;
  /** Without the key. */
  address: string | null;
  close: (CloseMeaning & { code: number; reason: string }) | null;
  /** The next try, while `retrying`. */
  retry: { attempt: number; of: number; atMs: number } | null;
  /** Number of open connections. */
  open: number;
}

/** A chunk, and when it was heard. */
export interface ChunkView extends Readonly<Chunk> {
  heardFromMs: number | null;
  heardToMs: number | null;
}

export interface UnderrunView {
  atMs: number;
  atSample: number;
  /** Null while it lasts. */
  lengthMs: number | null;
}

/** A turn that was cut off before it was heard to its end. */
export interface BargeIn {
  /** When the person began to speak; null where no speech cut it off. */
  onsetMs: number | null;
  /** When Cancel was pressed, the interrupting line began, or the detector decided that a person speaks. */
  pressedMs: number;
  /** When the last sound of the turn left the speakers; null where it was silent at the press, and until known. */
  silentMs: number | null;
  /** When the server confirmed it; null until then, and in protocols without a cancel. */
  interruptedMs: number | null;
  /** What was heard of the text, as the server says; null where it does not. */
  heard: string | null;
}

/** A problem in words, until it is dismissed. */
export interface Problem {
  id: number;
  /** null: the connection. */
  turn: number | null;
  atMs: number;
  severity: 'error' | 'warning';
  title: string;
  detail: string;
  remedy: string | null;
  /** The remedy names controls of this page, so that it does not concern another client. */
  isForSender?: true;
  /** How often it came. The other fields are those of the first time. */
  times: number;
}

/** `unreported`: the turn is over without a bill. `withContext`: its context is billed instead. */
export type TurnUsage = Usage | 'pending' | 'unreported' | 'withContext';

export interface TurnView {
  id: number;
  /** The endpoint that spoke it. */
  endpoint: EndpointId;
  context: string;
  state: TurnState;
  origin: TextOrigin;
  voice: string | number | null;
  /** Its first characters. */
  text: string;
  /** Characters behind `text` that are not kept. */
  cutChars: number;
  textFrames: number;
  firstTextMs: number | null;
  flushedMs: number | null;
  endedMs: number | null;
  sampleRate: number | null;
  samples: number;
  audioFrames: number;
  /** Audio frames that came after a cancel. They are dropped, and counted only here. */
  lateFrames: number;
  chunks: readonly ChunkView[];
  /** When the first sample left the player; null until then. */
  heardFromMs: number | null;
  /** When the last sample was heard, or the turn was silenced while it was being heard. */
  heardToMs: number | null;
  /** When unheard audio was dropped (barge-in, cancel, another server). Null where nothing was dropped. */
  silencedMs: number | null;
  /** When it fell silent in its midst, for a pause or because the output stands still. Null where it is heard. */
  pausedMs: number | null;
  /** In the order of hearing. While the turn plays, the last range grows; see `playedOf`. */
  played: readonly PlayedRange[];
  /** Null until the first audible sample. */
  wait: readonly WaitSegment[] | null;
  gaps: GapStatistics | null;
  /** The smallest prebuffer target with which no audio frame so far would have come too late; null before the first. */
  neededFloorMs: number | null;
  /** The least lead of generation over hearing so far; see `measures/margin.ts`. */
  leastMarginMs: number | null;
  bargeIn: BargeIn | null;
  underruns: readonly UnderrunView[];
  usage: TurnUsage;
  billing: Endpoint['billing'];
  /** Bytes of its audio frames, and the time to decode and queue them. */
  audioBytes: number;
  decodeMs: number;
  /** From the barge-in until the next turn could start, where that needs a new connection; null otherwise. */
  reconnectMs: number | null;
  /** The live model's answer that it speaks; null for any other text. */
  answer: AnswerView | null;
  /** Line of the script, counted from 0; null for a turn without a script. */
  line: number | null;
  /** The line waits for the end of another line. */
  held: boolean;
  /** It was another client's to play, and was not played here. */
  isLeftOut: boolean;
  /** Null where the line did not wait for another line, or has not been heard. */
  turnTaking: TurnTaking | null;
  /** Its samples are still in memory, so it can be repeated. */
  repeatable: boolean;
  /** Integrated loudness in LUFS; null until its audio is complete, and for silence. */
  loudness: number | null;
}

/** A chunk at its place in the list of a turn. */
export interface ChangedChunk {
  at: number;
  chunk: ChunkView;
}

/** A turn with only those of its chunks that changed since its last report, because a turn may have thousands. */
export interface TurnReport extends Omit<TurnView, 'chunks'> {
  chunkCount: number;
  changedChunks: readonly ChangedChunk[];
}

/** Returns a turn after a report. Chunks without a change keep their identity. */
export function reportedTurn(before: TurnView | undefined, report: TurnReport): TurnView {
  const { chunkCount, changedChunks, ...turn } = report;
  const known = before?.chunks ?? [];
  if (changedChunks.length === 0 && known.length === chunkCount) return { ...turn, chunks: known };
  const chunks = known.slice(0, chunkCount);
  for (const { at, chunk } of changedChunks) chunks[at] = chunk;
  return { ...turn, chunks };
}

/** The answer of a live model. It continues in another turn where the server ends one by itself. */
export interface AnswerView {
  /** Number that the page gave to its question; null in a replay. */
  request: number | null;
  /** The turn that began with the question. */
  turn: number | null;
  question: string;
  model: string;
  askedMs: number;
  /** Thoughts of the model, which nobody hears, are no tokens. */
  firstTokenMs: number | null;
  lastTokenMs: number | null;
  endedMs: number | null;
  /** `asked`: no token yet. `stopped`: aborted by a barge-in or the end of its turn. */
  state: 'asked' | 'writing' | 'done' | 'stopped' | 'failed';
  tokens: number;
  characters: number;
}

/** Timing between a line that is heard in turn and the line before it. */
export interface TurnTaking {
  /** From the last sample of the line before to the first sample of this one. */
  gapMs: number;
  /** From its first text, or the end of the turn before it on its context, until it was ready to play. */
  readyMs: number;
  /** The difference: time saved by generating ahead. */
  savedMs: number;
}

export interface SourceView {
  /** Null before the first. */
  model: 'simulated' | 'live' | null;
  state: 'idle' | 'running' | 'done' | 'stopped';
  /** Number of tokens, and of those that were sent. A live model's is unknown. */
  total: number | null;
  sent: number;
  startedMs: number | null;
  finishedMs: number | null;
  nextToken: string | null;
}

export const NO_SOURCE: SourceView = {
  model: null,
  state: 'idle',
  total: 0,
  sent: 0,
  startedMs: null,
  finishedMs: null,
  nextToken: null,
};

export interface TrackView {
  context: string;
  state: 'idle' | 'buffering' | 'playing';
  /** The turn under the playhead, and its sample that left the player at `atMs`. */
  turn: number | null;
  sample: number;
  atMs: number;
  /** Ring epoch. A barge-in names the epoch that it silences. */
  epoch: number;
  /** Seconds received and not yet heard, including held lines. */
  bufferedSeconds: number;
  /** Highest absolute sample of the last moments, 0 to 1, before volume. */
  peak: number;
  targetMs: number;
  targetReason: string;
}

export interface PlayerView {
  /** `detached`: no output. Otherwise the state of the busiest track. */
  state: 'detached' | TrackView['state'];
  transport: 'shared' | 'message' | null;
  sampleRate: number;
  repeating: boolean;
  /** Everything waits, because a person may speak over it. */
  isPaused: boolean;
  /** The audio clock stands still, so what plays is not heard: the output is suspended, or its device has stopped. */
  isStill: boolean;
  /** One for each context that has spoken, in the order of first speech. */
  tracks: readonly TrackView[];
}

/** One context of an endpoint that has several, over all its openings. */
export interface ContextView {
  id: string;
  /** `refused`: the server did not open it. `closed`: it was open once; text opens it again. */
  state: 'opening' | 'open' | 'closing' | 'closed' | 'refused';
  /** When the state began. */
  sinceMs: number;
  /** When the server closes it for idleness; null while it is busy, kept alive or not open. */
  idleAtMs: number | null;
  keepAlives: number;
  /** Sum of the bills of its closings; null before the first. A cost of null: unknown for all of them. */
  billed: Usage | null;
  /** Audio received that is on no bill yet. */
  unbilledSeconds: number;
  /** Closings with an unknown charge. With any, the sum is a lower bound. */
  unknownCosts: number;
}

/**
 * An event at one moment, for the timeline. Marks are only added, in the order of time. `asked`: a question went to a live
 * model. `token`: a token of its answer came.
 */
export interface Mark {
  kind:
    | 'asked'
    | 'token'
    | 'text'
    | 'flush'
    | 'cancel'
    | 'speech'
    | 'paused'
    | 'continued'
    | 'audio'
    | 'keepAlive'
    | 'opened'
    | 'closeSent'
    | 'closed'
    | 'refused'
    | 'connected'
    | 'disconnected'
    | 'error'
    | 'fault'
    | 'prebufferTarget'
    | 'drift';
  atMs: number;
  /** null: the whole connection. */
  context: string | null;
  turn: number | null;
  /**
   * `text`, `token`: characters. `audio`: ms of audio. `prebufferTarget`: the new one in ms. `drift`: lead of the audio clock
   * over the wall clock since the output began, in ms. Otherwise 0.
   */
  amount: number;
  /** Number of its frame among all that the session recorded, see `ShownView.firstNumber`; in a replay its index. */
  frame?: number;
  /** `fault`: the fault, such as `stall=3000@2`. `token`: its first characters. */
  text?: string;
}

export interface SessionTotals {
  turns: number;
  audioSeconds: number;
  characters: number;
  /** Sum of the known charges. */
  costCents: number;
  currency: string | null;
  /** Turns or contexts with an unknown charge. With any, the sum is a lower bound. */
  unknownCosts: number;
  /** Turns on endpoints that never report a charge. */
  unreportedCosts: number;
  /** Characters of completed generations on those endpoints, which count towards a plan. */
  planCharacters: number;
}

/** The changes since the last update. The page merges them. */
export interface SessionUpdate {
  connection?: ConnectionView;
  turns?: readonly TurnReport[];
  /** All contexts, in the order of their first opening. */
  contexts?: readonly ContextView[];
  marks?: readonly Mark[];
  envelopes?: readonly EnvelopePart[];
  totals?: SessionTotals;
  player?: PlayerView;
  source?: SourceView;
  problems?: readonly Problem[];
  /** The rate of the audio, where it differs from the output's rate. The page opens another output. */
  wantedSampleRate?: number;
}
