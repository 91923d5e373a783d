import type { PlayedRange } from '#player/played-ranges.ts';
import type { CloseMeaning, Endpoint, EndpointId } from '#protocol/core/endpoint.ts';
import type { ServerFigures, SpokenWord, Usage } from '#protocol/core/speech-event.ts';
import type { TextOrigin } from '#recordings/format/user-actions.ts';
import type { EnvelopePart } from './playback/envelopes.ts';

/**
 * What the worker tells the page: plain data, complete in itself, copied once per animation frame at most.
 * Times named `…Ms` are wall clock, `performance.timeOrigin + performance.now()`, so that page and worker agree.
 * Samples are counted from the start of a turn's audio.
 */

export type ConnectionState = 'idle' | 'connecting' | 'open' | 'closing' | 'closed' | 'failed' | 'retrying';

export interface ConnectionView {
  state: ConnectionState;
  /** When the state began. */
  sinceMs: number;
  /** From `new WebSocket` to open: name look-up, TCP, TLS and upgrade together. */
  handshakeMs: number | null;
  /** Where to, without key. */
  address: string | null;
  close: (CloseMeaning & { code: number; reason: string }) | null;
  /** The next try while `retrying`. */
  retry: { attempt: number; of: number; atMs: number } | null;
  framesSent: number;
  framesReceived: number;
  bytesSent: number;
  bytesReceived: number;
}

/**
 * `sending`: text is going out. `waiting`: flushed, no audio yet. `receiving`: audio arrives. `ended`: the server is
 * done (it may still be heard). `cancelled`: barge-in. `failed`: an error ended it. `lost`: the connection broke.
 */
export type TurnState = 'sending' | 'waiting' | 'receiving' | 'ended' | 'cancelled' | 'failed' | 'lost';

export interface ChunkView {
  id: number;
  /** As the server says it synthesises it; null where the protocol does not say. */
  text: string | null;
  words: readonly SpokenWord[] | null;
  /** The protocol tells no times: those of the words are worked out from their lengths. */
  wordsAreEstimated: boolean;
  /** When the server told where the words are; null until then, and where it never does. */
  wordsMs: number | null;
  /** When the last text that belongs to the chunk was sent. */
  sentMs: number | null;
  /** Null where the protocol does not say. */
  startedMs: number | null;
  firstAudioMs: number | null;
  lastAudioMs: number | null;
  completedMs: number | null;
  heardFromMs: number | null;
  heardToMs: number | null;
  audioFrames: number;
  /** First sample of the chunk in the turn's audio, and how many it has so far. */
  startSample: number;
  samples: number;
  /** As the server measured it. */
  generationMs: number | null;
  /** What else the server says of it; null where it says nothing. */
  figures: ServerFigures | null;
}

/** One part of the wait before a turn is heard. The parts of a turn follow one another and add up to the whole. */
export interface WaitSegment {
  name:
    | 'server'
    | 'firstAudioFrame'
    | 'decode'
    | 'output'
    | 'startFloor'
    | 'inTurn'
    | 'firstSample'
    | 'leadingSilence';
  ms: number;
}

export interface UnderrunView {
  atMs: number;
  atSample: number;
  /** null while it lasts. */
  lengthMs: number | null;
}

export interface GapStatistics {
  count: number;
  meanMs: number;
  p95Ms: number;
  longestMs: number;
}

/** A turn that was cut off while something of it was still to come or to be heard. */
export interface BargeIn {
  /** When Cancel was pressed, or the line came that cut it off. */
  pressedMs: number;
  /** Nothing of it left the speakers any more; null where nothing did at the press, and until it is known. */
  silentMs: number | null;
  /** The server confirmed it; null until then, and where the protocol has no cancel. */
  interruptedMs: number | null;
}

/** Something that went wrong, in words, until it is dealt with. */
export interface Problem {
  id: number;
  /** null: the connection, not a turn. */
  turn: number | null;
  atMs: number;
  severity: 'error' | 'warning';
  title: string;
  detail: string;
  remedy: string | null;
}

export type TurnUsage = Usage | 'pending' | 'unreported' | 'withContext';

export interface TurnView {
  id: number;
  /** Where it was spoken. */
  endpoint: EndpointId;
  context: string;
  state: TurnState;
  origin: TextOrigin;
  voice: string | number | null;
  /** All text sent so far. */
  text: string;
  textFrames: number;
  firstTextMs: number | null;
  flushedMs: number | null;
  endedMs: number | null;
  sampleRate: number | null;
  samples: number;
  audioFrames: number;
  /** Audio frames that came after a cancel: dropped, never heard, never counted elsewhere. */
  lateFrames: number;
  chunks: readonly ChunkView[];
  /** First sample that left the player; null until then. */
  heardFromMs: number | null;
  /** The last sample of the turn was heard, or it was silenced while it was being heard. */
  heardToMs: number | null;
  /**
   * Its audio was taken off the player before all of it was heard (barge-in, cancel, another server), also where it had
   * not begun to be heard. Null for a turn that was heard to its end, is still to be heard, or had no audio.
   */
  silencedMs: number | null;
  /** In the order of hearing. While the turn plays, the last range goes on; see `playedOf`. */
  played: readonly PlayedRange[];
  /** Null until the first audible sample. */
  wait: readonly WaitSegment[] | null;
  gaps: GapStatistics | null;
  /** The least audio to start with so that no audio frame so far would have come too late; null before the first. */
  neededFloorMs: number | null;
  /** How far generation ran ahead of hearing when that was closest; see `measures/margin.ts`. */
  leastMarginMs: number | null;
  bargeIn: BargeIn | null;
  underruns: readonly UnderrunView[];
  /** `unreported`: the turn is over and the server told no usage. `withContext`: it is on the bill of its context. */
  usage: TurnUsage;
  billing: Endpoint['billing'];
  /** Bytes of its audio frames, and the time it took to decode and queue them. */
  audioBytes: number;
  decodeMs: number;
  /**
   * From the barge-in to the moment at which the next turn could start, where the protocol has no cancel and a new
   * connection was opened for it; null otherwise, and until then.
   */
  reconnectMs: number | null;
  /** Its place in the script that it was spoken from, counted from 0; null where there is none. */
  line: number | null;
  /** It waits for another's line to end. */
  held: boolean;
  /** Null where the line did not wait for another's end, or has yet to be heard. */
  turnTaking: TurnTaking | null;
  /** Its samples are still in memory, so it can be played again. */
  replayable: boolean;
  /** How loud it is, 1 being full scale, as `speechLevel` says; null until all of it is there, and where it is silent. */
  level: number | null;
}

