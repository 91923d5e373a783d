import type { Listening } from '#recordings/format/user-actions.ts';
import type { TurnView } from '#session/views.ts';
import { playedOf } from '../../../session-client/played.ts';
import type { LaneStore, MarkColumn, MarkKind } from '../../../session-client/timeline/lane-store.ts';
import { lowerBound } from '../../../session-client/timeline/sorted.ts';
import type { TimeScale } from '../../../session-client/timeline/time-scale.ts';
import {
  audioSecondsOf,
  type Gap,
  heardSecondsOf,
  isPending,
  type Span,
  spansIn,
  type TurnLanes,
  type UnderrunGap,
} from '../../../session-client/timeline/turn-lanes.ts';

/** A stretch of sound without a break. */
export interface Wave {
  fromMs: number;
  toMs: number;
  turn: TurnView;
  /** The sample at `fromMs`. */
  fromSample: number;
  /** Heard, or received and still to be heard. */
  isHeard: boolean;
}

/** A word where it was heard, or will be. */
export interface WordSpan {
  fromMs: number;
  toMs: number;
  word: string;
  isHeard: boolean;
  turn: number;
  chunk: number;
  /** Its place in the chunk. */
  at: number;
}

/** When a turn that waits is expected to be heard. */
export interface Expected {
  fromMs: number;
  toMs: number;
  turn: TurnView;
}

/** What one lane shows in a window of time. */
export interface LaneDrawing {
  id: string;
  text: readonly MarkColumn[];
  flushes: readonly MarkColumn[];
  audio: readonly MarkColumn[];
  /** Single events, each drawn with a sign of its own. */
  events: readonly { kind: EventKind; columns: readonly MarkColumn[] }[];
  chunks: readonly Span[];
  waves: readonly Wave[];
  /** None where they are too small to be read. */
  words: readonly WordSpan[];
  /** Silence that the listener sat through: before the first sound of a turn, and within one. */
  waits: readonly Gap[];
  underruns: readonly UnderrunGap[];
  /** Received and never heard. */
  lost: readonly Gap[];
  /** From the end of a chunk's making to where it will be heard. */
  queued: readonly { fromMs: number; toMs: number }[];
}

export const EVENT_KINDS = [
  'cancel',
  'keepAlive',
  'opened',
  'closeSent',
  'closed',
  'refused',
  'error',
] as const satisfies readonly MarkKind[];
export type EventKind = (typeof EVENT_KINDS)[number];

export interface LaneInput {
  lanes: TurnLanes;
  marks: LaneStore;
  /** The window; a pixel of it is the smallest thing drawn. */
  scale: TimeScale;
  nowMs: number;
  listening: Listening;
  pauseMs: number;
}

/** Words narrower than this on average cannot be read. */
const LEAST_WORD_PX = 9;

/**
 * When each turn that has audio will be heard, as far as one can tell now: together, each goes on from now; in turn,
 * each starts when the one before it is done.
 */
export function expectedSound(
  pending: readonly TurnView[],
  nowMs: number,
  listening: Listening,
  pauseMs: number,
): Expected[] {
  const expected: Expected[] = [];
  let free = nowMs;
  for (const turn of pending) {
    if (turn.samples === 0 || !isPending(turn)) continue;
    const leftMs = (audioSecondsOf(turn) - heardSecondsOf(turn, nowMs)) * 1000;
    const isStarted = turn.heardFromMs !== null;
    const startMs = isStarted || listening === 'together' ? nowMs : free;
    if (leftMs > 0) expected.push({ fromMs: startMs, toMs: startMs + leftMs, turn });
    if (listening === 'inTurn') free = Math.max(free, startMs + leftMs + pauseMs);
  }
  return expected;
}

/** The first wait of a turn, as far as nothing else was heard meanwhile. */
function waitGap(turn: TurnView, others: readonly TurnView[], endMs: number): Gap | null {
  if (turn.firstTextMs === null) return null;
  const waitMs = turn.wait?.reduce((sum, { ms }) => sum + ms, 0);
  const toMs =
    waitMs === undefined
      ? (turn.heardFromMs ?? (isPending(turn) ? endMs : turn.firstTextMs))
      : turn.firstTextMs + waitMs;
  const isFilled = others.some(
    (other) =>
      other.id !== turn.id &&
      other.firstTextMs !== null &&
      ((other.heardFromMs !== null &&
        other.heardFromMs < toMs &&
        (other.heardToMs ?? Number.POSITIVE_INFINITY) > (turn.firstTextMs ?? 0)) ||
        // One silence is shown once, at the turn that is to be heard first.
        (other.id < turn.id && isPending(other) && other.heardFromMs === null)),
  );
  return isFilled || toMs <= turn.firstTextMs ? null : { fromMs: turn.firstTextMs, toMs, turn };
}

/** What was heard of a turn by now, within the window. */
function wavesOf(turn: TurnView, input: LaneInput): Wave[] {
  const { startMs, endMs } = input.scale;
  const until = Math.min(endMs, input.nowMs);
  const waves: Wave[] = [];
  const played = playedOf(turn);
  for (const range of played.list) {
    const { sample: fromSample, atMs: fromMs } = range;
    const toMs = played.endMsOf(range);
    if (toMs < startMs || fromMs >= until) continue;
    waves.push({ fromMs, toMs: Math.min(toMs, until), turn, fromSample, isHeard: true });
  }
  return waves;
}

const waveToCome = ({ fromMs, toMs, turn }: Expected, nowMs: number): Wave => ({
  fromMs,
  toMs,
  turn,
  fromSample: heardSecondsOf(turn, nowMs) * (turn.sampleRate ?? 0),
  isHeard: false,
});

/** The words of a turn in the window, each where `timeOf` puts its samples. */
function wordsOf(
  turn: TurnView,
  scale: TimeScale,
  timeOf: (sample: number, isEnd: boolean) => number | null,
  isHeard: (fromMs: number) => boolean,
): WordSpan[] {
  const found: WordSpan[] = [];
  const samplesPerMs = (turn.sampleRate ?? 0) / 1000;
  for (const chunk of turn.chunks) {
    const { words } = chunk;
    if (!words || words.length === 0 || chunk.samples === 0) continue;
    const fromMs = timeOf(chunk.startSample, false);
    const toMs = timeOf(chunk.startSample + chunk.samples, true);
    if (fromMs === null || toMs === null || toMs < scale.startMs || fromMs > scale.endMs) continue;
    if ((toMs - fromMs) / scale.msPerPx / words.length < LEAST_WORD_PX) continue;
    for (const [at, { word, startMs, endMs }] of words.entries()) {
      const from = timeOf(chunk.startSample + startMs * samplesPerMs, false);
      const to = timeOf(chunk.startSample + endMs * samplesPerMs, true);
      if (from === null || to === null || to < scale.startMs || from > scale.endMs) continue;
      found.push({
        fromMs: from,
        toMs: Math.max(from, to),
        word,
        isHeard: isHeard(from),
        turn: turn.id,
        chunk: chunk.id,
        at,
      });
    }
  }
  return found;
}

/** Words of a turn that has begun to be heard: those behind the play head, and those ahead of it. */
function heardWords(turn: TurnView, { scale, nowMs }: LaneInput, expected: Expected | undefined): WordSpan[] {
  const endMs = turn.silencedMs ?? Number.POSITIVE_INFINITY;
  const heardSamples = heardSecondsOf(turn, nowMs) * (turn.sampleRate ?? 0);
  return wordsOf(
    turn,
    scale,
    (sample, isEnd) =>
      expected && sample > heardSamples
        ? toComeAt(expected, sample - heardSamples)
        : playedOf(turn).wallMsOf(sample, isEnd),
    (fromMs) => fromMs <= nowMs,
  ).filter(({ fromMs }) => fromMs < endMs);
}