/** What a line that is heard in turn has behind it. */
export interface TurnTaking {
  /** From the last sample of the line before to the first of this one. */
  gapMs: number;
  /**
   * From its first text (or the end of the turn before it on its context) to its being ready to play: what the gap would
   * have been at least, had it been sent only when the line before it ended.
   */
  readyMs: number;
  /** The difference: what generating ahead has saved the listener. */
  savedMs: number;
}

export interface SourceView {
  state: 'idle' | 'running' | 'done' | 'stopped';
  /** Tokens in all and sent; the last few sent, as written. */
  total: number;
  sent: number;
  startedMs: number | null;
  finishedMs: number | null;
  nextToken: string | null;
}

/** What is heard of one context. */
export interface TrackView {
  context: string;
  state: 'idle' | 'buffering' | 'playing';
  /** The turn under the play head, and the sample of it that left the player at `atMs`. */
  turn: number | null;
  sample: number;
  atMs: number;
  /** Ring epoch; a barge-in names the one it silences. */
  epoch: number;
  /** Seconds received and not yet heard, also those held back until their turn comes. */
  bufferedSeconds: number;
  /** Highest absolute sample of the last moments, 0 to 1, before volume. */
  peak: number;
  floorMs: number;
  floorReason: string;
}

export interface PlayerView {
  /** `detached`: there is no output. Otherwise that of the busiest track. */
  state: 'detached' | TrackView['state'];
  transport: 'shared' | 'message' | null;
  sampleRate: number;
  replaying: boolean;
  /** One for every context that has spoken, in the order in which they first did. */
  tracks: readonly TrackView[];
}

/** One context of an endpoint that has several, over all its openings. */
export interface ContextView {
  id: string;
  /** `refused`: the server would not open it. `closed`: it was open once; speaking opens it anew. */
  state: 'opening' | 'open' | 'closing' | 'closed' | 'refused';
  /** When the state began. */
  sinceMs: number;
  /** When the server closes it unless something is said or comes; null while it is busy, kept alive or not open. */
  idleAtMs: number | null;
  /** Sent so far. */
  keepAlives: number;
  /** The sum of what its closings reported; null before the first. A cost of null: unknown for all of them. */
  billed: Usage | null;
  /** Received and on no bill yet. */
  unbilledSeconds: number;
  /** Closings whose charge is unknown, so that the sum is a lower bound. */
  unknownCosts: number;
}

/** Something that happened at one moment, for the timeline. Marks are only ever added, in the order of time. */
export interface Mark {
  kind:
    | 'text'
    | 'flush'
    | 'cancel'
    | 'audio'
    | 'keepAlive'
    | 'opened'
    | 'closeSent'
    | 'closed'
    | 'refused'
    | 'connected'
    | 'disconnected'
    | 'error'
    | 'floor'
    | 'drift';
  atMs: number;
  /** null: the whole connection. */
  context: string | null;
  turn: number | null;
  /**
   * `text`: characters. `audio`: ms of audio. `floor`: the start floor from now on, in ms. `drift`: by how much the audio
   * clock is ahead of the wall clock since the output began, in ms. Otherwise 0.
   */
  amount: number;
  /** Number of the frame among all that this session recorded, where it is one; see `ShownView.firstNumber`. */
  frame?: number;
}

export interface SessionTotals {
  turns: number;
  audioSeconds: number;
  characters: number;
  /** Sum of the known charges. */
  costCents: number;
  currency: string | null;
  /** Turns or contexts whose charge is unknown, so that the sum is a lower bound. */
  unknownCosts: number;
  /** Turns on endpoints that never tell a charge. */
  unreportedCosts: number;
  /** Of completed generations on those endpoints, which is what a plan counts. */
  planCharacters: number;
}

/** What changed since the last update; the page merges it. */
export interface SessionUpdate {
  connection?: ConnectionView;
  /** Whole turns, only those that changed. */
  turns?: readonly TurnView[];
  /** All of them, in the order of their first opening. */
  contexts?: readonly ContextView[];
  /** Those since the last update. */
  marks?: readonly Mark[];
  /** How loud turns are, as far as it is new. */
  envelopes?: readonly EnvelopePart[];
  totals?: SessionTotals;
  player?: PlayerView;
  source?: SourceView;
  problems?: readonly Problem[];
  /** The format that audio arrives in differs from the player's rate: the page opens another output. */
  wantedSampleRate?: number;
}