const wordsToCome = (one: Expected, scale: TimeScale): WordSpan[] =>
  wordsOf(
    one.turn,
    scale,
    (sample) => toComeAt(one, sample),
    () => false,
  );

const toComeAt = ({ fromMs, turn }: Expected, samples: number): number =>
  fromMs + (samples / (turn.sampleRate ?? 1)) * 1000;

/** Turns near another that may bear on its first wait. */
const NEIGHBOURS = 40;
/** A wait that is narrower is not seen. */
const LEAST_WAIT_PX = 1;

/** What a lane shows. Costs what is in view, however long the session is. */
export function drawLane(id: string, input: LaneInput, expected: readonly Expected[]): LaneDrawing {
  const { lanes, marks, scale, nowMs } = input;
  const lane = lanes.lane(id);
  const { startMs, endMs, msPerPx } = scale;
  const heard = spansIn(lane.heard, startMs, endMs, msPerPx);
  const own = expected.filter(({ turn }) => turn.context === id);
  const made = spansIn(lane.made, startMs, endMs, msPerPx);
  const shown = new Set([...made, ...heard].map(({ turn }) => turn).filter((turn) => mayWait(turn, msPerPx)));
  for (const turn of lanes.pending) if (turn.context === id) shown.add(turn);
  const waits: Gap[] = [];
  for (const turn of shown) {
    const gap = waitGap(turn, lanes.around(turn, NEIGHBOURS), nowMs);
    if (gap && gap.toMs > startMs && gap.fromMs < endMs) waits.push(gap);
  }
  return {
    id,
    text: marks.columns(id, 'text', scale),
    flushes: marks.columns(id, 'flush', scale),
    audio: marks.columns(id, 'audio', scale),
    events: EVENT_KINDS.map((kind) => ({ kind, columns: marks.columns(id, kind, scale) })),
    chunks: made.map((span) => ({ ...span, toMs: Math.min(span.toMs, nowMs) })),
    waves: [
      ...heard.flatMap(({ turn }) => wavesOf(turn, input)),
      ...own.map((one) => waveToCome(one, nowMs)),
    ],
    words: [
      ...heard.flatMap(({ turn }) =>
        heardWords(
          turn,
          input,
          own.find((one) => one.turn === turn),
        ),
      ),
      ...own.flatMap((one) => (one.turn.heardFromMs === null ? wordsToCome(one, scale) : [])),
    ],
    waits,
    underruns: spansIn(lane.underruns, startMs, endMs, msPerPx).map((gap) => ({
      ...gap,
      toMs: Math.min(gap.toMs, nowMs),
    })),
    lost: spansIn(lane.lost, startMs, endMs, msPerPx).map((gap) => ({
      ...gap,
      toMs: Math.min(gap.toMs, nextHeard(lane.heard, gap)),
    })),
    queued: own.flatMap(({ fromMs, turn }) => {
      const done = turn.chunks[0]?.completedMs ?? null;
      return done !== null && turn.heardFromMs === null && done < fromMs
        ? [{ fromMs: done, toMs: fromMs }]
        : [];
    }),
  };
}

/** The wait of a turn is wide enough to be seen, for all that is known without looking at others. */
const mayWait = ({ firstTextMs, heardFromMs }: TurnView, msPerPx: number): boolean =>
  firstTextMs !== null && (heardFromMs ?? Number.POSITIVE_INFINITY) - firstTextMs > LEAST_WAIT_PX * msPerPx;

/** When something of the lane was heard again behind what was lost. */
function nextHeard(heard: readonly Gap[], { fromMs }: Gap): number {
  const at = lowerBound((index) => heard[index]?.fromMs ?? Number.POSITIVE_INFINITY, heard.length, fromMs);
  return heard[at]?.fromMs ?? Number.POSITIVE_INFINITY;
}
